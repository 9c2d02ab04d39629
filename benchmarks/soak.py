"""Random small and middle sets of every kind, with random options, against the slow references of the tests and, where
there is a GPU, on both backends. Every bit must be the same, and every error.

python benchmarks/soak.py 240 --jobs 12                # for 240 seconds
python benchmarks/soak.py 60 --kind graph labels       # only these kinds
python benchmarks/soak.py --seed 4711                  # one case again: what it is, and what differs
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import importlib.util
import multiprocessing
import os
import pathlib
import queue
import secrets
import signal
import sys
import time
import warnings
from collections import Counter
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = [str(ROOT), str(ROOT / "tests" / "references"), str(ROOT / "benchmarks")]
KINDS = {  # where its class is, and the share of the cases
    "points": ("soak_points", "Trees", 0.187),
    "boxes": ("soak_points", "Boxes", 0.05),
    "labels": ("soak_points", "Labels", 0.19),
    "constraints": ("soak_constraints", "Constraints", 0.05),
    "weights": ("soak_weights", "Weights", 0.05),
    "prediction": ("soak_points", "Predictions", 0.11),
    "branches": ("soak_points", "Branches", 0.03),
    "distances": ("soak_distances", "Distances", 0.08),
    "graph": ("soak_graphs", "Graphs", 0.2),
    "gpus": ("soak_gpus", "OverGPUs", 0.05),
    "dask": ("soak_dask", "over_workers", 0.003),
}
PROGRESS = 10.0  # seconds from one line to the next
STUCK = 120.0  # seconds after the end at which a case counts as one that never ends
SHOWN = 20  # cases that differ


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float, nargs="?", default=60.0)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--begin", type=int, help="the first seed; a random one by default")
    parser.add_argument("--seed", type=int, help="only this case")
    options = parser.parse_args()
    sys.path[:0] = FOLDERS
    if options.seed is not None:
        raise SystemExit(1 if repeat(options.seed) else 0)
    begin = secrets.randbelow(2**40) if options.begin is None else options.begin
    kinds = available(options.kind)
    threads = max(1, (os.cpu_count() or 1) // options.jobs)
    os.environ.setdefault("NUMBA_NUM_THREADS", str(threads))
    print(f"{options.seconds:g} s, {options.jobs} processes, seeds from {begin}", flush=True)
    table = Table()
    with contextlib.suppress(KeyboardInterrupt):
        soak(options.seconds, options.jobs, begin, kinds, table)
    table.show()
    raise SystemExit(1 if table.differing else 0)


def available(kinds: list[str]) -> list[str]:
    """The kinds that can run here; a line says why one cannot."""
    missing = [name for name in ("dask", "distributed") if importlib.util.find_spec(name) is None]
    if "dask" in kinds and missing:
        print(f"without the kind dask: {' and '.join(missing)} not installed")
        return [kind for kind in kinds if kind != "dask"]
    return kinds


# One case. Its seed says everything about it.


def case_of(seed: int, kinds: list[str] | None = None) -> tuple[str, Any]:
    """The kind of a seed and its case, None if the kind is not among `kinds`."""
    g = np.random.default_rng(seed)
    kind = str(g.choice(list(KINDS), p=[share for _, _, share in KINDS.values()]))
    if kinds is not None and kind not in kinds:
        return kind, None
    module, name, _ = KINDS[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind, getattr(importlib.import_module(module), name)(g)


@functools.cache
def other_devices() -> list[str]:
    from emst.inputs.devices import usable_device

    return ["cuda"] if usable_device("cuda") == "cuda" else []


def repeat(seed: int) -> list[str]:
    """Print a case and what differs."""
    from soak_cases import differences

    kind, case = case_of(seed)
    print(f"seed {seed}, {kind}: {case.what}")
    found = differences(case, other_devices())
    print("\n".join(found) or f"the same on cpu, {''.join(f'{one}, ' for one in other_devices())}and by the references")
    return found


# Many cases, in processes.


class Table:
    """What was found: cases and seconds of every kind, and the seeds that differ."""

    def __init__(self) -> None:
        self.cases: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()
        self.differing: dict[int, tuple[str, str]] = {}  # seed -> kind, the first line of what differs

    def add(self, seed: int, kind: str, seconds: float, found: list[str]) -> None:
        self.cases[kind] += 1
        self.seconds[kind] += seconds
        if found:
            self.differing[seed] = kind, found[0].strip().splitlines()[-1]
            print(f"seed {seed}, {kind}: {self.differing[seed][1]}", flush=True)

    def progress(self, seconds: float) -> None:
        """A line that says how far the cases are."""
        cases = self.cases.total()
        rate = f"{cases:,} cases, {cases / seconds:.1f} a second"
        print(f"{seconds:.0f} s, {rate}, {len(self.differing)} differ", flush=True)

    def show(self) -> None:
        """A line for each kind, and the command that repeats each case that differs."""
        differ = Counter(kind for kind, _ in self.differing.values())
        print(f"{'kind':>10} {'cases':>9} {'seconds':>9} {'differing':>9}")
        for kind in [*sorted(self.cases, key=list(KINDS).index), "all"]:
            cases, seconds, wrong = (
                table.total() if kind == "all" else table[kind] for table in (self.cases, self.seconds, differ)
            )
            print(f"{kind:>10} {cases:9,} {seconds:9,.1f} {wrong:9,}")
        for seed, (_, what) in list(self.differing.items())[:SHOWN]:
            print(f"python benchmarks/soak.py --seed {seed}  # {what}")


def soak(seconds: float, jobs: int, begin: int, kinds: list[str], table: Table) -> None:
    """Fill the table by `jobs` processes."""
    context = multiprocessing.get_context("spawn")
    results, now = context.Queue(), context.Array("q", jobs)
    seeds = [range(begin + i, 2**62, jobs) for i in range(jobs)]
    workers = [
        context.Process(target=work, args=(one, seconds, kinds, results, now, i), daemon=True)
        for i, one in enumerate(seeds)
    ]
    for worker in workers:
        worker.start()
    try:
        collect(results, workers, seconds + STUCK, table)
        for worker, seed in zip(workers, now):
            if worker.exitcode != 0:
                how = "it does not end" if worker.is_alive() else f"the process ended with code {worker.exitcode}"
                table.add(seed, case_of(seed, [])[0], 0.0, [how])
    finally:
        for worker in workers:
            worker.terminate()


def collect(results: Any, workers: list[Any], most: float, table: Table) -> None:
    """Add the results of the workers until all have ended, or for so many seconds, and show how far they are."""
    begin = shown = time.time()
    while any(worker.is_alive() for worker in workers) or not results.empty():
        with contextlib.suppress(queue.Empty):
            table.add(*results.get(timeout=0.5))
        if time.time() > shown + PROGRESS:
            shown = time.time()
            table.progress(shown - begin)
        if time.time() > begin + most:
            return


def work(seeds: range, seconds: float, kinds: list[str], results: Any, now: Any, number: int) -> None:
    """Run the cases of these seeds. `now` tells which one, should the process die."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path[:0] = FOLDERS
    from soak_cases import differences

    end = time.time() + seconds  # what is imported above takes seconds
    for seed in seeds:
        if time.time() > end:
            return
        now[number] = seed
        kind, case = case_of(seed, kinds)
        if case is not None:
            begin = time.perf_counter()
            found = differences(case, other_devices())
            results.put((seed, kind, time.perf_counter() - begin, found))


if __name__ == "__main__":
    main()
