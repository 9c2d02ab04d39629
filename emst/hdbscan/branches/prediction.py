"""The branch of a new point is that of the training point that it joins, if that point is in the same cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from emst.hdbscan.branches.detector import BranchDetector
from emst.hdbscan.branches.members import whole_root
from emst.hdbscan.prediction import approximate_predict
from emst.inputs.devices import giver, to_host


def approximate_predict_branch(detector: Any, X: Any) -> tuple[Any, ...]:
    """Cluster and branch of new points, which do not change them.

    Parameters
    ----------
    detector : BranchDetector
        Fitted.
    X : array-like of shape (m, n_features)
        New points, with the features of the training data.

    Returns
    -------
    labels : int64 array of shape (m,)
        As `labels_` of the detector: that of the training point that the new point joins, or -1 if the new point
        belongs to no cluster, or to another one than this training point.
    probabilities : float64 array of shape (m,)
        That of the cluster; in a cluster with branches the mean of those of cluster and branch; 0 for noise.
    cluster_labels : int64 array of shape (m,)
        The label by `approximate_predict`. If the detector was fitted to other labels, that of the training point.
    cluster_probabilities : float64 array of shape (m,)
        The probability in the cluster, in the same way.
    branch_labels : int64 array of shape (m,)
        Branch of the training point within its cluster; 0 for noise.
    branch_probabilities : float64 array of shape (m,)
        That of the training point; 1 for noise.

        Rows with infinite values or NaN get what such training rows have. A row that equals a training row gets its
        labels and probabilities.

    Raises
    ------
    TypeError
        `detector` is not a `BranchDetector`.
    sklearn.exceptions.NotFittedError
        It has not been fitted.
    ValueError
        `X` does not have the features of the training data.

    Examples
    --------
    >>> import numpy as np
    >>> from emst import HDBSCANGPU, BranchDetector, approximate_predict_branch
    >>> rng = np.random.default_rng(0)
    >>> angle = np.repeat([0.5, 2.6, 4.7], 100)
    >>> X = np.stack([np.cos(angle), np.sin(angle)], axis=1) * rng.uniform(0, 9, (300, 1))
    >>> X += rng.normal(scale=0.2, size=X.shape)
    >>> model = HDBSCANGPU(min_cluster_size=20, min_samples=5, allow_single_cluster=True).fit(X)
    >>> detector = BranchDetector(allow_single_cluster=False).fit(model)
    >>> labels = approximate_predict_branch(detector, X)[0]
    >>> bool((labels == detector.labels_).all())
    True
    """
    if not isinstance(detector, BranchDetector):
        kind = type(detector)
        raise TypeError(
            f"the first argument must be a fitted BranchDetector; got {kind.__module__}.{kind.__qualname__}"
        )
    check_is_fitted(detector)
    of_clusters = approximate_predict(detector.model_, X, return_connecting_points=True)
    cluster_labels, cluster_probabilities, rows = (to_host(array).copy() for array in of_clusters)
    finite = np.flatnonzero(rows >= 0)
    rows = rows[finite]
    theirs = to_host(detector.cluster_labels_)[rows]
    if detector._labels_given:
        cluster, probability = theirs, to_host(detector.cluster_probabilities_)[rows]
    else:
        cluster, probability = whole_root(detector._model, cluster_labels[finite], cluster_probabilities[finite])
    same = (cluster >= 0) & (cluster == theirs)
    cluster_labels[finite] = np.where(same, cluster, -1)
    cluster_probabilities[finite] = np.where(same, probability, 0)
    finite, rows = finite[same], rows[same]

    labels, probabilities = cluster_labels.copy(), cluster_probabilities.copy()
    branch_labels = np.zeros_like(labels)
    branch_probabilities = np.where(labels < -1, probabilities, 1.0)  # of rows that are not finite 0 or NaN
    labels[finite] = to_host(detector.labels_)[rows]
    branch_labels[finite] = to_host(detector.branch_labels_)[rows]
    branch_probabilities[finite] = to_host(detector.branch_probabilities_)[rows]
    divided = finite[detector._divided[cluster_labels[finite]]]
    probabilities[divided] = (probabilities[divided] + branch_probabilities[divided]) / 2
    give = giver(X)
    results = labels, probabilities, cluster_labels, cluster_probabilities, branch_labels, branch_probabilities
    return tuple(map(give, results))
