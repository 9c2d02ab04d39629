"""hdbscan's functions for new points, on models of `emst.compat` and on `HDBSCANGPU`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from emst.compat.clusterer import PeerClusterer, noise_for_missing
from emst.hdbscan import HDBSCANGPU
from emst.hdbscan import membership as exact_membership
from emst.hdbscan import prediction as exact_prediction

NO_CLUSTERS = "Clusterer does not have any defined clusters, "


class PredictionData:
    """What hdbscan's predictions read, as far as programs look at it.

    Parameters
    ----------
    exact : HDBSCANGPU
        A fitted estimator.

    Attributes
    ----------
    raw_data : array of shape (n, d)
        The training data.
    core_distances : array of shape (n,)
        Core distances of the rows.
    exemplars : list of arrays of shape (number of exemplars, d)
        Exemplars of each cluster.
    """

    def __init__(self, exact: HDBSCANGPU) -> None:
        self.exact = exact

    @property
    def raw_data(self) -> Any:
        """The training data."""
        return self.exact._model.data

    @property
    def core_distances(self) -> Any:
        """Core distances of the rows."""
        return self.exact.core_distances_

    @property
    def exemplars(self) -> list[Any]:
        """Exemplars of each cluster."""
        return self.exact.exemplars_


def exact_of(clusterer: Any) -> HDBSCANGPU:
    """The fitted `HDBSCANGPU` of a clusterer that may predict.

    Raises
    ------
    TypeError
        It is no clusterer; the points, if the caller has swapped the arguments.
    ValueError
        The clusterer was fitted without prediction data.
    """
    if isinstance(clusterer, HDBSCANGPU):
        return clusterer
    if not isinstance(clusterer, PeerClusterer):
        kind = type(clusterer)
        raise TypeError(f"clusterer must be a fitted HDBSCAN; got {kind.__module__}.{kind.__qualname__}")
    exact = clusterer._fitted()
    if not clusterer._prepared:
        raise ValueError("predictions need prediction_data=True, or a call of generate_prediction_data()")
    return exact


def approximate_predict(clusterer: Any, points_to_predict: Any, return_connecting_points: bool = False) -> Any:
    """Labels and probabilities of new points; see `emst.approximate_predict`. Rows that are not finite are noise.

    Parameters
    ----------
    clusterer : HDBSCAN
        Fitted, with prediction data.
    points_to_predict : array-like of shape (m, d)
        New points.
    return_connecting_points : bool, default False
        Return `neighbors` as well.

    Returns
    -------
    labels : int64 array of shape (m,)
        Label of each point; -1 for noise.
    probabilities : float64 array of shape (m,)
        From 0 to 1; 0 for noise.
    neighbors : int64 array of shape (m,)
        Row of the training point that each new point joins. Only if ``return_connecting_points=True``.
    """
    exact = exact_of(clusterer)
    labels, probabilities, neighbors = exact_prediction.approximate_predict(exact, points_to_predict, True)
    _warn_if_no_clusters(exact, "new data will be automatically predicted as noise.")
    results = noise_for_missing(labels, probabilities)
    return (*results, neighbors) if return_connecting_points else results


def approximate_predict_scores(clusterer: Any, points_to_predict: Any) -> Any:
    """Outlier scores of new points; see `emst.approximate_predict_scores`. Rows that are not finite have score 1.

    They are GLOSH's, from 0 to 1. hdbscan's can be negative: see docs/migration/differences.md.

    Parameters
    ----------
    clusterer : HDBSCAN
        Fitted, with prediction data.
    points_to_predict : array-like of shape (m, d)
        New points.

    Returns
    -------
    float64 array of shape (m,)
        From 0 to 1.
    """
    exact = exact_of(clusterer)
    scores = exact_prediction.approximate_predict_scores(exact, points_to_predict)
    _warn_if_no_clusters(exact, "outlier scores of new data compare it with the condensed tree alone.")
    scores[scores != scores] = 1
    return scores


def membership_vector(clusterer: Any, points_to_predict: Any) -> Any:
    """Degrees to which new points belong to the clusters; see `emst.membership_vector`.

    Parameters
    ----------
    clusterer : HDBSCAN
        Fitted, with prediction data.
    points_to_predict : array-like of shape (m, d)
        New points.

    Returns
    -------
    float64 array of shape (m, n_clusters)
        The sum of a row is the probability that the point belongs to any cluster. Without clusters a zero for each
        point, of shape (m,).
    """
    exact = exact_of(clusterer)
    return _flat_if_empty(exact_membership.membership_vector(exact, points_to_predict))


def all_points_membership_vectors(clusterer: Any) -> Any:
    """Degrees to which the training points belong to the clusters; see `emst.all_points_membership_vectors`.

    Parameters
    ----------
    clusterer : HDBSCAN
        Fitted, with prediction data.

    Returns
    -------
    float64 array of shape (n, n_clusters)
        The sum of a row is the probability that the point belongs to any cluster. Without clusters a zero for each
        point, of shape (n,).
    """
    return _flat_if_empty(exact_membership.all_points_membership_vectors(exact_of(clusterer)))


def _flat_if_empty(memberships: Any) -> Any:
    """As in hdbscan, one zero for each point if there are no clusters."""
    return memberships if memberships.shape[1] else np.zeros_like(memberships, shape=(len(memberships),))


def _warn_if_no_clusters(exact: HDBSCANGPU, consequence: str) -> None:
    if not len(exact.cluster_persistence_):
        warnings.warn(NO_CLUSTERS + consequence, UserWarning, stacklevel=3)
