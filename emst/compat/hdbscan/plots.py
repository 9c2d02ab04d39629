"""hdbscan's tree classes, made from plain arrays; fitted models have `CondensedTree`, ... of `emst.hdbscan.trees`."""

from __future__ import annotations

from typing import Any

import numpy as np

from emst.backend.records import Linkage
from emst.hdbscan import trees
from emst.hdbscan.trees.sources import ROW


class CondensedTree(trees.CondensedTree):
    """A condensed tree from hdbscan's table.

    Parameters
    ----------
    condensed_tree_array : structured array
        With the fields parent, child, lambda_val and child_size.
    labels : int array of shape (n,)
        Label of each point; `plot` marks the clusters that they come from.
    """

    def __init__(self, condensed_tree_array: np.ndarray, labels: Any) -> None:
        rows = np.empty(len(condensed_tree_array), ROW)
        for name in ROW.names or ():
            rows[name] = condensed_tree_array[name]
        self._source, self._options = None, None
        self._fetched = rows, _selected(rows, np.asarray(labels))


class SingleLinkageTree(trees.SingleLinkageTree):
    """A single linkage tree from SciPy's linkage matrix.

    Parameters
    ----------
    linkage : float array of shape (n - 1, 4)
        Heights must ascend.
    """

    def __init__(self, linkage: np.ndarray) -> None:
        matrix = np.asarray(linkage, np.float64)
        if matrix.ndim != 2 or matrix.shape[1] != 4 or not (np.diff(matrix[:, 2]) >= 0).all():
            raise ValueError("linkage must be SciPy's matrix of shape (n - 1, 4), with ascending heights")
        child = np.sort(matrix[:, :2].astype(np.int64) - len(matrix) - 1, axis=1).astype(np.int32)
        super().__init__(Linkage(child, matrix[:, 3].astype(np.int32), np.ascontiguousarray(matrix[:, 2])))


class MinimumSpanningTree(trees.SpanningTree):
    """A spanning tree from its edges.

    Parameters
    ----------
    mst : float array of shape (n - 1, 3)
        Both ends and the distance of each edge.
    data : array-like of shape (n, d), optional
        The points, for `plot`.
    """

    def __init__(self, mst: np.ndarray, data: Any = None) -> None:
        rows = np.asarray(mst, np.float64)
        rows = rows[np.argsort(rows[:, 2], kind="stable")]
        super().__init__(rows[:, :2].astype(np.int32), rows[:, 2].copy(), data)


def _selected(rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Of every label, the least number of a cluster that one of its points leaves, which hdbscan takes for the selected
    one."""
    points = rows[rows["child"] < len(labels)]
    label, cluster = labels[points["child"]], points["parent"]
    chosen = np.full(int(labels.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(chosen, label[label >= 0], cluster[label >= 0])
    return chosen
