"""What every minimum spanning tree and forest can do: single linkage, groups below a distance, tables of edges.

The components of a graph's edges of at most some weight are those of its minimum spanning forest's (Gower & Ross 1969,
"Minimum spanning trees and single linkage cluster analysis"): friends-of-friends, and cuts of single linkage, need the
forest alone.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.backend.records import Array, Linkage
from emst.inputs.devices import on_device_of, to_host
from emst.inputs.ends import outside
from emst.inputs.optional import optional
from emst.inputs.summary import counted

Height: TypeAlias = int | float | Fraction


class Merges(NamedTuple):
    """The merges of single linkage, in their order.

    A forest of several components is completed: edges that are not in the graph join them in the last merges.
    """

    edges: Array  # int32[n - 1, 2]: edges of a spanning tree
    weights: Array  # T[k], ascending: weights of the first k edges; the others are not in the graph
    n: int  # vertices
    give: Callable[[Array], Any]  # turns a result into the caller's kind of array


class SpanningForest:
    """Base of `MinimumSpanningTree`, `EMST` and `MinimumSpanningForest`: what they all have. The vertices of a tree are
    its points."""

    def _merges(self) -> Merges:
        raise NotImplementedError

    def _edge_columns(self) -> dict[str, np.ndarray]:
        """Columns of a table of the edges, on the host: `source`, `target`, `weight`, and others behind them."""
        raise NotImplementedError

    def _node_names(self) -> Sequence[Any]:
        """What the vertices are called in the table of the edges, in the order of their numbers."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The edges as a data frame of pandas, which is needed for this.

        Returns
        -------
        pandas.DataFrame of k rows
            In the order of the edges, on the host: `source` and `target`, rows of the points or nodes of the graph,
            `weight`, and of a graph's forest `edge_id`.

        Raises
        ------
        ImportError
            Without pandas.

        Examples
        --------
        >>> from emst import minimum_spanning_tree
        >>> tree = minimum_spanning_tree([[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]])
        >>> tree.to_pandas()
           source  target  weight
        0       1       2     1.0
        1       0       1     5.0
        """
        return optional("pandas").DataFrame(self._edge_columns())

    def to_networkx(self) -> Any:
        """The tree or forest as a graph of networkx, which is needed for this.

        Returns
        -------
        networkx.Graph
            All points or vertices, those without edges included: rows of the points, or nodes of the graph. The
            attribute `weight` of an edge is its weight.

        Raises
        ------
        ImportError
            Without networkx.
        ValueError
            Several vertices have one name, as igraph allows.

        Examples
        --------
        >>> from emst import graph_msf
        >>> graph_msf(["a", "b", "c"], ["b", "c", "a"], [4, 0, 3]).to_networkx().edges(data="weight")
        EdgeDataView([('a', 'c', 3), ('b', 'c', 0)])
        """
        graph = optional("networkx").Graph()
        names, columns = self._node_names(), self._edge_columns()
        graph.add_nodes_from(names)
        if len(graph) < len(names):
            repeated = counted(len(names) - len(graph), "vertex has", "vertices have")
            raise ValueError(f"{repeated} the name of another one; nodes of networkx have names of their own")
        graph.add_weighted_edges_from(zip(*(columns[name].tolist() for name in ("source", "target", "weight"))))
        return graph

    def linkage(self) -> np.ndarray:
        """Single linkage as a matrix, in SciPy's format.

        SciPy's format has a single root: the components of a forest are joined at an infinite height, in the order of
        their first vertices. Integer weights are converted to float64; `cut` and `labels_at` compare them as they are.

        Returns
        -------
        float64 array of shape (n - 1, 4)
            Z, on the host, as `scipy.cluster.hierarchy.linkage` returns it: row i merges clusters ``Z[i, 0] < Z[i, 1]``
            at height ``Z[i, 2]`` into cluster ``n + i`` of ``Z[i, 3]`` points or vertices.

        Raises
        ------
        ValueError
            The arrays were changed, and the edges are not a spanning tree or forest any more.

        Examples
        --------
        >>> from emst import minimum_spanning_tree
        >>> tree = minimum_spanning_tree([[0.0], [1.0], [5.0], [7.0]])
        >>> tree.linkage()
        array([[0., 1., 1., 2.],
               [2., 3., 2., 2.],
               [4., 5., 4., 4.]])
        """
        merges = self._merges()
        with on_device_of(merges.edges):
            _, tree = _dendrogram(merges)
            return to_scipy(tree, merges.weights)

    def labels_at(self, height: float | Sequence[float]) -> Any:
        """The component of every point or vertex in the graph of the edges of weight `height` or less.

        Parameters
        ----------
        height : float, or sequence of k floats
            Greatest weight of an edge that connects, itself included. It is compared with the weights exactly, without
            rounding either.

        Returns
        -------
        int64 array of shape (n,) or (k, n)
            Components are numbered from 0 in the order of their first points or vertices. Everything has a label.
            An array of the kind of the edges, on their device.

        Raises
        ------
        ValueError
            A height that is not a number.

        Examples
        --------
        >>> from emst import minimum_spanning_tree
        >>> tree = minimum_spanning_tree([[0.0], [1.0], [5.0], [7.0]])
        >>> tree.labels_at([0.5, 1.0, 2.0])
        array([[0, 1, 2, 3],
               [0, 0, 1, 2],
               [0, 0, 1, 1]])
        """
        if np.ndim(height) == 0:
            return self._labels([check_number("height", height)], 1)[0]
        return self._labels([check_number("height", one) for one in height], 1)  # type: ignore[union-attr]

    def cut(self, distance: float, min_cluster_size: int = 1) -> Any:
        """Friends-of-friends: groups of points or vertices that edges of weight `distance` or less connect.

        With the tree of points under their distances these are the groups of `scipy.cluster.hierarchy.fcluster` with
        ``criterion="distance"`` for single linkage, and of `sklearn.cluster.DBSCAN` with ``min_samples=1``.

        Parameters
        ----------
        distance : float
            Greatest weight of an edge that connects, itself included: the linking length.
        min_cluster_size : int, default 1
            Smaller groups are noise.

        Returns
        -------
        int64 array of shape (n,)
            The group of every point or vertex, numbered from 0 in the order of their first points or vertices; -1 for
            noise. An array of the kind of the edges, on their device.

        Raises
        ------
        ValueError
            A distance that is not a number; a `min_cluster_size` that is not an integer of at least 1.

        Examples
        --------
        >>> from emst import minimum_spanning_tree
        >>> tree = minimum_spanning_tree([[0.0], [1.0], [5.0], [7.0]])
        >>> tree.cut(1.0), tree.cut(1.0, min_cluster_size=2)
        (array([0, 0, 1, 2]), array([ 0,  0, -1, -1]))
        """
        return self._labels([check_number("distance", distance)], check_min_cluster_size(min_cluster_size))[0]

    def _labels(self, heights: list[Height], min_cluster_size: int) -> Any:
        """Labels at each height, int64[k, n], as the caller's kind of array."""
        merges = self._merges()
        with on_device_of(merges.edges):
            ops, tree = _dendrogram(merges)
            labels = ops.xp.empty((len(heights), merges.n), np.int64)
            for row, height in zip(labels, heights):
                row[:] = ops.cut(tree, count_up_to(merges.weights, height), min_cluster_size)[: merges.n]
            return merges.give(labels)


