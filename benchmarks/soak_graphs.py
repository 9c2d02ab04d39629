"""Random graphs for `soak.py`, in every form, by every algorithm, against Kruskal's algorithm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest import mock

import graph_reference as known
import numpy as np
import scipy.sparse as sp
from soak_cases import Case, at_home, same

from emst import MinimumSpanningForest, graph_msf
from emst.graph import memory
from emst.graph.msf import ALGORITHMS
from emst.inputs.devices import to_host

SHAPES = ("random", "parallel", "sparse", "path", "star", "grid", "complete", "few vertices", "no edges")
FORMS = ("csr", "csc", "coo", "tuple", "object", "unsorted", "one way", "both ways", "upper", "edge list", "dense")
MERGED = ("one way", "edge list")  # parallel edges may be stored in either direction, which "check" refuses
WEIGHTS = ("i4", "i8", "f4", "f8", "i2", "u1", "u4", ">f8")
FEW = 200  # vertices, up to which growing subtrees is fast in plain Python


class Graphs(Case):
    """`graph_msf`: parallel edges, loops, ties, extreme weights, isolated vertices, several components."""

    def __init__(self, g: np.random.Generator) -> None:
        shape, self.form, dtype = str(g.choice(SHAPES)), str(g.choice(FORMS)), str(g.choice(WEIGHTS))
        self.n, rows, columns = random_graph(shape, g)
        if self.form == "dense" and self.n > FEW:
            self.form = "csr"
        kind = str(g.choice(known.KINDS)) if dtype in ("i4", "i8", "f4", "f8") else "ties"
        weights = known.weights_for(len(rows), dtype if kind == "special" else "i4", kind, g.integers(2**32))
        weights = (weights if dtype[-2] != "u" else np.abs(weights)).astype(dtype)
        self.policy = "min" if self.form in MERGED or g.random() < 0.3 else "check"
        if g.random() < 0.04 and dtype[-2] == "f" and self.form != "both ways" and len(weights):
            weights[g.integers(len(weights))] = np.nan
        self.entries = stored(self.form, self.n, rows, columns, weights, g)
        if (self.entries[2] != self.entries[2]).any():
            self.fault = "NaN"
        if self.form == "both ways" and self.policy == "check" and directions_differ(*self.entries[:3]):
            self.fault = "symmetric='min' takes the lighter one"
        self.index = str(g.choice(["i4", "i8", "u4"]))
        self.options = random_options(g)
        self.streamed = self.fault is None and g.random() < 0.15
        self.share, self.many = g.random(), bool(g.random() < 0.3)
        self.staged = self.options["algorithm"] != "partial-prim" or self.n <= FEW
        self.what = f"{shape}, {self.n} vertices, {len(self.entries[0])} entries, {self.form}, {kind} {dtype}, "
        self.what += f"{self.options}, {self.policy}, indices {self.index}, {'streamed' if self.streamed else 'whole'}"

    def fit(self, device: str) -> MinimumSpanningForest:
        graph, options = self.graph(), {"device": device, "symmetric": self.policy, "return_labels": True}
        options |= self.options | ({"n_vertices": self.n} if self.form == "edge list" else {})
        if not self.streamed:
            return graph_msf(*graph, **options)
        with mock.patch.object(memory, "LEAST_BLOCK", 1):
            return graph_msf(*graph, max_device_bytes=bytes_for(graph, options, self.share), **options)

    def graph(self) -> tuple[Any, ...]:
        """The arguments of `graph_msf` that are the graph."""
        rows, columns, weights, _ = self.entries
        if self.form == "edge list":
            return rows.astype(self.index), columns.astype(self.index), weights
        if self.form == "dense":
            dense = np.zeros((self.n, self.n), weights.dtype)
            dense[rows, columns] = weights
            return (dense,)
        if self.form in ("coo", "one way", "both ways"):
            return (SimpleNamespace(format="coo", row=rows, col=columns, data=weights, shape=(self.n, self.n)),)
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=self.n))])
        indptr, columns = indptr.astype(self.index), columns.astype(self.index)
        if self.form in ("tuple", "upper"):
            return ((indptr, columns, weights),)
        if self.form == "object" or not weights.dtype.isnative:
            return (SimpleNamespace(indptr=indptr, indices=columns, data=weights),)
        kind = sp.csc_array if self.form == "csc" else sp.csr_array
        return (kind((weights, columns.astype(np.int32), indptr.astype(np.int32)), shape=(self.n, self.n)),)

    def results(self, fitted: MinimumSpanningForest) -> dict[str, Any]:
        weights = to_host(fitted.weight)
        heights = [weights[int(self.share * len(weights))].item()] if len(weights) else []
        labels_at = fitted.labels_at(heights) if self.n and heights else None
        return at_home(
            source=fitted.source,
            target=fitted.target,
            weight=weights,
            edge_id=fitted.edge_id,
            labels=fitted.component_labels,
            labels_at=labels_at,
        ) | {"components": fitted.n_components, "total": fitted.total_weight}

    def by_definition(self, fitted: MinimumSpanningForest) -> Iterator[tuple[str, bool]]:
        rows, columns, weights, positions = self.entries
        native = weights if weights.dtype.itemsize == 8 and weights.dtype.isnative else weights.astype(np.float64)
        taken, roots = known.kruskal(self.n, rows, columns, native)
        low, high = np.minimum(rows, columns)[taken], np.maximum(rows, columns)[taken]
        yield "source", np.array_equal(to_host(fitted.source), low)
        yield "target", np.array_equal(to_host(fitted.target), high)
        yield "edge_id", np.array_equal(to_host(fitted.edge_id), positions[taken])
        yield "weight", same(to_host(fitted.weight), weights[taken])
        yield "components", fitted.n_components == self.n - len(taken)
        yield "labels", np.array_equal(to_host(fitted.component_labels), known.number_components(roots))


def random_graph(shape: str, g: np.random.Generator) -> tuple[int, np.ndarray, np.ndarray]:
    """Number of vertices and both ends of every edge; in random order, with vertices beyond the edges, some loops."""
    n = int(g.integers(1, 1 + g.choice([8, 60, 300, 2000], p=[0.25, 0.55, 0.17, 0.03])))
    if shape == "no edges":
        return int(g.integers(0, 9)), np.empty(0, int), np.empty(0, int)
    edges = {"random": 4 * n, "sparse": max(1, n // 2), "parallel": 6 * n, "few vertices": 2 * n}
    if shape in edges:
        ends = max(1, n // 10) if shape == "few vertices" else max(2, n // 12) if shape == "parallel" else n
        rows, columns = g.integers(0, ends, (2, edges[shape]))
        n = max(n, ends)
    else:
        side = max(1, int(n**0.5))
        made = {"path": known.path, "star": known.star, "grid": known.grid, "complete": known.complete}[shape]
        n, rows, columns = made(side if shape in ("grid", "complete") else n)
    n, rows, columns = known.shuffled((n + int(g.integers(0, 4)), rows, columns), g.integers(2**32))
    if g.random() < 0.3:
        loops = g.integers(0, n, 3)
        rows, columns = np.concatenate([rows, loops]), np.concatenate([columns, loops])
    order = g.permutation(len(rows))
    return n, rows[order], columns[order]


Entries = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def stored(
    form: str, n: int, rows: np.ndarray, columns: np.ndarray, weights: np.ndarray, g: np.random.Generator
) -> Entries:
    """Rows, columns, weights and positions in the data of all entries, in the order of this form of a graph."""
    if form == "dense":
        dense = np.zeros((n, n), weights.dtype)
        dense[rows, columns] = dense[columns, rows] = weights
        dense = np.minimum(dense, dense.T)  # of several edges of a pair the last was written
        rows, columns = np.nonzero(dense)
        return rows, columns, dense[rows, columns], rows * n + columns
    if form in MERGED:
        turned = g.random(len(rows)) < 0.5
        rows, columns = np.where(turned, columns, rows), np.where(turned, rows, columns)
    elif form == "both ways":
        rows, columns = np.concatenate([rows, columns]), np.concatenate([columns, rows])
        weights = np.concatenate([weights, np.roll(weights, int(g.integers(0, 2)))])
    else:
        indptr, columns, weights, _ = known.csr_of(n, rows, columns, weights, symmetric=form != "upper")
        rows = np.repeat(np.arange(n), np.diff(indptr))
        if form in ("coo", "unsorted"):
            order = g.permutation(len(rows)) if form == "coo" else np.lexsort((g.random(len(rows)), rows))
            rows, columns, weights = rows[order], columns[order], weights[order]
    return rows, columns, weights, np.arange(len(rows))


def directions_differ(rows: np.ndarray, columns: np.ndarray, weights: np.ndarray) -> bool:
    """Whether the lightest entries of a pair differ by their direction."""
    lightest: dict[tuple[int, int], Any] = {}
    for u, v, weight in zip(rows.tolist(), columns.tolist(), weights.tolist()):
        lightest[u, v] = min(weight, lightest.get((u, v), weight))
    return any(weight != lightest.get((v, u), weight) for (u, v), weight in lightest.items())


def random_options(g: np.random.Generator) -> dict[str, Any]:
    """An algorithm and its options."""
    name = str(g.choice(ALGORITHMS, p=[0.6, 0.1, 0.1, 0.1, 0.1]))
    if name == "partial-prim":
        return {
            "algorithm": name,
            "gamma": int(g.integers(1, 120)),
            "variant": str(g.choice(["min", "sort", "hybrid"])),
        }
    return {"algorithm": name} | ({"offload": float(g.random())} if name == "hybrid" else {})


def bytes_for(graph: tuple[Any, ...], options: dict[str, Any], share: float) -> int:
    """A bound on the memory between what blocks need at least and what the graph needs in one piece."""
    try:
        graph_msf(*graph, max_device_bytes=0, **options)
    except MemoryError as error:
        found = re.search(r"\(([\d,]+) bytes\) in one piece, or .* \(([\d,]+) bytes\) in blocks", str(error))
        if found is None:
            raise
        whole, least = (int(number.replace(",", "")) for number in found.groups())
        return least + int(share * max(whole - least, 0))
    return 0
