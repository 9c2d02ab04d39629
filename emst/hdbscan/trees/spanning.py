"""The spanning tree of a clustering as an object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from emst.backend.records import Array
from emst.hdbscan.trees.table import Table
from emst.inputs.devices import to_host
from emst.inputs.optional import optional
from emst.inputs.summary import counted, device_of, infinite_and_sum, one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class SpanningTree(Table):
    """The minimum spanning tree of a clustering as a table of edges, by ascending distance.

    The columns are `from` and `to`, rows of the data, and `distance`, their mutual reachability distance. Points that
    are not in the hierarchy have no edge.

    Parameters
    ----------
    edges : int array of shape (m - 1, 2)
        The two points that each edge joins, on either backend.
    weights : array of shape (m - 1,)
        Mutual reachability distance of each edge, ascending.
    points : array-like or CSR matrix of shape (n, d), optional
        The data, for `plot` and for the nodes of `to_networkx`.
    rows : int array of shape (m,), optional
        Row of the data of each of the m points; by default 0 ... m - 1.
    names : sequence of str, optional
        Names of the columns of the data, for `plot`.
    geographic : {None, "degrees", "radians"}, default None
        The unit, if the data is latitude and longitude: `plot` draws a map.
    """

    def __init__(
        self,
        edges: Array,
        weights: Array,
        points: Any = None,
        *,
        rows: Array = None,
        names: Sequence[str] | None = None,
        geographic: str | None = None,
    ) -> None:
        self._edges, self._weights, self._points, self._kept = edges, weights, points, rows
        self._names, self._geographic = names, geographic

    def __repr__(self) -> str:
        weights = self._weights
        infinite, total = infinite_and_sum(weights)
        return one_line(
            self,
            counted(len(weights) + 1, "point"),
            counted(len(weights), "edge"),
            counted(1 + infinite, "component"),
            f"total weight {total}",
            f"device {device_of(weights)}",
        )

    def _fetch(self) -> tuple[np.ndarray, np.ndarray, Any]:
        """The edges between rows of the data, their weights, and the data, on the host."""
        if self._kept is not None:
            self._edges = to_host(self._kept)[to_host(self._edges)]
            self._kept = None
        self._edges, self._weights = to_host(self._edges), to_host(self._weights)
        if self._points is not None and not hasattr(self._points, "tocsr"):  # sparse features stay sparse
            self._points = to_host(self._points)
        return self._edges, self._weights, self._points

    def __getstate__(self) -> dict[str, Any]:
        self._fetch()
        return self.__dict__

    def _columns(self) -> dict[str, np.ndarray]:
        edges, weights, _ = self._fetch()
        u, v = edges.T.astype(np.int64)
        return {"from": u, "to": v, "distance": weights.astype(np.float64)}

    def to_numpy(self) -> np.ndarray:
        """The columns as an array.

        Returns
        -------
        float64 array of shape (m - 1, 3)
            Both ends of each edge, and its distance.
        """
        return np.stack(list(self._columns().values()), axis=1).astype(np.float64)

    def to_networkx(self) -> Any:
        """The tree as a graph of networkx.

        Returns
        -------
        networkx.Graph
            The attribute `weight` of an edge is its distance. If the data is a dense array, the attribute `data` of a
            node holds its coordinates.
        """
        graph = optional("networkx").Graph()
        graph.add_weighted_edges_from(zip(*(column.tolist() for column in self._columns().values())))
        points = self._points
        if isinstance(points, np.ndarray):
            graph.add_nodes_from((i, {"data": tuple(points[i].tolist())}) for i in list(graph))
        return graph

    def plot(
        self,
        axis: Axes | None = None,
        node_size: float = 40,
        node_color: Any = "k",
        node_alpha: float = 0.8,
        edge_alpha: float = 0.5,
        edge_cmap: Any = "viridis_r",
        edge_linewidth: float = 2,
        vary_line_width: bool = True,
        colorbar: bool = True,
        *,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw points and edges; points of more than three dimensions are projected to a plane.

        Parameters
        ----------
        node_size, node_color, node_alpha, edge_alpha, edge_cmap, edge_linewidth, vary_line_width, colorbar, ax
            See `emst.plots.plot_spanning_tree`.
        axis : matplotlib Axes, optional
            hdbscan's name for `ax`.

        Returns
        -------
        matplotlib Axes
            What was drawn into.

        Raises
        ------
        ValueError
            The clustering was fitted to distances: its points have no coordinates.
        """
        from emst.plots.spanning import plot_spanning_tree

        edges, weights, points = self._fetch()
        if points is None:
            raise ValueError("this tree was built from distances: it has no points to draw")
        return plot_spanning_tree(
            points,
            edges,
            weights,
            ax=axis if ax is None else ax,
            node_size=node_size,
            node_color=node_color,
            node_alpha=node_alpha,
            edge_alpha=edge_alpha,
            edge_cmap=edge_cmap,
            edge_linewidth=edge_linewidth,
            vary_line_width=vary_line_width,
            colorbar=colorbar,
            names=self._names,
            geographic=self._geographic,
        )
