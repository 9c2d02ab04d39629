"""Time trees, clusterings and forests on 1, 2, 4, ... threads, by stage, with a checksum that must not depend on them.

    python benchmarks scaling --quick                          # 10 minutes on 32 cores
    python benchmarks scaling --peers --markdown scaling.md --json scaling.json
    python benchmarks scaling --works tree graph --threads 1 16 --n 10000000

Every number of threads has a process of its own, which may use as many processors and not more (Linux), with
NUMBA_NUM_THREADS and OMP_NUM_THREADS. Times are the least of some runs, after one on fewer points that compiles.
"efficiency" is the time of one thread, divided by the time and the number of threads. "alone" is the time of a further
run in which one thread works and no other can help it: outside of the loops that are divided. The times of stages are
those of another run.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from alone import seconds_alone
from report import machine
from works import CLUSTERED_BY, WORKS

HERE = pathlib.Path(__file__).resolve().parents[1]
THREADS = [1, 2, 4, 8, 16, 32, 64]
OPPONENTS = {"tree": ["quitefastmst"], "labels": ["quitefastmst", "fast_hdbscan"]}
WARM_UP = 20_000  # points, or vertices
SMALL_RUNS = 300
STAGES = 12  # of each work, the longest


def measure(name: str, folder: pathlib.Path, runs: int, peers: bool) -> dict[str, Any]:
    """Times of one work in this process, whose number of threads is set."""
    from contestants import PEERS as CONTESTANTS

    work, arrays = WORKS[name], [np.load(path) for path in sorted(folder.glob(f"{name}-*.npy"))]
    small = work.make(min(WARM_UP, work.size if name != "dimensions" else WARM_UP // 10))
    warm = work.prepare(small)
    work.run(warm)
    work.stages(warm)
    prepared = work.prepare(arrays)
    seconds, results = _timed(partial(work.run, prepared), SMALL_RUNS if name == "small" else runs)
    record = {
        "seconds": seconds,
        "checksum": work.checksum(results),
        "alone": seconds_alone(partial(work.run, prepared)),
        "stages": work.stages(prepared),
        "peers": {},
    }
    k = CLUSTERED_BY if name == "labels" else 1
    for peer in OPPONENTS.get(name, []) if peers else []:
        if importlib.util.find_spec(CONTESTANTS[peer].module) is not None:
            build = CONTESTANTS[peer].build
            build(small[0], k)
            record["peers"][peer] = _timed(partial(build, arrays[0], k), 1)[0]
    return record


def _timed(call: Callable[[], Any], runs: int) -> tuple[list[float], Any]:
    seconds = []
    for _ in range(runs):
        result = None
        start = time.perf_counter()
        result = call()
        seconds.append(time.perf_counter() - start)
    return seconds, result


def in_process(threads: int, name: str, folder: pathlib.Path, options: argparse.Namespace) -> dict[str, Any]:
    """`measure` in a process that has so many threads and processors."""
    limits = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
    processors = sorted(os.sched_getaffinity(0))[:threads] if hasattr(os, "sched_getaffinity") else None
    command = [sys.executable, str(HERE), "scaling", "--one", name, str(folder), "--runs", str(options.runs)]
    done = subprocess.run(
        command + ["--peers"] * options.peers,
        env={**os.environ, **limits},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        preexec_fn=partial(os.sched_setaffinity, 0, processors) if processors else None,
    )
    return {"work": name, "threads": threads, **json.loads(done.stdout.splitlines()[-1])}


def table(records: list[dict[str, Any]], sizes: dict[str, int]) -> str:
    """A table of times for each work, and one of its stages."""
    lines = []
    for name in dict.fromkeys(record["work"] for record in records):
        own = [record for record in records if record["work"] == name]
        one_thread = min(own[0]["seconds"]) * own[0]["threads"]
        peers = list(own[0]["peers"])
        lines += [f"## {WORKS[name].title.format(sizes[name])}", ""]
        beside = [f"{peer} ms" for peer in peers]
        head = ["threads", "ms", "times as fast", "efficiency", "alone ms", *beside, "checksum"]
        lines += _rows(head, [
            [record["threads"], _ms(min(record["seconds"])), f"{one_thread / min(record['seconds']):.2f}",
             f"{one_thread / min(record['seconds']) / record['threads']:.0%}", _ms(record["alone"]),
             *(_ms(min(record["peers"][peer])) for peer in peers), record["checksum"]]
            for record in own
        ])  # fmt: skip
        longest = sorted(own[0]["stages"], key=own[0]["stages"].get, reverse=True)
        longest = sorted(longest, key=lambda stage: -max(record["stages"].get(stage, 0) for record in own))[:STAGES]
        lines += _rows(["stage, ms", *(str(record["threads"]) for record in own)], [
            [stage, *(_ms(record["stages"].get(stage, 0)) for record in own)] for stage in longest
        ])  # fmt: skip
    return "\n".join(lines)


def _rows(head: list[str], rows: list[list[Any]]) -> list[str]:
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in [head, *rows]]
    return [lines[0], "|" + "---|" * len(head), *lines[1:], ""]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.4g}" if seconds < 1 else f"{seconds * 1000:,.0f}"


def slower(records: list[dict[str, Any]]) -> list[str]:
    """What takes more than a tenth longer on more threads."""
    found = []
    for before, after in zip(records, records[1:]):
        if before["work"] == after["work"] and min(after["seconds"]) > 1.1 * min(before["seconds"]):
            found.append(f"{after['work']} is slower on {after['threads']} threads than on {before['threads']}")
    return found


def arguments(top: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    top.add_argument("--works", nargs="+", choices=WORKS, default=list(WORKS))
    top.add_argument("--threads", nargs="+", type=int, help="default: 1, 2, 4, ... up to the processors")
    top.add_argument("--n", type=int, help="points, or vertices, of the works of many")
    top.add_argument("--runs", type=int, default=5)
    top.add_argument("--quick", action="store_true", help="two runs")
    top.add_argument("--peers", action="store_true", help="also time the peers that are installed, once")
    top.add_argument("--json", type=pathlib.Path, metavar="FILE")
    top.add_argument("--markdown", type=pathlib.Path, metavar="FILE")
    top.add_argument("--one", nargs=2, metavar=("WORK", "FOLDER"), help=argparse.SUPPRESS)
    options = top.parse_args(given)
    options.runs = 2 if options.quick else options.runs
    return options


def run(options: argparse.Namespace) -> None:
    if options.one:
        print(json.dumps(measure(options.one[0], pathlib.Path(options.one[1]), options.runs, options.peers)))
        return
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = options.threads or [count for count in THREADS if count <= processors]
    sizes = {name: options.n if options.n and WORKS[name].sized else WORKS[name].size for name in options.works}
    records = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.works:
            for i, array in enumerate(WORKS[name].make(sizes[name])):
                np.save(pathlib.Path(folder) / f"{name}-{i}.npy", array)
            for count in threads:
                records.append(in_process(count, name, pathlib.Path(folder), options))
                print(f"{name}, {count} threads: {_ms(min(records[-1]['seconds']))} ms", file=sys.stderr, flush=True)
    text = "\n".join([machine("cpu"), "", table(records, sizes)])
    print(text)
    if options.markdown:
        options.markdown.write_text(text + "\n")
    if options.json:
        options.json.write_text(json.dumps(records, indent=1) + "\n")
    faults = slower(records)
    for name in sizes:
        if len({record["checksum"] for record in records if record["work"] == name}) > 1:
            faults.append(f"{name} gives different results on different numbers of threads")
    if faults:
        sys.exit("\n".join(faults))
