"""The estimator's parameters: what they may be, and what they ask of the stages."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from emst.backend.records import Report
from emst.distances.metrics import NAMES, Metric, metric_of
from emst.hierarchy.selection import Options

CONSTRAINTS: dict[str, Any] = {
    "min_cluster_size": [Interval(Integral, 2, None, closed="left")],
    "min_samples": [Interval(Integral, 1, None, closed="left"), None],
    "cluster_selection_epsilon": [Interval(Real, 0, None, closed="left")],
    "max_cluster_size": [None, Interval(Integral, 1, None, closed="left")],
    "metric": [StrOptions(NAMES), callable],
    "metric_params": [dict, None],
    "alpha": [Interval(Real, 0, None, closed="neither")],
    "algorithm": [StrOptions({"auto", "brute", "kd_tree", "ball_tree"})],
    "leaf_size": [Interval(Integral, 1, None, closed="left")],
    "n_jobs": [Integral, None],
    "cluster_selection_method": [StrOptions({"eom", "leaf"})],
    "allow_single_cluster": ["boolean"],
    "store_centers": [None, StrOptions({"centroid", "medoid", "both"})],
    "copy": ["boolean"],
    "cluster_selection_persistence": [Interval(Real, 0, None, closed="left")],
    "prediction_data": ["boolean"],
    "device": [StrOptions({"auto", "cpu", "cuda"})],
    "dtype": "no_validation",  # the door does it
    "verbose": ["verbose"],
}

RECLUSTERED = (
    "min_cluster_size",
    "cluster_selection_epsilon",
    "max_cluster_size",
    "cluster_selection_method",
    "allow_single_cluster",
    "store_centers",
    "cluster_selection_persistence",
)


@dataclass(frozen=True)
class Request:
    """What is asked of a fit beside the data."""

    metric: Metric
    min_samples: int
    alpha: float
    options: Options
    device: str
    dtype: Any
    verbose: bool
    report: Report | None  # is told every round


def request_of(estimator: Any, *, sparse: bool) -> Request:
    """What a fit of the estimator asks of data that is sparse, or is not."""
    k = estimator.min_cluster_size if estimator.min_samples is None else estimator.min_samples
    alpha = float(estimator.alpha)
    return Request(
        metric=metric_of(
            estimator.metric, estimator.metric_params, algorithm=estimator.algorithm, alpha=alpha, sparse=sparse
        ),
        min_samples=int(k),
        alpha=alpha,
        options=options_of(estimator),
        device=estimator.device,
        dtype=estimator.dtype,
        verbose=bool(estimator.verbose),
        report=estimator._report,
    )


def options_of(estimator: Any) -> Options:
    """What the estimator asks of a flat clustering; ValueError if it cannot have that of its metric."""
    if estimator.metric == "precomputed" and estimator.store_centers is not None:
        raise ValueError("Cannot store centers when using a precomputed distance matrix.")
    most = estimator.max_cluster_size
    return Options(
        min_cluster_size=int(estimator.min_cluster_size),
        method=estimator.cluster_selection_method,
        epsilon=float(estimator.cluster_selection_epsilon),
        persistence=float(estimator.cluster_selection_persistence),
        max_cluster_size=None if most is None else int(most),
        allow_single_cluster=bool(estimator.allow_single_cluster),
    )
