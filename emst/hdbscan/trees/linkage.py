"""The single linkage tree as an object."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from emst.backend import backend_of
from emst.backend.records import Array, Linkage
from emst.hdbscan.trees.table import Table, kept_rows
from emst.hierarchy.selection import check_cut
from emst.inputs.devices import to_host
from emst.inputs.optional import optional
from emst.inputs.summary import counted, device_of, infinite_and_sum, one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class SingleLinkageTree(Table):
    """The single linkage tree as a table: merge i joins two clusters to cluster n + i.

    The columns are `parent` (n + i), `left_child`, `right_child`, `distance` and `size` (number of points of the merged
    cluster). `to_numpy` returns SciPy's linkage matrix, of shape (n - 1, 4), which has no column `parent`. Points that
    are not in the hierarchy join last, at an infinite distance.

    Parameters
    ----------
    linkage : Linkage
        The dendrogram of m points, on either backend.
    rows : int array of shape (m,), optional
        Row of the data of each of the m points; by default 0 ... m - 1.
    n : int, optional
        Number of rows of the data; m by default.
    weights : array of shape (m,), optional
        Of the m points; the sizes in `linkage` are sums of them. Rows that are no points count 0.
    alone : array of shape (m,), optional
        With `weights`: the height at which the copies of each point join. It is infinite where the weight is below 2.
    """

    def __init__(
        self,
        linkage: Linkage,
        *,
        rows: Array = None,
        n: int | None = None,
        weights: np.ndarray | None = None,
        alone: np.ndarray | None = None,
    ) -> None:
        self._source, self._weights, self._alone = linkage, weights, alone
        self._kept, self._n = rows, n

    def __repr__(self) -> str:
        height, m = self._source.height, self._source.n
        n = m if self._n is None else self._n
        infinite, total = infinite_and_sum(height)
        return one_line(
            self,
            counted(n, "point"),
            counted(max(n - 1, 0), "merge"),
            counted(1 + infinite + n - m, "component"),
            f"total distance {total}",
            f"device {device_of(height)}",
        )

    def _fetch(self) -> tuple[Linkage, np.ndarray, int]:
        """The linkage of the m points, their rows in the data, and the number of all rows, on the host."""
        linkage = self._source
        if not isinstance(linkage.height, np.ndarray):
            linkage = self._source = Linkage(to_host(linkage.child), to_host(linkage.size), to_host(linkage.height))
        self._kept, self._n = kept_rows(self._kept, self._n, linkage.n)
        return linkage, self._kept, self._n

    def __getstate__(self) -> dict[str, Any]:
        linkage, _, _ = self._fetch()
        return {**self.__dict__, "_source": replace(linkage, scratch=None)}

    def to_numpy(self) -> np.ndarray:
        """SciPy's linkage matrix.

        Returns
        -------
        float64 array of shape (n - 1, 4)
            The two clusters of each merge, its distance, and its number of points.
        """
        linkage, kept, n = self._fetch()
        merges = len(linkage.size)
        matrix = np.empty((max(n - 1, 0), 4))
        matrix[:merges, :2] = _numbers(linkage.child, kept, n)
        matrix[:merges, 2] = linkage.height
        matrix[:merges, 3] = linkage.size
        others = np.delete(np.arange(n), kept)  # each of them joins the cluster of the merge before
        before = np.arange(n + merges - 1, 2 * n - 2)
        if merges == 0 and n > 1:  # no merge before the first: it joins two points
            others = np.concatenate([kept, others])
            before[0], others = others[0], others[1:]
        matrix[merges:, :2] = np.sort(np.stack([others, before], axis=1), axis=1)
        matrix[merges:, 2] = np.inf
        matrix[merges:, 3] = np.arange(merges + 2, n + 1) if self._weights is None else self._weights.sum()
        return matrix

    def _weights_of_rows(self) -> np.ndarray:
        """Weights of all n rows."""
        _, kept, n = self._fetch()
        assert self._weights is not None
        weights = np.zeros(n, self._weights.dtype)
        weights[kept] = self._weights
        return weights

    def _columns(self) -> dict[str, np.ndarray]:
        matrix = self.to_numpy()
        left, right = (matrix[:, i].astype(np.int64) for i in (0, 1))
        whole = self._weights is None or self._weights.dtype.kind == "i"
        size = matrix[:, 3].astype(np.int64) if whole else matrix[:, 3]
        parent = len(matrix) + 1 + np.arange(len(matrix))
        return {"parent": parent, "left_child": left, "right_child": right, "distance": matrix[:, 2], "size": size}

    def to_networkx(self) -> Any:
        """The tree as a graph of networkx.

        Returns
        -------
        networkx.DiGraph
            From parents to children. The attribute `weight` of an edge is its distance, `size` of a node is its number
            of points.
        """
        parent, left, right, distance, size = (column.tolist() for column in self._columns().values())
        graph = optional("networkx").DiGraph()
        weights = np.ones(len(parent) + 1, np.int64) if self._weights is None else self._weights_of_rows()
        graph.add_nodes_from((row, {"size": weight}) for row, weight in enumerate(weights.tolist()))
        graph.add_nodes_from((p, {"size": s}) for p, s in zip(parent, size))
        graph.add_weighted_edges_from(zip(parent, left, distance))
        graph.add_weighted_edges_from(zip(parent, right, distance))
        return graph

    def get_clusters(self, cut_distance: float, min_cluster_size: int = 5) -> np.ndarray:
        """Labels of the clusters below a cut through the tree: DBSCAN* with this distance as epsilon.

        Parameters
        ----------
        cut_distance : float
            Merges below this distance are made.
        min_cluster_size : int, default 5
            Smaller clusters are noise.

        Returns
        -------
        int64 array of shape (n,)
            Clusters are numbered in the order of their first points. -1 for noise, and for points that are not in the
            hierarchy.
        """
        height, least = check_cut(cut_distance, min_cluster_size)
        linkage, kept, n = self._fetch()
        labels = np.full(n, -1, np.int64)
        if self._weights is not None and self._alone is not None and least > 1:
            joined = backend_of("cpu").cut(linkage, height, 1)
            labels[kept] = _large(joined, self._weights, self._alone < np.float64(height), least)
        else:
            labels[kept] = backend_of("cpu").cut(linkage, height, least)
        return labels

    def plot(
        self,
        axis: Axes | None = None,
        truncate_mode: str | None = None,
        p: int = 0,
        vary_line_width: bool = True,
        cmap: Any = "viridis",
        colorbar: bool = True,
        *,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the dendrogram; of more than 10,000 merges only the main branches.

        Parameters
        ----------
        truncate_mode, p, vary_line_width, cmap, colorbar, ax
            See `emst.plots.plot_single_linkage_tree`.
        axis : matplotlib Axes, optional
            hdbscan's name for `ax`.

        Returns
        -------
        matplotlib Axes
            What was drawn into.
        """
        from emst.plots.dendrogram import plot_single_linkage_tree

        return plot_single_linkage_tree(
            self.to_numpy(),
            ax=axis if ax is None else ax,
            truncate_mode=truncate_mode,
            p=p,
            vary_line_width=vary_line_width,
            cmap=cmap,
            colorbar=colorbar,
        )


def _large(labels: np.ndarray, weights: np.ndarray, together: np.ndarray, least: int) -> np.ndarray:
    """Labels of those clusters whose weights sum to at least `least`, in their order; the others are noise, -1. A point
    alone is a cluster only if its copies are `together`."""
    several = (np.bincount(labels) > 1) | (np.bincount(labels, together) > 0)
    enough = several & (np.bincount(labels, weights) >= least)
    return np.where(enough[labels], (np.cumsum(enough) - 1)[labels], -1)


def _numbers(clusters: np.ndarray, kept: np.ndarray, n: int) -> np.ndarray:
    """Numbers of clusters in SciPy's matrix of all n rows, from their names in a `Linkage` of the kept rows."""
    points = clusters < 0
    return np.where(points, kept[np.where(points, clusters, -1) + len(kept)], n + clusters.astype(np.int64))
