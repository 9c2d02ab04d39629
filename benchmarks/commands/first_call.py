"""Time the first call in a new process, import included: with an empty numba cache, and with a filled one.

    python benchmarks first-call --n 1000 --runs 3

A process imports emst and builds one tree, or one clustering, of uniform points on the CPU. It is timed from its start
to its end. For "empty cache" each process gets an empty NUMBA_CACHE_DIR; for "filled cache" the processes share one
that an earlier process has filled.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from typing import Any

from race import common_options, measure
from report import RACE, Record, table, write

HERE = pathlib.Path(__file__).resolve().parents[1]
CODE = """
import numpy as np
from contestants import ours
x = np.random.default_rng(0).random(({n}, {d})).astype("{dtype}")
contestant = ours("cpu")["{contestant}"]
print(contestant.figures(contestant.build(x, {k}))["checksum"])
"""
CASES = [  # contestant, d, dtype, k
    ("emst", 2, "float64", 1),
    ("emst", 3, "float64", 1),
    ("emst", 3, "float32", 1),
    ("emst", 3, "float64", 6),
    ("emst", 8, "float64", 1),
    ("HDBSCANGPU", 2, "float64", 6),
    ("HDBSCANGPU", 3, "float64", 6),
    ("HDBSCANGPU", 3, "float32", 6),
]
COLUMNS = [*RACE, ("edges or labels", lambda record: record["checksum"])]


def arguments(top: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    common_options(top)
    top.add_argument("--n", type=int, default=1000)
    top.add_argument("--cases", type=int, nargs="+", default=list(range(len(CASES))), help="numbers of rows of CASES")
    return top.parse_args(given)


def process(code: str, cache: str) -> str:
    """What a process with this numba cache prints; in an empty text, a cache of its own."""
    with tempfile.TemporaryDirectory() as own:
        path = f"{HERE}{os.pathsep}{HERE.parent}"
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache or own, "PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True, check=True
        )
    return done.stdout.strip()


def contests(options: argparse.Namespace) -> Iterator[list[Record]]:
    """The records of every case."""
    for number in options.cases:
        contestant, d, dtype, k = CASES[number]
        facts: dict[str, Any] = {"set": "uniform", "n": options.n, "d": d, "dtype": dtype, "k": k}
        code = CODE.format(contestant=contestant, **facts)
        with tempfile.TemporaryDirectory() as cache:
            process(code, cache)
            calls = {
                f"{contestant}, {name} cache": (partial(process, code, folder), lambda found: {"checksum": found})
                for name, folder in (("empty", ""), ("filled", cache))
            }
            title = f"{contestant} {d} {dtype} {k}"
            yield measure(title, facts, calls, dict.fromkeys(calls, options.runs), options)


def run(options: argparse.Namespace) -> None:
    write(table(COLUMNS, contests(options)), COLUMNS, options)
