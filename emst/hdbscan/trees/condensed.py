"""The condensed tree as an object."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from emst.backend import backend_of
from emst.backend.records import Array, Condensed, Selection
from emst.hdbscan.parameters import NOT_NEGATIVE
from emst.hdbscan.trees.sources import ROW, on_host, table_of
from emst.hdbscan.trees.table import Table, kept_rows
from emst.hdbscan.trees.texts import json_of, newick_of
from emst.hierarchy.condensed import condensed_tree
from emst.hierarchy.constraints import Constraints
from emst.hierarchy.selection import Options, flat_clustering
from emst.inputs.devices import on_device_of, to_host
from emst.inputs.optional import optional
from emst.inputs.summary import counted, device_of, one_line
from emst.inputs.weights import Weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class CondensedTree(Table):
    """The condensed tree as a table: one row for every point, and one for every cluster except the root.

    The columns are `parent`, `child`, `lambda_val` (1 / distance at which the child leaves the parent) and `child_size`
    (number of points of the child, or their weight: float64 unless all weights are whole numbers). Numbers below n are
    points, n is the root, and the number of every other cluster is greater than its parent's. Rows are ordered by
    parent, lambda and child. Points that are not in the hierarchy leave the root at lambda 0.

    Parameters
    ----------
    condensed : Condensed
        The condensed tree of m points, on either backend.
    selection : Selection
        The selected clusters; `plot` marks them.
    rows : int array of shape (m,), optional
        Row of the data of each of the m points; by default 0 ... m - 1.
    n : int, optional
        Number of rows of the data; m by default.
    weights : Weights, optional
        Of the m points: sizes are sums of them, and rows that are no points count 0.
    options : Options, optional
        How the clusters were selected: `simplify` selects again by them. Without them there is only the table.
    constraints : Constraints, optional
        By which they were selected, too.
    """

    def __init__(
        self,
        condensed: Condensed,
        selection: Selection,
        *,
        rows: Array = None,
        n: int | None = None,
        weights: Weights | None = None,
        options: Options | None = None,
        constraints: Constraints | None = None,
    ) -> None:
        self._source: tuple | None = (condensed, selection, rows, n, weights)
        self._options, self._constraints = options, constraints
        self._fetched: tuple[np.ndarray, np.ndarray] | None = None

    def __repr__(self) -> str:
        if self._source is None:
            table, chosen = self._fetch()
            n = int(table["parent"][0])  # the root's number is the number of points
            clusters = len(table) - n + 1
        else:
            condensed, selection, _, rows, _ = self._source
            n = len(condensed.cluster) if rows is None else rows
            clusters, chosen = condensed.count, selection.chosen
        return one_line(
            self,
            counted(n, "point"),
            f"{counted(clusters, 'cluster')} ({len(chosen):,} selected)",
            f"device {device_of(chosen)}",
        )

    @property
    def _raw_tree(self) -> np.ndarray:  # hdbscan's name, which programs written for hdbscan use
        return self._fetch()[0]

    def _select_clusters(self) -> list[int]:  # hdbscan's name as well
        return self._fetch()[1].tolist()

    def _fetch(self) -> tuple[np.ndarray, np.ndarray]:
        """The table and the numbers of the selected clusters, on the host."""
        if self._fetched is None:
            condensed, selection, rows, n, weights = self._source or ()
            kept, n = kept_rows(rows, n, len(condensed.cluster))
            self._fetched = table_of(condensed, kept, n, weights), n + to_host(selection.chosen).astype(np.int64)
            if self._options is None:  # only `simplify` reads the source again
                self._source = None
        return self._fetched

    def __getstate__(self) -> dict[str, Any]:
        """A pickle holds the source on the host, from which the table is made again; without options, the table."""
        if self._options is None:
            self._fetch()
            return self.__dict__
        condensed, selection, rows, n, weights = self._source or ()
        kept, _ = kept_rows(rows, n, len(condensed.cluster))
        source = on_host(condensed), on_host(selection), kept, n, weights
        constraints = None if self._constraints is None else self._constraints.mapped(to_host)
        return {**self.__dict__, "_source": source, "_fetched": None, "_constraints": constraints}

    def _columns(self) -> dict[str, np.ndarray]:
        rows = self._raw_tree
        return {name: np.ascontiguousarray(rows[name]) for name in ROW.names or ()}

    def to_numpy(self) -> np.ndarray:
        """The table as a structured array.

        Returns
        -------
        structured array
            With the fields parent, child, lambda_val and child_size, ordered by parent, lambda and child.
        """
        return self._raw_tree.copy()

    def to_networkx(self) -> Any:
        """The tree as a graph of networkx.

        Returns
        -------
        networkx.DiGraph
            From parents to children. The attribute `weight` of an edge is its lambda, `size` of a node is its number of
            points.
        """
        parent, child, weight, size = (column.tolist() for column in self._columns().values())
        graph = optional("networkx").DiGraph()
        graph.add_weighted_edges_from(zip(parent, child, weight))
        graph.add_nodes_from((c, {"size": s}) for c, s in zip(child, size))
        if parent:
            graph.nodes[parent[0]]["size"] = sum(s for c, s in zip(child, size) if c < parent[0])
        return graph

    def to_json(self, *, points: bool = False) -> str:
        """The clusters as JSON, for programs in other languages and for pages that draw them.

        Parameters
        ----------
        points : bool, default False
            Also say where every point leaves the tree.

        Returns
        -------
        str
            An object. `clusters` is a list, parents before children, of objects with `cluster` (its number in the
            table), `parent` (null for the root), `birth` and `death` (lambda at which it leaves its parent, and at
            which it splits or its last points leave; null for infinity), `size` (number of points) and `label` (null if
            it is not selected). With `points` there is also `points`, with the lists `cluster` and `lambda`, in the
            order of the rows of the data.

        Examples
        --------
        >>> from emst import HDBSCANGPU
        >>> X = [[0.0], [1.0], [10.0], [11.0]]
        >>> model = HDBSCANGPU(min_cluster_size=2, min_samples=1, device="cpu").fit(X)
        >>> import json
        >>> for cluster in json.loads(model.condensed_tree_.to_json())["clusters"]:
        ...     print(*cluster.values())
        4 None 0.0 0.1111111111111111 4 None
        5 4 0.1111111111111111 1.0 2 0
        6 4 0.1111111111111111 1.0 2 1
        """
        return json_of(self._raw_tree, self._select_clusters(), points)

    def to_newick(self) -> str:
        """The clusters in Newick notation, which programs for phylogenetic trees read.

        Returns
        -------
        str
            Names are the numbers of the clusters in the table. The length of a branch is the difference of the lambdas
            at which the cluster is born and dies; infinite lambdas count as the greatest finite one.

        Examples
        --------
        >>> from emst import HDBSCANGPU
        >>> X = [[0.0], [1.0], [9.0], [10.0]]
        >>> HDBSCANGPU(min_cluster_size=2, min_samples=1, device="cpu").fit(X).condensed_tree_.to_newick()
        '(5:0.875,6:0.875)4:0.125;'
        """
        return newick_of(self._raw_tree)

    def simplify(self, persistence: float) -> CondensedTree:
        """The tree without its short-lived splits.

        Clusters below a split that last for less than `persistence`, in lambda, are dropped, and the split is merged
        back if fewer than two are left. It is the tree of a fit with this `cluster_selection_persistence`, or with that
        of this tree if it is greater, and so are its selected clusters.

        Parameters
        ----------
        persistence : float
            Least difference of the lambda of a split and the greatest lambda at or below a cluster that it makes. 0
            keeps all splits.

        Returns
        -------
        CondensedTree
            A new tree with the same points. This tree does not change.

        Raises
        ------
        ValueError
            `persistence` is negative or not finite, or the tree holds only a table: that of an estimator of
            `emst.dask`, or one made from a table.

        Examples
        --------
        >>> from emst import HDBSCANGPU
        >>> X = [[0.0], [1.0], [3.0], [4.0], [30.0], [31.0]]
        >>> tree = HDBSCANGPU(min_cluster_size=2, min_samples=1, device="cpu").fit(X).condensed_tree_
        >>> tree.simplify(0.8)
        <CondensedTree: 6 points, 3 clusters (2 selected), device cpu>
        """
        NOT_NEGATIVE.check("persistence", persistence)
        if self._source is None or self._options is None:
            raise ValueError(
                "simplify needs the dendrogram, and this tree holds only a table: fit with "
                "cluster_selection_persistence instead"
            )
        condensed, _, rows, n, weights = self._source
        ops, constraints = backend_of(device_of(condensed.cluster)), self._constraints
        # From the dendrogram: how long a cluster lasts depends on children that this tree may have dropped.
        options = replace(self._options, persistence=max(float(persistence), self._options.persistence))
        with on_device_of(condensed.cluster):
            tree = (condensed.linkage, condensed.min_cluster_size, options.persistence)
            simpler = condensed_tree(*tree, ops, len(condensed.cluster))
            selection = flat_clustering(simpler, options, ops, constraints).selection
        kept = {"rows": rows, "n": n, "weights": weights, "options": options, "constraints": constraints}
        return CondensedTree(simpler, selection, **kept)

    def get_plot_data(
        self, leaf_separation: float = 1, log_size: bool = False, max_rectangle_per_icicle: int = 20
    ) -> dict[str, Any]:
        """The bars and lines that `plot` draws.

        Parameters
        ----------
        leaf_separation : float, default 1
            Distance of neighbouring leaves, in units of the root's width.
        log_size : bool, default False
            Widths are logarithms of the number of points.
        max_rectangle_per_icicle : int, default 20
            Most bars that a cluster is drawn with.

        Returns
        -------
        dict
            `bar_centers`, `bar_tops` (the heights of the bars), `bar_bottoms`, `bar_widths`; `line_xs`, `line_ys`: both
            ends of the lines at the splits; `cluster_bounds`: left, right, bottom and top of each cluster, by number.
            Infinite lambdas are drawn a tenth above the greatest finite one.
        """
        from emst.plots.icicles import icicles

        layout = icicles(self._raw_tree, leaf_separation, log_size, max_rectangle_per_icicle)
        centers, widths, bottoms, tops = layout.bars.T
        return {
            "bar_centers": centers,
            "bar_tops": tops,
            "bar_bottoms": bottoms,
            "bar_widths": widths,
            "line_xs": layout.lines[:, :, 0],
            "line_ys": layout.lines[:, :, 1],
            "cluster_bounds": dict(zip(layout.cluster.tolist(), layout.bounds.tolist())),
        }

    def plot(
        self,
        leaf_separation: float = 1,
        cmap: Any = "viridis",
        select_clusters: bool = False,
        label_clusters: bool = False,
        selection_palette: Any = None,
        axis: Axes | None = None,
        colorbar: bool = True,
        log_size: bool = False,
        max_rectangles_per_icicle: int = 20,
        *,
        ax: Axes | None = None,
        max_leaves: int = 60,
    ) -> Axes:
        """Draw the tree as icicles; of many branches only the most stable.

        Parameters
        ----------
        leaf_separation, cmap, label_clusters, selection_palette, colorbar, log_size, max_rectangles_per_icicle, ax
            See `emst.plots.plot_condensed_tree`.
        axis : matplotlib Axes, optional
            hdbscan's name for `ax`.
        select_clusters : bool, default False
            Circle the selected clusters.
        max_leaves : int, default 60
            Most branches that are drawn.

        Returns
        -------
        matplotlib Axes
            What was drawn into.
        """
        from emst.plots.condensed import plot_condensed_tree

        return plot_condensed_tree(
            self._raw_tree,
            self._select_clusters() if select_clusters else [],
            leaf_separation=leaf_separation,
            cmap=cmap,
            label_clusters=label_clusters,
            selection_palette=selection_palette,
            ax=axis if ax is None else ax,
            colorbar=colorbar,
            log_size=log_size,
            max_rectangles_per_icicle=max_rectangles_per_icicle,
            max_leaves=max_leaves,
        )
