"""The graphs that the commands time, by name: generated once and kept in a scratch folder for all of them.

    python benchmarks/graph_sets.py --scratch FOLDER --workers 16 rmat22 ws:1000000:6   # generate beforehand

A name is one of `datasets.graphs.SETS`; or KIND:N... of the table `KINDS` below; or a road network of the 9th DIMACS
challenge (USA-road-d.NY), read from a folder to which `python -m datasets fetch` downloads it. Every graph is a
symmetric CSR matrix with int32 weights and ascending column indices in each row, without loops and parallel edges.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import math
import os
import pathlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from datasets import graphs
from emst.io.dimacs import read_arcs

Csr = tuple[np.ndarray, np.ndarray, np.ndarray]
PARTS = ("indptr", "indices", "weights")
SETS = ["USA-road-d.NY", "grid1024", "grid4096", "rmat22", "gnm22", "gnm1M"]  # that the commands time
QUICK = ["grid:40", "rmat:11:16", "er:2000:8"]
TINY = "grid:8"  # compiles and starts threads


def _ssca2(scale: int, degree: int) -> Csr:
    """On average a vertex has two links, and (2 largest - 2) / 3 other members in its clique."""
    return graphs.ssca2(scale, largest=1 + max(degree - 2, 0) * 3 // 2)


def _row(n: int) -> Csr:
    drawn = np.random.default_rng(0).integers(0, n, (2, 3 * n))
    u, v = np.concatenate([drawn, [np.zeros(n, np.int64), np.arange(n)]], axis=1)
    return graphs.from_pairs(n, u, v, "integers")


# Degrees are averages. Weights are integers from 1 to 1000 as in Vineet et al., unless a comment says otherwise.
KINDS = {
    "grid": graphs.grid2d,  # side; ECL-MST's weights
    "road": lambda n: graphs.road(math.isqrt(n)),
    "rmat": lambda scale, degree: graphs.rmat(scale, degree << scale >> 1, 0.45, 0.15, 0.15, weights="integers"),
    "er": lambda n, degree: graphs.gnm(n, n * degree // 2, weights="integers"),
    "ws": lambda n, degree: graphs.watts_strogatz(n, degree, 0.1, weights="integers"),
    "ssca2": _ssca2,
    "path": graphs.path,  # all weights 1
    "star": graphs.star,
    "equal": lambda n: graphs.gnm(n, 4 * n, weights="equal"),
    "row": _row,  # a random graph of degree 6 in which vertex 0 is joined to all others
    "isolated": lambda n: graphs.from_pairs(n, np.zeros(0, np.int64), np.zeros(0, np.int64)),
}


def graph_options(top: argparse.ArgumentParser) -> None:
    """The options of the commands that time graphs."""
    top.add_argument("--data", type=pathlib.Path, metavar="FOLDER", help="folder of road networks")
    top.add_argument("--scratch", type=pathlib.Path, metavar="FOLDER", help="keeps generated graphs for later runs")
    top.add_argument("--quick", action="store_true", help="tiny graphs")


@dataclass(frozen=True)
class Graph:
    """A symmetric graph as a CSR matrix, on the host."""

    name: str
    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray

    @property
    def n(self) -> int:
        return len(self.indptr) - 1

    @property
    def entries(self) -> int:
        """Number of stored entries: every edge counts twice."""
        return len(self.indices)

    def weighing(self, dtype: Any) -> Graph:
        """The same graph with weights of another type, which must hold these integers exactly."""
        weights = self.weights.astype(dtype)
        if not np.array_equal(weights, self.weights):
            raise ValueError(f"{dtype} does not hold the weights of {self.name}")
        return replace(self, weights=weights)

    def edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Both ends and the weight of every edge, each edge once."""
        rows = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.indptr))
        once = rows < self.indices
        return rows[once], self.indices[once], self.weights[once]

    def on(self, device: str) -> tuple[Any, Any, Any]:
        """The three arrays on a device."""
        arrays = self.indptr, self.indices, self.weights
        if device == "cpu":
            return arrays
        import cupy

        return tuple(cupy.asarray(array) for array in arrays)


class Missing(Exception):
    """A road network is not in the folder of road networks."""


def check_graph(name: str, scratch: pathlib.Path, data: pathlib.Path | None) -> Graph:
    """The graph of this name; from the scratch folder if it was generated before."""
    files = [scratch / f"{name.replace(':', '-')}.{part}.npy" for part in PARTS]
    if not files[-1].exists():
        scratch.mkdir(parents=True, exist_ok=True)
        for file, array in zip(files, _made(name, data)):  # if the last file exists, all are complete
            half = file.with_suffix(f".{os.getpid()}.npy")
            np.save(half, array)
            half.replace(file)
    return Graph(name, *(np.load(file) for file in files))


def make_all(names: Iterable[str], scratch: pathlib.Path, data: pathlib.Path | None, workers: int) -> None:
    """Generate the graphs that are missing, each in its own process."""
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        for name, missing in zip(names, pool.map(functools.partial(_make, scratch=scratch, data=data), names)):
            if missing:
                print(f"{name}: {missing}", file=sys.stderr)


def _make(name: str, scratch: pathlib.Path, data: pathlib.Path | None) -> str:
    try:
        check_graph(name, scratch, data)
    except Missing as missing:
        return str(missing)
    return ""


def _made(name: str, data: pathlib.Path | None) -> Csr:
    if name.startswith("USA-road-d."):
        return _road(name, data)
    kind, *numbers = name.split(":")
    indptr, indices, weights = graphs.SETS[name]() if name in graphs.SETS else KINDS[kind](*map(int, numbers))
    return indptr.astype(np.int32), indices, weights


def _road(name: str, data: pathlib.Path | None) -> Csr:
    """A road network: .gr, .gr.gz, or .npz with n, src, dst, weight. Of parallel arcs the lightest is kept."""
    files = [data / f"{name}{ending}" for ending in (".gr", ".gr.gz", ".npz")] if data else []
    file = next((file for file in files if file.exists()), None)
    if file is None:
        raise Missing(f"{name} is not in {data}" if data else f"{name}: no folder of road networks (--data)")
    if file.suffix == ".npz":
        with np.load(file) as columns:
            return _symmetric(int(columns["n"]), columns["src"], columns["dst"], columns["weight"])
    return _symmetric(*read_arcs(file))


def _symmetric(n: int, u: np.ndarray, v: np.ndarray, weights: np.ndarray) -> Csr:
    proper = u != v
    u, v, weights = u[proper].astype(np.int64), v[proper].astype(np.int64), weights[proper]
    code = np.minimum(u, v) * n + np.maximum(u, v)
    order = np.lexsort((weights, code))
    code, first = np.unique(code[order], return_index=True)
    u, v, weights = code // n, code % n, weights[order][first].astype(np.int32)
    rows, columns, weights = np.concatenate([u, v]), np.concatenate([v, u]), np.concatenate([weights, weights])
    order = np.argsort(rows * n + columns)
    indptr = np.searchsorted(rows[order], np.arange(n + 1))
    return indptr.astype(np.int32), columns[order].astype(np.int32), weights[order]


if __name__ == "__main__":
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("names", nargs="+")
    top.add_argument("--scratch", type=pathlib.Path, required=True)
    top.add_argument("--data", type=pathlib.Path)
    top.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    options = top.parse_args()
    make_all(options.names, options.scratch, options.data, options.workers)
