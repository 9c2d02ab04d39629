"""From which dimension on products of all pairs are faster than the hierarchy on the GPU: both, and what is chosen.

    python benchmarks crossing --device cuda --n 50000 --d 12 16 24 32

`WORTH` and `BRUTE_FROM` of emst/cuda/points/engine.py come from here. (What the CPU does: see
emst/cpu/points/engine.py.)
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from contestants import ours
from race import common_options, facts_of, measure, on_device
from report import TREES, Record, table, write

from datasets.synthetic import blobs, uniform

KINDS = {
    "uniform": lambda n, d: uniform(n, d, 0),
    "blobs": lambda n, d: blobs(n, d, 0),
    "8 intrinsic": lambda n, d: intrinsic(n, d),
}


def intrinsic(n: int, d: int) -> np.ndarray:
    """Points that fill 8 of d dimensions, with a little noise in all."""
    g = np.random.default_rng(0)
    return g.standard_normal((n, 8)) @ g.standard_normal((8, d)) + 0.01 * g.standard_normal((n, d))


def arguments(top: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    common_options(top)
    top.add_argument("--n", type=int, nargs="+", default=[50_000, 300_000])
    top.add_argument("--d", type=int, nargs="+", default=[12, 16, 24, 32])
    top.add_argument("--k", type=int, nargs="+", default=[1, 16], help="min_samples, counting the point itself")
    top.set_defaults(device="cuda", runs=3)
    return top.parse_args(given)


def tree(way: tuple[float, int, int], points: Any, k: int) -> Any:
    """The tree with these values of `WORTH`, `LOOK_FROM` and `BRUTE_FROM`."""
    from emst.cuda.points import engine

    engine.WORTH, engine.LOOK_FROM, engine.BRUTE_FROM = way
    return ours("cuda")["emst"].build(points, k)


def contests(options: argparse.Namespace) -> Iterator[list[Record]]:
    """The records of every kind, size and k; the totals of the ways must be equal."""
    from emst.cuda.points import engine

    ways = {
        "hierarchy": (np.inf, 1, 10**9),
        "products": (-np.inf, 1, 10**9),
        "chosen": (engine.WORTH, engine.LOOK_FROM, engine.BRUTE_FROM),
    }
    for kind, n, d, k in [(kind, n, d, k) for kind in KINDS for n in options.n for d in options.d for k in options.k]:
        points = on_device("cuda", KINDS[kind](n, d).astype(np.float32))
        calls = {name: (partial(tree, way, points, k), ours("cuda")["emst"].figures) for name, way in ways.items()}
        for call, _ in calls.values():
            call()  # compiles
        records = measure(kind, facts_of(kind, points, k), calls, dict.fromkeys(calls, options.runs), options)
        if len({record["checksum"] for record in records}) > 1:
            raise AssertionError(f"{kind}, {n} x {d}, k = {k}: the edges differ")
        yield records


def run(options: argparse.Namespace) -> None:
    write(table(TREES, contests(options)), TREES, options)
