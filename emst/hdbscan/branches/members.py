"""Which points belong to which cluster, and with which weight: by the clustering, or by labels that are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.hdbscan.model import Model
from emst.inputs.devices import to_host

MOST_LABELS = 1_000_000  # labels below this are accepted, however few points there are


@dataclass(frozen=True, eq=False)
class Members:
    """The clusters whose branches are wanted. Arrays lie on the host; points are numbered as in the spanning tree."""

    labels: np.ndarray  # int64[m], -1 for noise
    probabilities: np.ndarray  # float64[m], 0 for noise
    points: list[np.ndarray]  # int64[s] for each cluster: its points, ascending


def members_of(fitted: Model, labels: Any = None, probabilities: Any = None) -> Members:
    """The clusters of a fitted model, or those of `labels` for the caller's n rows.

    Raises
    ------
    ValueError
        `labels` or `probabilities` do not fit the data; the message names the first bad entry.
    """
    if labels is None:
        cluster, probability = whole_root(fitted, *_clustering(fitted))
    else:
        cluster = _given_labels(fitted, labels)
        probability = (cluster >= 0).astype(np.float64)
    if probabilities is not None:
        probability = np.where(cluster >= 0, _given_probabilities(fitted, probabilities), 0.0)
    order = np.argsort(cluster, kind="stable")
    ends = np.searchsorted(cluster[order], np.arange(int(cluster.max(initial=-1)) + 2))
    return Members(cluster, probability, [order[begin:end] for begin, end in zip(ends[:-1], ends[1:])])


def whole_root(fitted: Model, labels: np.ndarray, probabilities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels and probabilities, but with all points in the cluster if it is the root.

    The root has no density at which it begins. Its members by HDBSCAN* are the densest points only, and its branches
    would be cut off. So all its points are members, or with an epsilon those that leave above it, all with
    probability 1.
    """
    if fitted.flat is None or to_host(fitted.flat.selection.chosen).tolist() != [0]:
        return labels, probabilities
    members = labels >= 0 if fitted.options.epsilon > 0 else np.ones(len(labels), bool)
    return np.where(members, 0, -1), members.astype(np.float64)


def _clustering(fitted: Model) -> tuple[np.ndarray, np.ndarray]:
    """Labels and probabilities of the points of the tree, as HDBSCAN* gives them."""
    if fitted.flat is None:  # of a single point, or none
        return to_host(fitted.of_none(-1, np.int64)), to_host(fitted.of_none(0, np.float64))
    return to_host(fitted.flat.labels), to_host(fitted.flat.probabilities)


def _given_labels(fitted: Model, labels: Any) -> np.ndarray:
    """The labels of the points of the tree."""
    labels = np.asarray(to_host(labels))
    if labels.shape != (fitted.n,) or labels.dtype.kind not in "iu":
        raise ValueError(f"labels must be {fitted.n:,} integers; got {labels.dtype} of shape {labels.shape}")
    greatest = int(labels.max(initial=-1))
    if greatest >= max(fitted.n, MOST_LABELS):  # there is a list of members for each label
        raise ValueError(
            f"labels must be numbers of clusters from 0; got {greatest:,}: np.unique(labels, return_inverse=True)[1] "
            "numbers them"
        )
    return np.maximum(_of_points(fitted, labels).astype(np.int64), -1)


def _given_probabilities(fitted: Model, probabilities: Any) -> np.ndarray:
    """The probabilities of the points of the tree."""
    values = np.asarray(to_host(probabilities))
    if values.shape != (fitted.n,) or values.dtype.kind not in "fiu":
        raise ValueError(f"probabilities must be {fitted.n:,} numbers; got {values.dtype} of shape {values.shape}")
    values = _of_points(fitted, values).astype(np.float64)
    wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if len(wrong):
        row = int(wrong[0] if fitted.kept is None else to_host(fitted.kept)[wrong[0]])
        raise ValueError(
            f"probabilities must be from 0 to 1; got {values[wrong[0]]} in row {row}, one of {len(wrong):,} bad entries"
        )
    return values


def _of_points(fitted: Model, values: np.ndarray) -> np.ndarray:
    return values if fitted.kept is None else values[to_host(fitted.kept)]
