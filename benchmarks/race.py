"""What the drivers share: options, points, and the runs of all contestants on a set in shuffled order."""

from __future__ import annotations

import argparse
import pathlib
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from contestants import Contestant, peers
from stages import synchronize

from datasets.synthetic import SETS


def parser(description: str | None, peers: list[str]) -> argparse.ArgumentParser:
    """The options of drivers that time points; `peers` are the possible values of --peers."""
    top = common_parser(description, peers)
    top.add_argument("--dtype", choices=["float32", "float64"], help="convert the points to this type")
    top.add_argument("--metric", default="euclidean", help="one that emst and some of the peers take")
    top.add_argument("--stages", action="store_true", help="also time the stages, in separate runs")
    return top


def common_parser(description: str | None, peers: list[str]) -> argparse.ArgumentParser:
    """The options that every driver has."""
    top = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    top.add_argument("--runs", type=int, default=5)
    top.add_argument("--seed", type=int, default=0, help="seed of the order of the runs")
    top.add_argument("--peers", nargs="*", choices=peers, help="also time these peers (cpu); without names all of them")
    top.add_argument("--no-memory", action="store_true", help="do not measure peak memory")
    top.add_argument("--json", type=pathlib.Path, metavar="FILE")
    top.add_argument("--markdown", type=pathlib.Path, metavar="FILE")
    return top


def open_set(name: str, n: int | None, options: argparse.Namespace) -> tuple[str, Any]:
    """Title and points, on their device, of a set or of a .npy file; `n` is the number of points."""
    x = np.load(name)[:n] if name.endswith(".npy") else SETS[name](n)
    x = np.ascontiguousarray(x, options.dtype or x.dtype)
    title = name if n is None else f"{name} {n}"
    return title if options.metric == "euclidean" else f"{title}, {options.metric}", on_device(options.device, x)


def on_device(device: str, x: np.ndarray) -> Any:
    """Points on the CPU or on the GPU."""
    if device == "cpu":
        return x
    import cupy

    return cupy.asarray(x)


def race(
    title: str, points: Any, k: int, field: dict[str, Contestant], runs: dict[str, int], options: argparse.Namespace
) -> list[dict[str, Any]]:
    """A record of each contestant: seconds of all its runs, and the figures of its result, the same in all runs."""
    n, d = points.shape
    for contestant in field.values():  # compile, fill pools and caches
        contestant.build(points[: max(2000, k)] if options.device == "cpu" else points, k)
    calls = {name: (partial(one.build, points, k), one.figures) for name, one in field.items()}
    common = {"set": title, "n": n, "d": d, "dtype": str(points.dtype), "k": k}
    found = shuffled(f"{title}, k = {k}", calls, runs, options)
    return [common | {"contestant": name} | found[name] for name in field]


Call = tuple[Callable[[], Any], Callable[[Any], dict[str, Any]]]  # what is timed, and the figures of its result


def shuffled(
    title: str, calls: dict[str, Call], runs: dict[str, int], options: argparse.Namespace
) -> dict[str, dict[str, Any]]:
    """For every call the "seconds" of all its runs, in shuffled order, those of the processor over all threads, and its
    figures; "checksum" must not change."""
    order = [name for name in calls for _ in range(runs[name])]
    random.Random(f"{options.seed} {title}").shuffle(order)
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    processor: dict[str, list[float]] = {name: [] for name in calls}
    figures: dict[str, dict[str, Any]] = {}
    for name in order:
        call, read = calls[name]
        synchronize(options.device)
        start, busy = time.perf_counter(), time.process_time()
        result = call()
        synchronize(options.device)
        seconds[name].append(time.perf_counter() - start)
        processor[name].append(time.process_time() - busy)
        found = read(result)
        before = figures.setdefault(name, found)["checksum"]
        if found["checksum"] != before:
            raise AssertionError(f"{title}: runs of {name} differ: {before} and {found['checksum']}")
        del result, found  # a billion edges do not fit twice
    return {name: {"seconds": seconds[name], "processor": processor[name]} | figures[name] for name in calls}


def invited(title: str, n: int, k: int, names: list[str], options: argparse.Namespace) -> dict[str, Contestant]:
    """The requested peers of these names that can take part; the others are named on standard error."""
    if options.peers is None or options.device != "cpu":
        return {}
    present, absent = peers(options.peers or names, n, k, options.metric)
    for sentence in absent:
        print(f"{title}, k = {k}: {sentence}", file=sys.stderr)
    return present
