"""What the commands share: options, points, and the runs of all contestants on a set in shuffled order."""

from __future__ import annotations

import argparse
import pathlib
import random
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from contestants import Contestant, peers
from stages import synchronize

from datasets.synthetic import SETS, uniform_on_device

Call = tuple[Callable[[], Any], Callable[[Any], dict[str, Any]]]  # what is timed, and the figures of its result
UNIFORM = "uniform"  # the set that is made on the GPU


def common_options(top: argparse.ArgumentParser) -> None:
    """The options of every command that times calls in this process."""
    top.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    top.add_argument("--runs", type=int, default=5)
    top.add_argument("--seed", type=int, default=0, help="seed of the order of the runs, and of drawn queries")
    file_options(top)


def file_options(top: argparse.ArgumentParser) -> None:
    """Where the results go."""
    top.add_argument("--markdown", type=pathlib.Path, metavar="FILE", help="append the tables to this file")
    top.add_argument("--title", help="heading of the tables in that file (default: the command)")
    top.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every single time")


def peer_options(top: argparse.ArgumentParser, peers: list[str]) -> None:
    """The options of commands that time peers, of these names."""
    top.add_argument("--peers", nargs="*", choices=peers, help="also time these peers (cpu); without names all of them")
    top.add_argument("--peer-runs", type=int, help="runs of slow peers, which can take minutes (default: --runs)")
    top.add_argument("--no-memory", action="store_true", help="do not measure peak memory")


def point_options(top: argparse.ArgumentParser) -> None:
    """The options of commands that open sets of points."""
    top.add_argument("--sets", nargs="+", metavar="SET[:N]", help=f"{', '.join(SETS)}, {UNIFORM} (GPU), or .npy files")
    top.add_argument("--n", type=int, help="points of every set; of SET:N at most so many")
    top.add_argument("--dtype", choices=["float32", "float64"], help="convert the points to this type")
    top.add_argument("--metric", default="euclidean", help="one that emst and some of the peers take")


def open_set(case: str, options: argparse.Namespace) -> tuple[str, Any]:
    """Title and points, on their device, of NAME, NAME:N or a .npy file."""
    name, _, own = case.partition(":")
    n = min((int(given) for given in (own, options.n) if given), default=None)
    title = name if n is None else f"{name} {n}"
    if name == UNIFORM:
        if options.device == "cpu" or n is None:
            raise SystemExit(f"{UNIFORM} is generated on the GPU: use --device cuda and {UNIFORM}:N")
        return title, uniform_on_device(n, 3)
    x = np.load(name)[:n] if name.endswith(".npy") else SETS[name](n)
    x = np.ascontiguousarray(x, options.dtype or x.dtype)
    return title if options.metric == "euclidean" else f"{title}, {options.metric}", on_device(options.device, x)


def on_device(device: str, x: np.ndarray) -> Any:
    """Points on the CPU or on the GPU."""
    if device == "cpu":
        return x
    import cupy

    return cupy.asarray(x)


def facts_of(title: str, points: Any, k: int) -> dict[str, Any]:
    """The columns that describe points and k."""
    n, d = points.shape
    return {"set": title, "n": n, "d": d, "dtype": str(points.dtype), "k": k}


def measure(
    title: str, facts: dict[str, Any], calls: dict[str, Call], runs: dict[str, int], options: argparse.Namespace
) -> list[dict[str, Any]]:
    """A record of each call: the `facts` of the set, the times of all its runs, and the figures of its result."""
    found = shuffled(title, calls, runs, options)
    return [facts | {"contestant": name} | found[name] for name in calls]


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
