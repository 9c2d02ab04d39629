"""The result of `graph_msf`: its edges, their total weight, and a sparse matrix of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from emst.backend import backend_of
from emst.backend.keys import ordered, pair_codes
from emst.backend.operations import Backend
from emst.backend.records import Adjacency, Array
from emst.boruvka import bridged
from emst.graph.arrays import sorted_by
from emst.graph.input import computable
from emst.inputs.devices import giver, native_array, on_device_of, to_host
from emst.inputs.summary import counted, float_sum, one_line
from emst.spanning_forest import Merges, SpanningForest, check_edges, csr_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CHUNK = 1 << 16  # weights summed at a time


@dataclass(frozen=True, eq=False)
class MinimumSpanningForest(SpanningForest):
    """Minimum spanning forest of a graph of n vertices: k edges, in the order of the input.

    Attributes
    ----------
    source, target : int32 arrays of shape (k,)
        The ends of each edge, the smaller in `source`.
    weight : array of shape (k,)
        Weights of the input, in its dtype.
    edge_id : int64 array of shape (k,)
        Position of each edge in the input's `data`, ascending. For a square array, the position in row-major order; for
        a sparse format other than CSR, CSC and COO, the position in the `data` of its `tocsr`. Of equal entries for one
        pair of vertices, the first.
    n_vertices : int
        Number of vertices of the graph.
    n_components : int
        Number of connected components, isolated vertices included: ``n_vertices - k``.
    component_labels : int32 array of shape (n_vertices,) or None
        Component of each vertex, numbered from 0 in the order of their first vertices; None without
        ``return_labels=True``.
    device : {"cpu", "cuda"}
        Where the forest was computed.
    nodes : list, array or None
        The node of the input that each vertex stands for: a list of names, or an array of ids that were numbered, on
        the host; None if its nodes are the numbers of the vertices.
    """

    source: Any
    target: Any
    weight: Any
    edge_id: Any
    n_vertices: int
    n_components: int
    component_labels: Any
    device: str
    nodes: list[Any] | np.ndarray | None = None

    def __repr__(self) -> str:
        floats = native_array(self.weight).dtype.kind == "f"
        return one_line(
            self,
            counted(self.n_vertices, "vertex", "vertices"),
            counted(len(self.weight), "edge"),
            counted(self.n_components, "component"),
            f"total weight {float_sum(self.weight) if floats else format(self.total_weight, ',')}",
            f"device {self.device}",
        )

    @property
    def edges(self) -> Any:
        """Both ends of each edge, the smaller first, as a tree has them: int32 array of shape (k, 2), a new one."""
        ends = tuple(map(native_array, (self.source, self.target)))
        with on_device_of(ends[0]):
            return np.stack(ends, axis=1)

    @property
    def weights(self) -> Any:
        """`weight`, as a tree calls it."""
        return self.weight

    @property
    def total_weight(self) -> int | float:
        """Sum of the weights: an exact Python int for integers, the correctly rounded float64 for floats.

        NaN if both infinities occur.
        """
        weight = native_array(self.weight)
        if weight.dtype.kind == "f":
            return _rounded_sum(to_host(weight).astype(np.float64, copy=False))
        with on_device_of(weight):
            if weight.dtype.itemsize < 8:
                return int(weight.sum(dtype=np.int64))
            high, low = weight >> weight.dtype.type(32), weight & weight.dtype.type(0xFFFFFFFF)
            return (int(high.sum()) << 32) + int(low.sum())

    def to_csr(self) -> Any:
        """The forest as an (n, n) compressed sparse row matrix, each edge once, above the diagonal.

        Returns
        -------
        scipy.sparse.csr_array or cupyx.scipy.sparse.csr_matrix
            On the device of the forest's arrays. Edges of weight 0 are stored explicitly. Weights are converted to
            dtypes that a sparse matrix can hold: float16 to float32, other byte orders to the native one and, with
            CuPy, integers to float64.

        Examples
        --------
        >>> from emst import graph_msf
        >>> graph_msf([0, 1, 0], [1, 2, 2], [5, 3, 4]).to_csr().toarray()
        array([[0, 0, 4],
               [0, 0, 3],
               [0, 0, 0]])
        """
        source, target, weight = map(native_array, (self.source, self.target, self.weight))
        return csr_of(source, target, weight, self.n_vertices)

    def weighted_edge_list(self) -> list[tuple[Any, Any, Any]]:
        """The edges with the nodes of the input, as the `add_weighted_edges_from` of networkx takes them.

        Returns
        -------
        list of tuple (node, node, weight)
            In the order of the edges.
        """
        columns = self._edge_columns()
        return list(zip(*(columns[name].tolist() for name in ("source", "target", "weight"))))

    def plot(self, positions: Any, *, ax: Axes | None = None) -> Axes:
        """Draw the vertices and the forest's edges, coloured by weight.

        Parameters
        ----------
        positions : array-like of shape (n, 2), or dict
            Where to draw the vertices; or the position of every node, as the layouts of networkx return.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib Axes
            What was drawn into.
        """
        from emst.plots.graph import plot_forest

        if hasattr(positions, "keys"):
            nodes = self._node_names()
            lacking = next((node for node in nodes if node not in positions), None)
            if lacking is not None:
                raise ValueError(f"positions has no place for the node {lacking!r}")
            positions = [positions[node] for node in nodes]
        return plot_forest(positions, self.edges, self.weight, n=self.n_vertices, ax=ax)

    def _edge_columns(self) -> dict[str, np.ndarray]:
        source, target = to_host(self.source), to_host(self.target)
        if self.nodes is not None:
            nodes = node_array(self.nodes)
            source, target = nodes[source], nodes[target]
        weight, edge_id = to_host(self.weight), to_host(self.edge_id)
        return {"source": source, "target": target, "weight": weight, "edge_id": edge_id}

    def _node_names(self) -> Sequence[Any]:
        return range(self.n_vertices) if self.nodes is None else node_array(self.nodes).tolist()

    def _merges(self) -> Merges:
        edges, weights, n = self.edges, native_array(self.weight), self.n_vertices
        with on_device_of(weights):
            check_edges(edges, weights, n)
            ops = backend_of("cpu" if isinstance(edges, np.ndarray) else "cuda")
            return Merges(*_completed(edges, weights, n, ops), n, giver(self.source))


def node_array(nodes: Any) -> np.ndarray:
    """Nodes as an array: ids as they are, anything else as objects, because numpy would turn tuples into rows and mixed
    nodes into text."""
    return nodes if isinstance(nodes, np.ndarray) else np.fromiter(nodes, object, len(nodes))


def _completed(edges: Array, weights: Array, n: int, ops: Backend) -> tuple[Array, Array]:
    """The edges of a forest by (weight, smaller end, larger end), then those that join its components; and the weights
    of the former, ascending."""
    order = sorted_by(pair_codes(edges[:, 0], edges[:, 1], n), ops)
    edges, weights = edges[order], weights[order]
    compared = computable(weights, ops)
    ranked = sorted_by(ordered(compared), ops)
    ends = edges[ranked]
    if len(edges) < n - 1:
        rows, columns = (ops.asarray(edges[:, side]) for side in (0, 1))
        roots = ops.graph_forest(Adjacency(ops.row_starts(rows, n), columns, compared, symmetric=False)).roots
        ends, _ = bridged(ends, weights, roots, 0)
    return ends, weights[ranked]


def _rounded_sum(values: np.ndarray) -> float:
    """The sum of float64 values, rounded once."""

    def exact(values: np.ndarray) -> float:
        parts = (values[i : i + CHUNK].tolist() for i in range(0, len(values), CHUNK))
        return math.fsum(itertools.chain.from_iterable(parts))

    if not np.isfinite(values).all():
        return float(values[~np.isfinite(values)].sum()) if not _both_infinities(values) else math.nan
    try:
        return exact(values)
    except OverflowError:  # of a partial sum, and perhaps of the result
        scaled = exact(np.ldexp(values, -64))
    try:
        return math.ldexp(scaled, 64)
    except OverflowError:
        return math.copysign(math.inf, scaled)


def _both_infinities(values: np.ndarray) -> bool:
    return bool((values == np.inf).any() and (values == -np.inf).any())
