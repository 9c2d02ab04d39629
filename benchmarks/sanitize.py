"""Every kernel once or more on small sets, for compute-sanitizer: trees, clusterings, predictions and forests.

    compute-sanitizer --tool initcheck python benchmarks/sanitize.py --parts few-2-float32-lattice forests-int32
    benchmarks/sanitize.sh FOLDER                              # all parts, each under all four tools

On the GPU memory comes from CUDA itself, not from CuPy's pool: every array has bounds of its own, and what an earlier
stage has left in memory does not count as initialised.
"""

from __future__ import annotations

import argparse
import importlib
import pathlib
import sys
from itertools import product

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import emst
from emst.graph.msf import ALGORITHMS

SETS = {
    "uniform": lambda g, n, d: g.normal(size=(n, d)),
    "lattice": lambda g, n, d: g.integers(0, 6, (n, d)),
    "duplicates": lambda g, n, d: g.normal(size=(n // 10 + 1, d))[g.integers(0, n // 10 + 1, n)],
}
METRICS = {"manhattan": {}, "chebyshev": {}, "minkowski": {"p": 3}}

FLOATS, NUMBERS = ("float32", "float64"), ("int32", "int64", "float32", "float64")
WAYS = ("few", "many", "loop")
ORDER = {"many": 1, "weights": 1, "boxes": 1, "partitions": 2, "loop": 3}  # of the parts, after the others
PARTS = [  # way, dimensions, dtype, set; no number of points fills its last leaf
    *map("-".join, product(WAYS[:2], ("2", "3", "5", "40"), FLOATS, SETS)),
    *map("-".join, product(WAYS[2:], ("2", "3"), FLOATS, SETS)),
    *map("-".join, product(WAYS[:2], ("3",), FLOATS, ("tiles",))),
    "loop-2-float32-far",
    "loop-3-float32-repeated",
    *map("-".join, product(("partitions", "weights", "boxes"), ("3",), FLOATS, SETS)),
    *map("-".join, product(("forests",), NUMBERS)),
]
# Blocks look back only where there are several tiles of 4096 points.
SETS["tiles"] = lambda g, n, d: g.normal(size=(20 * n, d))
# A point far out has almost the same distance to many leaves. They are too many for a list of leaves.
SETS["far"] = lambda g, n, d: g.lognormal(0, 9, (60 * n, d))
# Few points are equal to another one, so the first round is kept, and they wait in it.
SETS["repeated"] = lambda g, n, d: g.normal(size=(n, d))[np.minimum(np.arange(n), n - 1 - n // 20)]


def trees(x: np.ndarray, device: str) -> None:
    for k in (1, 6, 40):
        emst.minimum_spanning_tree(x, min_samples=k, device=device)


def clusterings(x: np.ndarray, device: str) -> None:
    model = emst.HDBSCANGPU(min_cluster_size=8, prediction_data=True, device=device).fit(x)
    emst.approximate_predict(model, x[:50] + x.dtype.type(0.1))
    emst.membership_vector(model, x[:50])
    emst.HDBSCANGPU(8, cluster_selection_method="leaf", cluster_selection_persistence=0.05, device=device).fit(x)
    emst.HDBSCANGPU(8, cluster_selection_epsilon=0.3, allow_single_cluster=True, device=device).fit(x)
    emst.validity_index(x, np.arange(len(x)) % 3, device=device)


def weights(x: np.ndarray, device: str) -> None:
    """Weights, whole and fractions, in the way for few points and in that for many; labels and pairs that are known."""
    g = np.random.default_rng(len(x))
    for few in (True, False):
        if not few and device == "cuda":
            no_points_are_few()
        for weight in (g.integers(0, 30, len(x)), g.uniform(0.1, 10, len(x))):
            model = emst.HDBSCANGPU(8, 12, prediction_data=True, device=device).fit(x, sample_weight=weight)
            emst.approximate_predict(model, x[:50] + x.dtype.type(0.1))
        pairs = g.integers(0, len(x) // 2, (20, 2)) + [0, len(x) // 2]
        model = emst.HDBSCANGPU(3, device=device).fit(x)
        model.recluster(y=np.arange(len(x)) % 7 - 1 if few else None, must_link=pairs[:10], cannot_link=pairs[10:])


def boxes(x: np.ndarray, device: str) -> None:
    """Periodic boxes, in the way for few points and in that for many."""
    params = {"period": [4.0, 0.0, 2.5]}
    for few in (True, False):
        if not few and device == "cuda":
            no_points_are_few()
        for k in (1, 6, 40):
            emst.minimum_spanning_tree(x, min_samples=k, metric_params=params, device=device)
        model = emst.HDBSCANGPU(8, metric_params=params, prediction_data=True, device=device).fit(x)
        emst.approximate_predict(model, x[:50] + x.dtype.type(0.1))
        emst.HDBSCANGPU(8, metric="manhattan", metric_params=params, device=device).fit(x)


def distances(x: np.ndarray, device: str) -> None:
    """Other metrics, and a matrix."""
    for metric, params in METRICS.items():
        emst.HDBSCANGPU(8, metric=metric, metric_params=params, device=device).fit(x)
    matrix = np.abs(x[:, None, 0] - x[:, 0])
    emst.HDBSCANGPU(8, metric="precomputed", device=device).fit(matrix)


def forests(n: int, dtype: str, device: str) -> None:
    """Many components and ties; every algorithm."""
    g = np.random.default_rng(n)
    for m in (n // 2, 6 * n):
        u, v, weight = g.integers(0, n, m), g.integers(0, n, m), g.integers(0, 9, m).astype(dtype)
        order = np.lexsort((v, u))
        indptr = np.searchsorted(u[order], np.arange(n + 1))
        for algorithm in ALGORITHMS:
            graph = (indptr, v[order].astype(np.int32), weight[order])
            emst.graph_msf(graph, algorithm=algorithm, symmetric="min", return_labels=True, device=device)


def partitions(x: np.ndarray) -> None:
    """Two partitions on one GPU, as `device_ids` makes them on two."""
    from emst.gpus import inputs, memory

    memory.WORTH, inputs.checked_gpus = 2, lambda device_ids, device: [0, 0]
    for k in (1, 6):
        emst.HDBSCANGPU(8, min_samples=k, device_ids=[0, 1]).fit(x)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda", choices=("cpu", "cuda"))
    parser.add_argument("--n", type=int, default=701, help="points of a set, and vertices of a graph")
    help = "points in the ways for few and for many of them, round by round, graphs, and partitions (GPU); default: all"
    parser.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS, metavar="PART", help=help)
    parser.add_argument("--list", action="store_true", help="print the names of the parts")
    options = parser.parse_args()
    if options.list:
        print(*PARTS)
        return
    if options.device == "cuda":
        import cupy

        cupy.cuda.set_allocator(None)
        importlib.import_module("emst.cuda.runtime.memory").CLEARED = 0  # zeros, too, have memory of their own
    # After these, no points are few any more; after partitions no rounds are taken at once, and after "loop" no passes
    # of a sort.
    for part in sorted(options.parts, key=lambda part: ORDER.get(part.partition("-")[0], 0)):
        print(part, flush=True)
        run(part, options.n, options.device)


def run(part: str, n: int, device: str) -> None:
    """One part."""
    way, *kind = part.split("-")
    if way == "forests":
        forests(n, kind[0], device)
        return
    d, dtype, name = kind
    several = 10 if way == "partitions" else 1
    x = SETS[name](np.random.default_rng(int(d)), several * n, int(d)).astype(dtype)
    if way == "partitions":
        if device == "cuda":
            no_points_are_few()
            no_rounds_at_once()
            partitions(x)
        return
    if way in ("weights", "boxes"):
        (weights if way == "weights" else boxes)(x, device)
        return
    if way in ("many", "loop"):
        no_points_are_few()
    if way == "loop":
        no_rounds_at_once()
        search = importlib.import_module("emst.cuda.points.search")
        search.BLOCKS_AN_SM, search.multiprocessors = 1, lambda: 1  # few warps: enough points for lists of leaves
        importlib.import_module("emst.cuda.runtime.sort").SORT_RESIDENT = 0  # every pass is a launch
        importlib.import_module("emst.cuda.runtime.gather").FAR = 0  # all values are put in two passes
    trees(x, device)
    clusterings(x, device)
    if d == "3" and name != "tiles":
        distances(x, device)


def no_points_are_few() -> None:
    """On the GPU, few points, keys and clusters go ways of their own: from here on they do not."""
    importlib.import_module("emst.cuda.points.bvh").FEW_POINTS = 0
    for module in ("runtime.sort", "hierarchy.chains", "hierarchy.condensed", "hierarchy.selection"):
        importlib.import_module(f"emst.cuda.{module}").FEW = 0


def no_rounds_at_once() -> None:
    """As for more than 524,288 points, whose first round is kept for the dendrogram."""
    rounds = importlib.import_module("emst.cuda.points.rounds")
    rounds.ALL_UP_TO = rounds.MOST_POINTS = 0


if __name__ == "__main__":
    main()
