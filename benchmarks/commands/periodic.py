"""Time trees in a periodic box beside trees in an open one, and SciPy's pairs within a linking length.

    python benchmarks periodic --device cpu --n 1000000 --d 2 3 --markdown periodic.md
    python benchmarks periodic --device cuda --n 10000000 --d 3

Points are uniform in a box of side 1. On the CPU, SciPy's `cKDTree(boxsize=1).query_pairs` and the tree with `cut` also
find the friends of friends of --pairs points, within 0.2 and 1 times their mean spacing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from race import common_options, facts_of, measure, on_device
from report import RACE, Column, Record, median_of, table, write

BOX = {"metric_params": {"period": 1.0}}
COLUMNS: list[Column] = [
    *RACE,
    ("times the first", lambda record: f"{record['ratio']:.3g}"),
    ("total weight or groups", lambda record: f"{record['figure']:.10g}"),
]


def arguments(top: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    common_options(top)
    top.add_argument("--n", type=int, default=1_000_000)
    top.add_argument("--d", type=int, nargs="+", default=[3])
    top.add_argument("--k", type=int, nargs="+", default=[1, 5], help="min_samples, counting the point itself")
    top.add_argument("--dtype", choices=["float32", "float64"], default="float64")
    top.add_argument("--pairs", type=int, default=200_000, help="points whose friends of friends are found")
    return top.parse_args(given)


def tree(points: Any, k: int, options: dict[str, Any]) -> Any:
    from emst import minimum_spanning_tree

    return minimum_spanning_tree(points, min_samples=k, **options)


def friends(x: np.ndarray, length: float) -> int:
    """The number of groups by the tree."""
    return int(tree(x, 1, BOX).cut(length).max()) + 1


def scipys_friends(x: np.ndarray, length: float) -> int:
    """The number of groups by SciPy: all pairs within the length, and the components of their graph."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    u, v = cKDTree(x, boxsize=1.0).query_pairs(length, output_type="ndarray").T
    graph = csr_array((np.ones(len(u), np.int8), (u, v)), shape=(len(x), len(x)))
    return int(connected_components(graph, directed=False)[0])


def figures(figure: float) -> dict[str, Any]:
    return {"figure": figure, "checksum": repr(figure)}


def compared(title: str, facts: dict[str, Any], calls: dict[str, Any], options: argparse.Namespace) -> list[Record]:
    """The records of some calls, after each has been called once, with times relative to the first."""
    for call, _ in calls.values():
        call()  # compiles
    records = measure(title, facts, calls, dict.fromkeys(calls, options.runs), options)
    for record in records:
        record["ratio"] = median_of(record) / median_of(records[0])
    return records


def contests(options: argparse.Namespace) -> Iterator[list[Record]]:
    g = np.random.default_rng(0)
    for d in options.d:
        points = on_device(options.device, g.random((options.n, d)).astype(options.dtype))
        for k in options.k:
            calls = {
                name: (partial(tree, points, k, given), lambda found: figures(found.total_weight))
                for name, given in {"open box": {}, "periodic box": BOX}.items()
            }
            yield compared("uniform", facts_of("uniform", points, k), calls, options)
    if options.device == "cpu" and options.pairs:
        x = g.random((options.pairs, 3))
        for share in (0.2, 1.0):
            length, title = share * len(x) ** (-1 / 3), f"friends within {share:g} spacings"
            calls = {
                name: (partial(call, x, length), figures)
                for name, call in {"emst": friends, "SciPy": scipys_friends}.items()
            }
            records = compared(title, facts_of(title, x, 1), calls, options)
            if records[0]["figure"] != records[1]["figure"]:
                raise AssertionError(f"{title}: the groups differ")
            yield records


def run(options: argparse.Namespace) -> None:
    write(table(COLUMNS, contests(options)), COLUMNS, options)
