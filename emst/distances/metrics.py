"""Metrics: which of them reduce to Euclidean distance, and what the others cost.

The tree search over the hierarchy of boxes supports Euclidean distance only. Single linkage depends on nothing but the
order of the distances. So if a metric grows with the Euclidean distance between images of the points, its tree is the
tree of these images, and only the heights have to be converted. For other metrics all pairs are compared: distances are
computed one row at a time, or as a whole matrix.

    metric                                         way      image               height of Euclidean distance c
    euclidean, l2, nan_euclidean, minkowski p = 2  tree     the point           c
    sqeuclidean                                    tree     the point           c^2
    cosine                                         tree     row / its length    c^2 / 2
    haversine (latitude, longitude in radians)     tree     on the unit sphere  2 asin(c / 2)
    manhattan, chebyshev, minkowski                rows     O(n^2 d) time, O(n) memory
    euclidean with alpha other than 1              rows
    all others, functions, sparse features         matrix   O(n^2) memory
    precomputed                                    given
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.neighbors import BallTree, KDTree

from emst.backend.records import Array
from emst.distances.pairwise import settled_params

Map = Callable[[Array], Array]

NAMES = (  # those of `sklearn.metrics.pairwise_distances`, `KDTree` and `BallTree`
    "braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "dice", "euclidean", "hamming",
    "haversine", "infinity", "jaccard", "l1", "l2", "mahalanobis", "manhattan", "minkowski", "nan_euclidean", "p",
    "precomputed", "pyfunc", "rogerstanimoto", "russellrao", "seuclidean", "sokalmichener", "sokalsneath",
    "sqeuclidean", "yule",
)  # fmt: skip
ALIASES = {
    "l2": "euclidean",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "infinity": "chebyshev",
    "p": "minkowski",
    "sokalmichener": "rogerstanimoto",  # the same formula; newer versions of SciPy have dropped the name
}
MOST_POWER = 32  # of a Minkowski metric: in float64, powers then keep distances apart that differ by a factor of 2^60
UNSUPPORTED = "is not supported by the tree search; all pairs are compared"
TREES = {"kd_tree": ("KDTree", KDTree), "ball_tree": ("BallTree", BallTree)}


@dataclass(frozen=True)
class Metric:
    """A metric and the way to its tree.

    Attributes
    ----------
    name : str or callable
        Its name in `sklearn.metrics.pairwise_distances`, or a function of two points.
    params : dict
        Its parameters.
    way : {"tree", "rows", "matrix", "given"}
        How the spanning tree is found: by the tree search over a hierarchy of boxes; from all distances, computed one
        row of the distance matrix at a time; from the whole distance matrix; from distances that are given.
    why : str
        Why the way is not "tree", as words for messages.
    p : float
        Power of a Minkowski metric: up to `MOST_POWER`, or infinity.
    image : callable or None
        Maps points to points whose Euclidean distances have the metric's order; None if the points have it themselves.
    height : callable or None
        Maps Euclidean distances between images to distances in the metric. It ascends; None if they are equal.
    """

    name: Any
    params: dict[str, Any] = field(default_factory=dict)
    way: str = "tree"
    why: str = ""
    p: float = 2.0
    image: Map | None = None
    height: Map | None = None

    def by_matrix(self, why: str) -> Metric:
        """The same metric, by way of its distance matrix."""
        return replace(self, way="matrix", why=why, image=None, height=None)

    def settled(self, points: Array) -> Metric:
        """The same metric with the parameters that are computed from the data: see `settled_params`."""
        params = settled_params(self.name, self.params, points)
        return self if params is self.params else replace(self, params=params)


def metric_of(name: Any, params: dict[str, Any] | None, *, algorithm: str, alpha: float, sparse: bool) -> Metric:
    """The metric that the estimator's parameters name; `sparse` says whether `X` is a sparse matrix.

    Raises
    ------
    ValueError
        scikit-learn's HDBSCAN would not take this metric with this `algorithm`, or the metric has no such parameters.
    """
    if algorithm in TREES:
        kind, tree = TREES[algorithm]
        if name not in tree.valid_metrics:
            raise ValueError(
                f"{name} is not a valid metric for a {kind}-based algorithm. Please select a different metric."
            )
        if sparse:
            raise ValueError("Sparse data matrices only support algorithm `brute`.")
    metric = _named(name, dict(params or {}))
    if metric.way in ("tree", "rows") and sparse:
        return metric.by_matrix("X is sparse")
    if metric.way == "tree" and alpha != 1:
        slow = metric.by_matrix("alpha is not 1")
        return replace(slow, way="rows") if metric.name == "euclidean" else slow
    return metric


def _named(name: Any, params: dict[str, Any]) -> Metric:
    if callable(name) or name == "pyfunc":
        function = name if callable(name) else params.pop("func", None)
        if not callable(function):
            raise ValueError("metric='pyfunc' needs a function: metric_params={'func': ...}")
        return Metric(function, params, "matrix", "the metric is a function")
    if name == "precomputed":
        return Metric(name, params, "given", "distances are given")
    name = ALIASES.get(name, name)
    if name == "nan_euclidean" and not params:
        return Metric("euclidean")  # rows of points with NaN have been left out
    if name == "minkowski":
        _check_power(params.get("p", 2))
        if params.keys() <= {"p"}:
            return _minkowski(params.get("p", 2), params)
    if name not in {"euclidean", "sqeuclidean", "cosine", "haversine", "manhattan", "chebyshev"}:
        return Metric(name, params, "matrix", f"{name} {UNSUPPORTED}")
    if params:
        raise ValueError(f"metric={name!r} takes no metric_params; got {', '.join(map(repr, params))}")
    return {
        "euclidean": Metric(name),
        "sqeuclidean": Metric(name, height=_square),
        "cosine": Metric(name, image=directions, height=_half_square),
        "haversine": Metric(name, image=on_the_sphere, height=_arc),
    }.get(name) or Metric(name, way="rows", why=f"{name} {UNSUPPORTED}")


def _check_power(p: Any) -> None:
    if not isinstance(p, Real) or not float(p) > 0:
        raise ValueError(f"metric='minkowski' needs p > 0; got {p!r}")
    if MOST_POWER < float(p) < math.inf:
        raise ValueError(
            f"metric='minkowski' with p = {float(p):g}: p may be at most {MOST_POWER}, because higher powers of small "
            "distances underflow to 0. For a larger p use metric='chebyshev', the limit"
        )


def _minkowski(p: Any, params: dict[str, Any]) -> Metric:
    if p == 2:
        return Metric("euclidean")
    return Metric("minkowski", params, "rows", f"minkowski p = {p:g} {UNSUPPORTED}", float(p))


def directions(points: Array) -> Array:
    """Every point divided by its length, float64. The origin has no direction: check `has_zero_rows` first."""
    points = points.astype(np.float64)
    points /= abs(points).max(axis=1, keepdims=True)  # squares neither overflow nor vanish
    points /= np.sqrt((points * points).sum(axis=1, keepdims=True))
    return points


def has_zero_rows(points: Array) -> bool:
    """Whether some point is the origin. Its cosine distance to all others is 1, which no angle explains."""
    return bool((abs(points).max(axis=1) == 0).any())


def on_the_sphere(points: Array) -> Array:
    """(latitude, longitude) in radians -> points on the unit sphere, float64."""
    if points.shape[1] != 2:
        raise ValueError(f"metric='haversine' takes (latitude, longitude) in radians; X has {points.shape[1]} columns")
    latitude, longitude = points.astype(np.float64).T
    across = np.cos(latitude)
    return np.stack([across * np.cos(longitude), across * np.sin(longitude), np.sin(latitude)], axis=1)


def _square(distance: Array) -> Array:
    return distance * distance


def _half_square(chord: Array) -> Array:
    return chord * chord / 2


def _arc(chord: Array) -> Array:
    return 2 * np.arcsin(np.minimum(chord / 2, 1))
