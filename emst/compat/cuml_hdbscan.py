"""cuML's HDBSCAN (`cuml.cluster.hdbscan`, 26.10) over `HDBSCANGPU`: ``from emst.compat.cuml_hdbscan import HDBSCAN``.

`min_samples` does not count the point itself, as in cuML. Trees are exact and of any precision: float64 stays float64.
Results are arrays of the same kind as `X`, or of the `output_type`.
"""

from __future__ import annotations

from typing import Any

from emst.compat.clusterer import PeerClusterer, noise_for_missing
from emst.compat.counting import is_sparse, limit_of, number_of_points, with_the_point
from emst.compat.exact import PeersHDBSCAN
from emst.compat.hdbscan.algorithms import metric_of
from emst.compat.hdbscan.prediction import exact_of
from emst.hdbscan import HDBSCANGPU
from emst.hdbscan import membership as exact_membership
from emst.hdbscan import prediction as exact_prediction
from emst.inputs.devices import choose_device, to_host

__all__ = ["HDBSCAN", "all_points_membership_vectors", "approximate_predict", "membership_vector"]

BUILDS = ("brute_force", "nn_descent")
OUTPUTS = (None, "input", "numpy", "cupy")


class HDBSCAN(PeerClusterer):
    """`cuml.cluster.hdbscan.HDBSCAN`, computed exactly by `HDBSCANGPU`, which `exact_` holds after `fit`.

    Parameters
    ----------
    min_cluster_size : int, default 5
        Smallest number of points that is a cluster.
    min_samples : int, optional
        The core distance of a point is the distance to its `min_samples`-th nearest **other** point. None takes
        `min_cluster_size`. At most the number of rows; cuML takes up to 1023.
    cluster_selection_epsilon, cluster_selection_method, allow_single_cluster, alpha, verbose
        As in `HDBSCANGPU`, except for "leaf" with `allow_single_cluster`: if the root never splits, all points are
        noise.
    max_cluster_size : int, default 0
        As in `HDBSCANGPU`; 0 for any number.
    metric : str or callable, default "euclidean"
        As in `HDBSCANGPU`; cuML has the Euclidean one.
    p : float, optional
        Of the Minkowski metric.
    gen_min_span_tree : bool, default False
        Allow reading `minimum_spanning_tree_`.
    output_type : {None, "input", "numpy", "cupy"}, default None
        Kind of the results; None and "input" give that of `X`.
    prediction_data : bool, default False
        Allow predictions.
    build_algo : {"brute_force", "nn_descent"}, default "brute_force"
        Has no effect: no neighbour graph is built.
    build_kwds : dict, optional
        Has no effect.
    device_ids : list of int or "all", optional
        As in `HDBSCANGPU`; has no effect on a CPU.
    device : {"auto", "cpu", "cuda"}, default "auto"
        As in `HDBSCANGPU`; cuML has no such parameter.

    Attributes
    ----------
    labels_, probabilities_, cluster_persistence_, condensed_tree_, single_linkage_tree_, minimum_spanning_tree_
        As in `HDBSCANGPU`; probabilities are float64. Rows that are not finite have label -1 and probability 0.
    n_clusters_ : int
        Number of clusters.
    exact_ : HDBSCANGPU
        The fitted estimator, with all its attributes and methods.

    Examples
    --------
    >>> import numpy as np
    >>> from emst.compat.cuml_hdbscan import HDBSCAN
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, size=(100, 2)) for c in (0, 20, 40)])
    >>> model = HDBSCAN(min_cluster_size=20, min_samples=5).fit(X)
    >>> model.n_clusters_, model.exact_.min_samples
    (3, 6)
    """

    def __init__(
        self,
        *,
        min_cluster_size: int = 5,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        max_cluster_size: int = 0,
        metric: Any = "euclidean",
        alpha: float = 1.0,
        p: float | None = None,
        cluster_selection_method: str = "eom",
        allow_single_cluster: bool = False,
        gen_min_span_tree: bool = False,
        verbose: Any = False,
        output_type: str | None = None,
        prediction_data: bool = False,
        build_algo: str = "brute_force",
        build_kwds: dict[str, Any] | None = None,
        device_ids: Any = None,
        device: str = "auto",
    ) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.alpha = alpha
        self.p = p
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.gen_min_span_tree = gen_min_span_tree
        self.verbose = verbose
        self.output_type = output_type
        self.prediction_data = prediction_data
        self.build_algo = build_algo
        self.build_kwds = build_kwds
        self.device_ids = device_ids
        self.device = device

    def _translated(self, X: Any) -> HDBSCANGPU:
        if self.build_algo not in BUILDS:
            raise ValueError(f"build_algo must be one of {', '.join(map(repr, BUILDS))}; got {self.build_algo!r}")
        _check_output(self.output_type)
        asked = self._asked()
        metric, params = metric_of(self.metric, {"p": self.p}, sparse=is_sparse(X))
        n = number_of_points(X, metric)
        asked.check(n)
        return PeersHDBSCAN(
            min_cluster_size=self.min_cluster_size,
            min_samples=with_the_point(asked.k, n),
            cluster_selection_epsilon=self.cluster_selection_epsilon,
            max_cluster_size=limit_of(self.max_cluster_size),
            metric=metric,
            metric_params=params,
            alpha=self.alpha,
            cluster_selection_method=self.cluster_selection_method,
            allow_single_cluster=self.allow_single_cluster,
            prediction_data=self.prediction_data,
            device=self.device,
            device_ids=self.device_ids if choose_device(self.device) == "cuda" else None,
            verbose=bool(self.verbose),
        )

    def _take(self, exact: HDBSCANGPU) -> None:
        super()._take(exact)
        self.labels_ = _in_output_type(self, self.labels_)
        self.probabilities_ = _in_output_type(self, self.probabilities_)
        self.n_clusters_ = len(self.cluster_persistence_)


