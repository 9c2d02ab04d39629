"""Every kernel once or more on small sets, for compute-sanitizer: trees, clusterings, predictions and forests.

    compute-sanitizer --tool initcheck python benchmarks/sanitize.py

On the GPU memory comes from CUDA itself, not from CuPy's pool: every array has bounds of its own, and what an earlier
stage has left in memory does not count as initialised.
"""

from __future__ import annotations

import argparse
import importlib
import pathlib
import sys
from collections.abc import Iterator
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


def points(n: int) -> Iterator[tuple[str, np.ndarray]]:
    """Sets of points of all kinds, numbers of dimensions and widths; no number of points fills its last leaf."""
    for (name, make), d, dtype in product(SETS.items(), (2, 3, 5, 40), (np.float32, np.float64)):
        yield f"{name}, {d} dimensions, {dtype.__name__}", make(np.random.default_rng(d), n, d).astype(dtype)
    # blocks look back only where there are several tiles of 4096
    yield "uniform, many", np.random.default_rng(0).normal(size=(20 * n, 3))


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


def distances(x: np.ndarray, device: str) -> None:
    """Other metrics, and a matrix."""
    for metric, params in METRICS.items():
        emst.HDBSCANGPU(8, metric=metric, metric_params=params, device=device).fit(x)
    matrix = np.abs(x[:, None, 0] - x[:, 0])
    emst.HDBSCANGPU(8, metric="precomputed", device=device).fit(matrix)


def forests(n: int, device: str) -> None:
    """Many components and ties; every algorithm."""
    g = np.random.default_rng(n)
    for m, dtype in product((n // 2, 6 * n), (np.int32, np.int64, np.float32, np.float64)):
        u, v, weight = g.integers(0, n, m), g.integers(0, n, m), g.integers(0, 9, m).astype(dtype)
        order = np.lexsort((v, u))
        indptr = np.searchsorted(u[order], np.arange(n + 1))
        for algorithm in ALGORITHMS:
            graph = (indptr, v[order].astype(np.int32), weight[order])
            emst.graph_msf(graph, algorithm=algorithm, symmetric="min", return_labels=True, device=device)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda", choices=("cpu", "cuda"))
    parser.add_argument("--n", type=int, default=701, help="points of a set, and vertices of a graph")
    parser.add_argument("--parts", nargs="+", default=["few", "many", "forests"], choices=["few", "many", "forests"],
                        help="points in the way for few of them, in the way for many, and graphs")  # fmt: skip
    options = parser.parse_args()
    if options.device == "cuda":
        import cupy

        cupy.cuda.set_allocator(None)
    if "few" in options.parts:
        every_set(options.n, options.device)
    if "many" in options.parts:
        no_points_are_few()
        every_set(options.n, options.device)
    if "forests" in options.parts:
        print("forests", flush=True)
        forests(options.n, options.device)


def every_set(n: int, device: str) -> None:
    for name, x in points(n):
        print(name, flush=True)
        trees(x, device)
        clusterings(x, device)
        if x.shape[1] == 3 and len(x) == n:
            distances(x, device)


def no_points_are_few() -> None:
    """On the GPU, few points, keys and clusters go ways of their own: from here on they do not."""
    for module in ("points.bvh", "runtime.sort", "hierarchy.linkage", "hierarchy.selection"):
        importlib.import_module(f"emst.cuda.{module}").FEW = 0


if __name__ == "__main__":
    main()
