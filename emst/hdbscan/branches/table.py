"""The approximation graphs of all clusters as an object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from emst.inputs.devices import to_host
from emst.inputs.optional import optional
from emst.inputs.summary import counted, one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ApproximationGraph:
    """The graphs in which the branches of all clusters were found, as two tables: points and edges.

    The points are those in clusters. Their columns are `id` (row of the data), `label`, `probability`, `centrality`,
    `cluster_label`, `cluster_probability`, `branch_label` and `branch_probability`. The columns of the edges are
    `parent` and `child` (rows of the data), `centrality` (the greater of both ends), `mutual_reachability` and
    `component` (the cluster). Edges are ordered by component, parent and child.
    """

    def __init__(
        self, points: dict[str, np.ndarray], edges: dict[str, np.ndarray], data: Any, names: Any = None
    ) -> None:
        self._points, self._edges = _structured(points), _structured(edges)
        self._data, self._names = data, names

    def __repr__(self) -> str:
        components = len(np.unique(self._points["cluster_label"]))
        return one_line(
            self,
            counted(len(self._points), "point"),
            counted(len(self._edges), "edge"),
            counted(components, "cluster"),
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_data": to_host(self._data)}

    def to_numpy(self) -> tuple[np.ndarray, np.ndarray]:
        """Both tables as structured arrays.

        Returns
        -------
        points : structured array
            One entry for each point in a cluster.
        edges : structured array
            One entry for each edge.
        """
        return self._points.copy(), self._edges.copy()

    def to_pandas(self) -> tuple[Any, Any]:
        """Both tables as data frames of pandas.

        Returns
        -------
        points : pandas.DataFrame
            One row for each point in a cluster.
        edges : pandas.DataFrame
            One row for each edge.
        """
        frame = optional("pandas").DataFrame
        return frame(_columns(self._points)), frame(_columns(self._edges))

    def to_polars(self) -> tuple[Any, Any]:
        """Both tables as data frames of polars.

        Returns
        -------
        points : polars.DataFrame
            One row for each point in a cluster.
        edges : polars.DataFrame
            One row for each edge.
        """
        frame = optional("polars").DataFrame
        return frame(_columns(self._points)), frame(_columns(self._edges))

    def to_networkx(self, feature_names: Sequence[str] | None = None) -> Any:
        """The graphs as one graph of networkx.

        Parameters
        ----------
        feature_names : sequence of str, optional
            Names of the columns of the data; by default those of the data frame, or "feature 0" and so on.

        Returns
        -------
        networkx.Graph
            Nodes are rows of the data. Their attributes are the columns of the points, and the features. The attributes
            of the edges are their columns, and `weight`, 1 / (1 + mutual reachability distance).
        """
        graph = optional("networkx").Graph()
        points, rows = _columns(self._points), self._points["id"]
        data = to_host(self._data)[rows]
        names = feature_names if feature_names is not None else self._names
        names = [f"feature {i}" for i in range(data.shape[1])] if names is None else names
        attributes = {**{name: values for name, values in points.items() if name != "id"}, **dict(zip(names, data.T))}
        graph.add_nodes_from(_records(rows, attributes))
        edges = _columns(self._edges)
        ends = zip(edges.pop("parent").tolist(), edges.pop("child").tolist())
        edges["weight"] = 1 / (1 + edges["mutual_reachability"])
        graph.add_edges_from((u, v, values) for (u, v), (_, values) in zip(ends, _records(self._edges, edges)))
        return graph

    def plot(
        self,
        positions: Any = None,
        feature_names: Sequence[str] | None = None,
        node_color: Any = "label",
        node_vmin: float | None = None,
        node_vmax: float | None = None,
        node_cmap: Any = "viridis",
        node_alpha: float = 1,
        node_size: float = 1,
        node_marker: Any = "o",
        edge_color: Any = "k",
        edge_vmin: float | None = None,
        edge_vmax: float | None = None,
        edge_cmap: Any = "viridis",
        edge_alpha: float = 1,
        edge_width: float = 1,
        *,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw points and edges.

        Parameters
        ----------
        positions : array of shape (n, 2), optional
            Where to draw each row of the data, or each point in a cluster. By default at its coordinates, projected to
            a plane if there are more than two.
        feature_names : sequence of str, optional
            Names of the columns of the data, for `node_color`; by default those of the data frame.
        node_color : str or array, default "label"
            A column of the points, a feature by its name or as "feature_0" and so on, a value for each row of the data
            or for each point in a cluster, or a colour of matplotlib.
        edge_color : str or array, default "k"
            A column of the edges, a value for each edge, or a colour of matplotlib.
        node_vmin, node_vmax, node_cmap, node_alpha, node_size, node_marker, edge_vmin, edge_vmax, edge_cmap, \
edge_alpha, edge_width, ax
            See `emst.plots.plot_approximation_graph`.

        Returns
        -------
        matplotlib Axes
            What was drawn into.

        Raises
        ------
        ValueError
            There are neither as many positions as rows of the data, nor as many as points in clusters.
        """
        from emst.plots.approximation import plot_approximation_graph

        data = to_host(self._data)
        return plot_approximation_graph(
            self._places(data, positions),
            np.stack([self._edges["parent"], self._edges["child"]], axis=1),
            self._points["id"],
            node_color=self._node_color(data, node_color, feature_names),
            labels=isinstance(node_color, str) and node_color.endswith("label"),
            node_vmin=node_vmin,
            node_vmax=node_vmax,
            node_cmap=node_cmap,
            node_alpha=node_alpha,
            node_size=node_size,
            node_marker=node_marker,
            edge_color=self._edge_color(edge_color),
            edge_vmin=edge_vmin,
            edge_vmax=edge_vmax,
            edge_cmap=edge_cmap,
            edge_alpha=edge_alpha,
            edge_width=edge_width,
            ax=ax,
        )

    def _places(self, data: np.ndarray, positions: Any) -> np.ndarray:
        """Where every row of the data is drawn, float64[n, 2]; NaN for rows that are not."""
        places, rows = np.full((len(data), 2), np.nan), self._points["id"]
        if positions is None:
            from emst.plots.plane import view_of

            finite = np.flatnonzero(np.isfinite(data).all(axis=1))
            places[finite] = view_of(data[finite]).places
            return places
        positions = np.asarray(to_host(positions), np.float64)
        if positions.ndim != 2 or positions.shape[1] != 2 or len(positions) not in (len(data), len(rows)):
            raise ValueError(
                f"positions must have shape ({len(data)}, 2) or ({len(rows)}, 2), for all rows of the data or for "
                f"those in clusters; got {positions.shape}"
            )
        places[rows if len(positions) != len(data) else slice(None)] = positions
        return places

    def _node_color(self, data: np.ndarray, color: Any, names: Sequence[str] | None) -> Any:
        """A value for each point in a cluster, or a colour of matplotlib."""
        rows, names = self._points["id"], self._names if names is None else names
        if isinstance(color, str):
            if color in (self._points.dtype.names or ()):
                return self._points[color]
            if names is not None and color in list(names):
                return data[rows, list(names).index(color)]
            return data[rows, int(color[8:])] if color.startswith("feature_") else color
        return to_host(color)[rows] if color is not None and len(color) == len(data) else color

    def _edge_color(self, color: Any) -> Any:
        return self._edges[color] if isinstance(color, str) and color in (self._edges.dtype.names or ()) else color


def _structured(columns: dict[str, np.ndarray]) -> np.ndarray:
    names = list(columns)
    table = np.empty(len(columns[names[0]]), [(name, columns[name].dtype) for name in names])
    for name in names:
        table[name] = columns[name]
    return table


def _columns(table: np.ndarray) -> dict[str, np.ndarray]:
    return {name: np.ascontiguousarray(table[name]) for name in table.dtype.names or ()}


def _records(keys: np.ndarray, columns: dict[str, np.ndarray]) -> list[tuple[Any, dict[str, Any]]]:
    """(key, values by name) of every entry, in Python's own types."""
    values = zip(*(column.tolist() for column in columns.values()))
    return [(key, dict(zip(columns, row))) for key, row in zip(keys.tolist(), values)]
