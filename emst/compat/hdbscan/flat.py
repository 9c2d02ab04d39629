"""hdbscan's clusterings with a given number of clusters: the greatest epsilon that gives so many.

With a greater epsilon, clusters are replaced by common ancestors, so their number never grows, and epsilon is found by
bisection over the distances at which clusters split. Each trial selects clusters of the same dendrogram again
(`HDBSCANGPU.recluster`). New points are predicted in the clustering that was selected.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from emst.compat.clusterer import noise_for_missing
from emst.compat.hdbscan.hdbscan_ import HDBSCAN
from emst.compat.hdbscan.prediction import PredictionData, exact_of
from emst.compat.hdbscan.prediction import all_points_membership_vectors as memberships_of_all
from emst.compat.hdbscan.prediction import membership_vector as memberships
from emst.hdbscan import HDBSCANGPU
from emst.hdbscan import prediction as exact_prediction
from emst.hdbscan.parameters import NONE, NOT_NEGATIVE, at_least
from emst.inputs.summary import counted

N_CLUSTERS = at_least(1) | NONE
EPSILON = NOT_NEGATIVE | NONE


def HDBSCAN_flat(
    X: Any,
    n_clusters: int | None = None,
    cluster_selection_epsilon: float = 0.0,
    clusterer: HDBSCAN | None = None,
    inplace: bool = False,
    **kwargs: Any,
) -> HDBSCAN:
    """Fit a clusterer, and select a given number of clusters.

    Parameters
    ----------
    X : array-like
        What `HDBSCAN.fit` takes.
    n_clusters : int, optional
        Number of clusters. None takes `cluster_selection_epsilon`.
    cluster_selection_epsilon : float, default 0.0
        Has no effect if `n_clusters` is given.
    clusterer : HDBSCAN, optional
        Whose parameters to take.
    inplace : bool, default False
        Fit `clusterer` itself, not a copy.
    **kwargs
        Parameters of `HDBSCAN`, if there is no `clusterer`.

    Returns
    -------
    HDBSCAN
        Fitted, with prediction data. Its `cluster_selection_epsilon` and `cluster_selection_method` are those that gave
        the clusters: "leaf" if "eom" has fewer than `n_clusters`, with a UserWarning. If there are fewer leaves, they
        are the clusters, with a UserWarning, too.

    Raises
    ------
    ValueError
        No epsilon gives exactly `n_clusters` clusters.
    """
    _check(n_clusters, cluster_selection_epsilon)
    if clusterer is None:
        fitted = HDBSCAN(**kwargs)
    elif inplace:
        fitted = clusterer
    else:
        fitted = HDBSCAN(**clusterer.get_params())
    fitted.set_params(prediction_data=True).fit(X)
    if n_clusters is None and cluster_selection_epsilon == 0:
        return fitted
    if n_clusters is not None and cluster_selection_epsilon != 0:
        warnings.warn("cluster_selection_epsilon has no effect with n_clusters", UserWarning, stacklevel=2)
    exact = _selected(fitted.exact_, n_clusters, cluster_selection_epsilon)
    fitted.cluster_selection_method = exact.cluster_selection_method
    fitted.cluster_selection_epsilon = exact.cluster_selection_epsilon
    fitted._take(exact)
    return fitted


def approximate_predict_flat(
    clusterer: Any,
    points_to_predict: Any,
    n_clusters: int | None = None,
    cluster_selection_epsilon: float | None = None,
    prediction_data: PredictionData | None = None,
    return_prediction_data: bool = False,
) -> Any:
    """Labels and probabilities of new points, for a given number of clusters.

    Parameters
    ----------
    clusterer : HDBSCAN
        Fitted, with prediction data; it stays as it is.
    points_to_predict : array-like of shape (m, d)
        New points.
    n_clusters : int, optional
        Number of clusters of the training data. None takes `cluster_selection_epsilon`.
    cluster_selection_epsilon : float, optional
        None takes the clusters of `clusterer`.
    prediction_data : PredictionData, optional
        What an earlier call returned, whose clusters to take.
    return_prediction_data : bool, default False
        Return `data` as well.

    Returns
    -------
    labels : int64 array of shape (m,)
        Label of each point; -1 for noise.
    probabilities : float64 array of shape (m,)
        From 0 to 1; 0 for noise.
    data : PredictionData
        What later calls can take as `prediction_data`. Only if ``return_prediction_data=True``.
    """
    exact = _clusters(clusterer, prediction_data, n_clusters, cluster_selection_epsilon)
    results = noise_for_missing(*exact_prediction.approximate_predict(exact, points_to_predict))
    return (*results, PredictionData(exact)) if return_prediction_data else results


def membership_vector_flat(
    clusterer: Any,
    points_to_predict: Any,
    prediction_data: PredictionData | None = None,
    n_clusters: int | None = None,
    cluster_selection_epsilon: float = 0.0,
) -> Any:
    """Degrees to which new points belong to each of a given number of clusters.

    Parameters
    ----------
    clusterer, points_to_predict, prediction_data, n_clusters
        See `approximate_predict_flat`.
    cluster_selection_epsilon : float, default 0.0
        0 takes the clusters of `clusterer`.

    Returns
    -------
    float64 array of shape (m, n_clusters)
        The sum of a row is the probability that the point belongs to any cluster. Without clusters a zero for each
        point, of shape (m,).
    """
    exact = _clusters(clusterer, prediction_data, n_clusters, cluster_selection_epsilon or None)
    return memberships(exact, points_to_predict)


def all_points_membership_vectors_flat(
    clusterer: Any,
    prediction_data: PredictionData | None = None,
    n_clusters: int | None = None,
    cluster_selection_epsilon: float | None = None,
) -> Any:
    """Degrees to which the training points belong to each of a given number of clusters.

    Parameters
    ----------
    clusterer, prediction_data, n_clusters, cluster_selection_epsilon
        See `approximate_predict_flat`.

    Returns
    -------
    float64 array of shape (n, n_clusters)
        The sum of a row is the probability that the point belongs to any cluster. Without clusters a zero for each
        point, of shape (n,).
    """
    return memberships_of_all(_clusters(clusterer, prediction_data, n_clusters, cluster_selection_epsilon))


def _check(n_clusters: Any, epsilon: Any) -> None:
    N_CLUSTERS.check("n_clusters", n_clusters)
    EPSILON.check("cluster_selection_epsilon", epsilon)


def _clusters(clusterer: Any, data: PredictionData | None, n_clusters: int | None, epsilon: float | None) -> HDBSCANGPU:
    """The clusterer with the clusters that are asked for."""
    _check(n_clusters, epsilon)
    if data is not None:
        return data.exact
    exact = exact_of(clusterer)
    return exact if n_clusters is None and epsilon is None else _selected(exact, n_clusters, epsilon or 0.0)


def _selected(exact: HDBSCANGPU, n_clusters: int | None, epsilon: float) -> HDBSCANGPU:
    """The same dendrogram with `n_clusters` clusters, or with those of this epsilon."""
    if n_clusters is None:
        return exact.recluster(cluster_selection_epsilon=float(epsilon))
    most = exact.recluster(cluster_selection_epsilon=0.0)
    if most.cluster_selection_method == "eom" and n_clusters > _count(most):
        warnings.warn(
            f"Cannot predict more than {_count(most)} with cluster selection method 'eom'. "
            "Changing to method 'leaf'...",
            UserWarning,
            stacklevel=4,
        )
        most = most.recluster(cluster_selection_method="leaf")
    if n_clusters > _count(most):
        warnings.warn(f"there are only {_count(most)} clusters", UserWarning, stacklevel=4)
        return most
    return _with_count(most, int(n_clusters))


def _with_count(most: HDBSCANGPU, n_clusters: int) -> HDBSCANGPU:
    """The greatest epsilon with at least `n_clusters` clusters, if it gives exactly as many."""
    rows = most.condensed_tree_.to_numpy()
    lambdas = np.unique(rows["lambda_val"][rows["child_size"] > 1])  # at which clusters split, ascending
    below, least = len(lambdas), most  # lambdas[below] and all greater ones give enough clusters
    above = -1
    while below - above > 1:
        middle = (below + above) // 2
        trial = most.recluster(cluster_selection_epsilon=float(np.nextafter(1 / lambdas[middle], 0)))
        if _count(trial) >= n_clusters:
            below, least = middle, trial
        else:
            above = middle
    if _count(least) != n_clusters:
        raise ValueError(
            f"no cluster_selection_epsilon gives {counted(n_clusters, 'cluster')} with method "
            f"{most.cluster_selection_method!r}; the next number is {_count(least)}"
        )
    return least


def _count(exact: HDBSCANGPU) -> int:
    return len(exact.cluster_persistence_)