def approximate_predict(clusterer: HDBSCAN, points_to_predict: Any) -> tuple[Any, Any]:
    """Labels and probabilities of new points; see `emst.approximate_predict`. Rows that are not finite are noise.

    Parameters
    ----------
    clusterer : HDBSCAN
        Fitted, with prediction data.
    points_to_predict : array-like of shape (m, d)
        New points.

    Returns
    -------
    labels : int64 array of shape (m,)
        Label of each point; -1 for noise.
    probabilities : float64 array of shape (m,)
        From 0 to 1; 0 for noise.
    """
    labels, probabilities = exact_prediction.approximate_predict(exact_of(clusterer), points_to_predict)
    labels, probabilities = noise_for_missing(labels, probabilities)
    return _in_output_type(clusterer, labels), _in_output_type(clusterer, probabilities)


def membership_vector(clusterer: HDBSCAN, points_to_predict: Any, batch_size: int = 4096) -> Any:
    """Degrees to which new points belong to the clusters; see `emst.membership_vector`.

    Parameters
    ----------
    clusterer : HDBSCAN
        Fitted, with prediction data.
    points_to_predict : array-like of shape (m, d)
        New points.
    batch_size : int, default 4096
        Number of points that are computed at a time.

    Returns
    -------
    float64 array of shape (m, n_clusters)
        The sum of a row is the probability that the point belongs to any cluster.
    """
    degrees = exact_membership.membership_vector(exact_of(clusterer), points_to_predict, batch_size)
    return _in_output_type(clusterer, degrees)


def all_points_membership_vectors(clusterer: HDBSCAN, batch_size: int = 4096) -> Any:
    """Degrees to which the training points belong to the clusters; see `emst.all_points_membership_vectors`.

    Parameters
    ----------
    clusterer : HDBSCAN
        Fitted, with prediction data.
    batch_size : int, default 4096
        Number of points that are computed at a time.

    Returns
    -------
    float64 array of shape (n, n_clusters)
        The sum of a row is the probability that the point belongs to any cluster. Without clusters a zero for each
        point, of shape (n,).
    """
    degrees = exact_membership.all_points_membership_vectors(exact_of(clusterer), batch_size)
    if degrees.shape[1] == 0:
        degrees = degrees.sum(axis=1)  # as cuML: a zero for each point
    return _in_output_type(clusterer, degrees)


def _check_output(kind: Any) -> None:
    if kind not in OUTPUTS:
        raise ValueError(f"output_type must be one of {', '.join(map(repr, OUTPUTS))}; got {kind!r}")


def _in_output_type(clusterer: Any, array: Any) -> Any:
    """The array as the clusterer's `output_type` says; estimators of `emst` itself have none."""
    kind = getattr(clusterer, "output_type", None)
    _check_output(kind)
    if kind == "numpy":
        return to_host(array)
    if kind == "cupy":
        import cupy

        return cupy.asarray(array)
    return array