def _dendrogram(merges: Merges) -> tuple[Backend, Linkage]:
    """The dendrogram whose heights are the numbers of the merges, so that weights of any dtype are cut exactly."""
    ops = backend_of("cpu" if isinstance(merges.edges, np.ndarray) else "cuda")
    return ops, ops.linkage(merges.edges, ops.xp.arange(len(merges.edges), dtype=np.int32))


def to_scipy(linkage: Linkage, heights: Array | None = None) -> np.ndarray:
    """SciPy's linkage matrix of a dendrogram: float64 of shape (n - 1, 4) on the host. `heights` replace those of
    the dendrogram; merges after the last of them are infinitely high."""
    heights = to_host(linkage.height if heights is None else heights)
    matrix = np.empty((len(linkage.size), 4))
    matrix[:, :2] = to_host(linkage.child)
    matrix[:, :2] += linkage.n
    matrix[:, 2] = math.inf
    matrix[: len(heights), 2] = heights
    matrix[:, 3] = to_host(linkage.size)
    return matrix


def count_up_to(weights: Array, height: Any) -> int:
    """How many of the ascending weights are at most `height`. Python compares integers and floats exactly."""
    return bisect_right(range(len(weights)), height, key=lambda i: weights[i].item())


def csr_of(source: Array, target: Array, weight: Array, n: int) -> Any:
    """Edges as an (n, n) compressed sparse row matrix of SciPy or CuPy, on their device, zeros included.

    Weights are converted to dtypes that such a matrix can hold: float16 to float32, other byte orders to the native one
    and, with CuPy, integers to float64.
    """
    on_host = isinstance(source, np.ndarray)
    held = weight.dtype.newbyteorder("=")
    held = np.dtype(np.float32) if held == np.float16 else held
    if not on_host and held not in (np.bool_, np.float32, np.float64):
        held = np.dtype(np.float64)
    if on_host:
        from scipy.sparse import coo_array as coo
    else:
        from cupyx.scipy.sparse import coo_matrix as coo
    with on_device_of(weight):
        return coo((weight.astype(held, copy=False), (source, target)), shape=(n, n)).tocsr()


def check_edges(edges: Array, weights: Array, n: int) -> None:
    """Raise ValueError unless these are edges between n vertices with their weights.

    Cycles are found where the edges are merged.
    """
    m = len(weights)
    if edges.shape != (m, 2):
        raise ValueError(f"{m:,} weights need edges of shape ({m}, 2); got {edges.shape}")
    if outside(edges.ravel(), n)[0]:
        raise ValueError(f"edges must join vertices from 0 to {n - 1}; got {int(edges.min())} to {int(edges.max())}")


def check_number(name: str, value: Any) -> Height:
    """Check a real number, which may be in an array on any device, and return it without rounding.

    It becomes an int or a float, or a fraction if these two cannot hold it. ValueError for anything else."""
    if hasattr(value, "dtype") and np.ndim(value) == 0:
        value = value.item()
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    if not isinstance(value, Real) or isinstance(value, bool) or value != value:
        raise ValueError(f"{name} must be a number; got {value!r}")
    if isinstance(value, Rational):
        return Fraction(value)
    rounded = float(value)
    if isinstance(value, np.longdouble) and rounded != value:
        return Fraction(*value.as_integer_ratio())
    return rounded


def check_min_cluster_size(min_cluster_size: Any) -> int:
    """`min_cluster_size` as an int, or ValueError."""
    if not isinstance(min_cluster_size, Integral) or isinstance(min_cluster_size, bool) or min_cluster_size < 1:
        raise ValueError(f"min_cluster_size must be an integer of at least 1; got {min_cluster_size!r}")
    return min(int(min_cluster_size), 2**31 - 1)  # no set has more points
