"""Metrics: which of them the tree search supports, and what the others cost.

The tree search over the hierarchy of boxes supports norms of differences: Lp distances with 1 <= p <= 32 or infinite
p. Single linkage depends on nothing but the order of the distances. So if a metric grows with the Euclidean distance
between images of the points, its tree is the tree of these images, and only the heights have to be converted. For other
metrics the matrix of all distances is computed.

    metric                                         way      image               height of the distance c of images
    euclidean, l2, nan_euclidean, minkowski p = 2  tree     the point           c
    manhattan, chebyshev, minkowski                tree     the point           c, of another norm
    these four with a period                       tree     wrapped into a box  c, of a norm that wraps
    sqeuclidean                                    tree     the point           c^2
    cosine                                         tree     row / its length    c^2 / 2
    haversine of (latitude, longitude)             tree     on the unit sphere  2 asin(c / 2) times the radius
    haversine with alpha other than 1              matrix   O(n^2) memory
    all others, functions, sparse features         matrix   O(n^2) memory
    precomputed                                    given
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.neighbors import BallTree, KDTree

from emst.backend.records import EUCLIDEAN, Array, Norm
from emst.distances.matrices import fill_distances
from emst.distances.pairwise import distances_between, settled_params
from emst.distances.periodic import Box, box_of
from emst.distances.sphere import Sphere, sphere_of
from emst.inputs.numbers import real_number
from emst.inputs.places import DEGREES, check_names
from emst.inputs.summary import counted, meant

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
TREE_NAMES = (  # those that `minimum_spanning_tree` takes
    "chebyshev", "cityblock", "cosine", "euclidean", "haversine", "infinity", "l1", "l2", "manhattan", "minkowski", "p",
    "sqeuclidean",
)  # fmt: skip
MOST_POWER = 32  # of a Minkowski metric: in float64, powers then keep distances apart that differ by a factor of 2^60
UNSUPPORTED = "is not supported by the tree search; all pairs are compared"
SPARSE_NAMES = ("cosine", "euclidean", "manhattan")  # those that scikit-learn computes from sparse features
TREES = {"kd_tree": ("KDTree", KDTree), "ball_tree": ("BallTree", BallTree)}


@dataclass(frozen=True)
class Metric:
    """A metric and the way to its tree.

    Attributes
    ----------
    name : str or callable
        Its name in `sklearn.metrics.pairwise_distances`, or a function of two points.
    params : dict
        Its parameters, without the period.
    way : {"tree", "matrix", "given"}
        How the spanning tree is found: by the tree search over a hierarchy of boxes; from the matrix of all distances;
        from distances that are given.
    why : str
        Why the way is not "tree", as words for messages.
    norm : Norm
        Of the differences between images: what the tree search compares.
    image : callable or None
        Maps points T[n, d] of either backend to points float64[n, e] whose distances in `norm` have the metric's order;
        None if the points have it themselves. In a periodic box the image has the dtype T. It is a function of a
        module, or a method of a frozen dataclass: workers get it by pickle.
    height : callable or None
        Maps distances between images to distances in the metric. It ascends; None if they are equal.
    sphere : Sphere or None
        Of "haversine": the unit of its places, and the radius.
    box : Box or None
        The lengths of a periodic box. `of_columns` settles them, and the norm and the image, which follow from them.
    """

    name: Any
    params: dict[str, Any] = field(default_factory=dict)
    way: str = "tree"
    why: str = ""
    norm: Norm = EUCLIDEAN
    image: Map | None = None
    height: Map | None = None
    sphere: Sphere | None = None
    box: Box | None = None

    @property
    def is_euclidean(self) -> bool:
        """Whether distances are Euclidean ones between images, mapped by `height`."""
        return self.way == "tree" and self.norm == EUCLIDEAN

    @property
    def geographic(self) -> str | None:
        """The unit of latitude and longitude, "degrees" or "radians"; None if the points are not places on a sphere."""
        if self.sphere is None:
            return None
        return "degrees" if self.sphere.degrees else "radians"

    def computed_in(self, of_points: np.dtype, wanted: Any) -> np.dtype:
        """The dtype of results for points of dtype `of_points`: `wanted` if it is not None.

        By default, what is not a distance between the rows themselves (squares, angles, matrices) takes float64."""
        same = self.image is None or self.box is not None
        exact = same and self.height is None and self.way != "matrix"
        return of_points if exact or wanted is not None else np.dtype(np.float64)

    def searched_in(self, dtype: np.dtype) -> np.dtype:
        """The dtype in which the tree search compares points whose results are of `dtype`: float64 for powers."""
        return np.dtype(np.float64) if self.norm.kind in ("powers", "any power") else np.dtype(dtype)

    def orders(self, dtype: np.dtype) -> bool:
        """Whether the tree search orders the given points themselves, where these and results are of `dtype`."""
        return self.way == "tree" and self.image is None and self.searched_in(dtype) == dtype

    def searched_columns(self, d: int) -> int:
        """How many coordinates the tree search compares of points with d: places on a sphere have three."""
        return d if self.sphere is None else 3

    def core_factor(self, alpha: float, k: int, dtype: np.dtype) -> float:
        """What the powers of core distances are multiplied by instead of dividing distances by `alpha`; a number of the
        dtype that is searched in. For ``k == 1`` core distances are 0, and any factor will do.

        Raises
        ------
        ValueError
            Powers of distances would leave the range of the dtype.
        """
        if alpha == 1 or k == 1:
            return 1.0
        dtype = self.searched_in(dtype)
        degree = self.norm.degree if self.height is None else 1.0  # heights of the way tree, but arcs, are squares
        if abs(degree * math.log2(alpha)) > np.finfo(dtype).maxexp // 2 - 16:
            raise ValueError(
                f"alpha = {alpha:g} is too far from 1 for distances that are compared as powers of degree {degree:g} "
                f"in {dtype}"
            )
        return float(dtype.type(alpha**degree))

    def distances_between(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Distances between the rows of two arrays of images, on the host: float64[len(a), len(b)]."""
        if self.norm.period is not None:
            distance = np.empty((len(a), len(b)))
            kind = self.norm.kind if self.norm.degree in (1, 2) else "minkowski"
            a, b = a.astype(np.float64), b.astype(np.float64)
            fill_distances(distance, a, b, kind, self.norm.degree, self.norm.period)
            return distance
        if not self.is_euclidean:
            return distances_between(a, b, self.name, self.params)
        distance = distances_between(a, b, "euclidean", {})
        return distance if self.height is None else self.height(distance)

    def by_matrix(self, why: str) -> Metric:
        """The same metric, by way of its distance matrix."""
        return replace(self, way="matrix", why=why, norm=EUCLIDEAN, image=None, height=None)

    def of_columns(self, d: int, computed: np.dtype) -> Metric:
        """The same metric for points of d columns whose results are of dtype `computed`: a periodic box has a length
        for each column, rounded to this dtype.

        Raises
        ------
        ValueError
            What `Box.of_columns` raises.
        """
        if self.box is None:
            return self
        box = self.box.of_columns(d, computed)
        return replace(self, box=box, norm=self.norm._replace(period=box.period), image=box.wrap)

    def scaled(self, factor: float) -> Metric:
        """The same metric for images that have been multiplied by `factor`."""
        return replace(self, norm=self.norm.scaled(factor))

    def wrapping(self) -> Metric:
        """The same metric; on a sphere it takes angles beyond the poles and beyond a full circle, see `Sphere`."""
        return self if self.sphere is None else replace(self, sphere=replace(self.sphere, wraps=True))

    def settled(self, points: Array) -> Metric:
        """The same metric with the parameters that are computed from the data: see `settled_params`."""
        params = settled_params(self.name, self.params, points)
        return self if params is self.params else replace(self, params=params)


def metric_of(name: Any, params: dict[str, Any] | None, *, algorithm: str, alpha: float, sparse: bool) -> Metric:
    """The metric that the estimator's parameters name; `sparse` says whether `X` is a sparse matrix.

    Raises
    ------
    ValueError
        scikit-learn's HDBSCAN would not take this metric with this `algorithm`, or the metric has no such parameters or
        does not take a sparse matrix.
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
    if metric.sphere is not None and sparse:
        raise ValueError("metric='haversine' takes latitude and longitude as dense columns: pass X.toarray()")
    if metric.box is not None and sparse:
        raise ValueError("metric_params={'period': ...} takes dense columns: pass X.toarray()")
    if sparse and metric.way != "given" and not callable(metric.name) and metric.name not in SPARSE_NAMES:
        raise ValueError(
            f"metric={name!r} takes no sparse matrix X: pass X.toarray(), or one of the metrics "
            f"{', '.join(map(repr, SPARSE_NAMES))}"
        )
    if metric.way == "tree" and sparse:
        return metric.by_matrix("X is sparse")
    if metric.name == "haversine" and alpha != 1:
        return metric.by_matrix("alpha is not 1, and arcs are no powers of chords")
    return metric


def tree_metric_of(name: Any, params: dict[str, Any] | None) -> Metric:
    """The metric of a spanning tree that the tree search finds.

    Raises
    ------
    ValueError
        The tree search does not support the metric, or the metric has no such parameters.
    """
    if not isinstance(name, str) or name not in TREE_NAMES:
        raise ValueError(
            f"metric must be one of {', '.join(map(repr, TREE_NAMES))}; got {name!r}{meant(name, TREE_NAMES)}"
        )
    if not (params is None or isinstance(params, dict)):
        raise ValueError(f"metric_params must be a dictionary or None; got {params!r}")
    metric = _named(name, dict(params or {}))
    if metric.way != "tree":
        others = ", ".join(repr(key) for key in metric.params if key != "p")
        raise ValueError(f"metric={name!r} of a spanning tree does not take these metric_params: {others}")
    return metric


def check_columns(names: Sequence[Any], metric: Metric, degrees: str = DEGREES) -> None:
    """Compare the names of the columns with the metric: see `emst.inputs.places.check_names`."""
    plane = metric.is_euclidean and metric.name == "euclidean"
    check_names(names, on_sphere=metric.sphere is not None, euclidean=plane, degrees=degrees)


def _named(name: Any, params: dict[str, Any]) -> Metric:
    if callable(name) or name == "pyfunc":
        function = name if callable(name) else params.pop("func", None)
        if not callable(function):
            raise ValueError("metric='pyfunc' needs the parameter func, a function of two points")
        return Metric(function, params, "matrix", "the metric is a function")
    if name == "precomputed":
        return Metric(name, params, "given", "distances are given")
    name = ALIASES.get(name, name)
    if "period" in params:
        return _in_box(name, params)
    if name == "nan_euclidean" and not params:
        return Metric("euclidean")  # rows of points with NaN have been left out
    if name == "minkowski":
        _check_power(params.get("p", 2))
        if params.keys() <= {"p"}:
            return _minkowski(float(params.get("p", 2)), params)
    if name != "haversine" and name not in WITHOUT_PARAMETERS:
        return Metric(name, params, "matrix", f"{name} {UNSUPPORTED}")
    if name == "haversine":
        sphere = sphere_of(params)
        return Metric(name, params, image=sphere.image, height=sphere.arc, sphere=sphere)
    if params:
        raise ValueError(f"metric={name!r} takes no parameters; got {', '.join(map(repr, params))}")
    return WITHOUT_PARAMETERS[name]


def _in_box(name: str, params: dict[str, Any]) -> Metric:
    """The metric in the box that the parameter `period` describes."""
    box = box_of(params.pop("period"), name)
    metric = _named(name, params)
    if box is None:
        return metric
    if metric.way != "tree":
        others = ", ".join(repr(key) for key in params if key != "p")
        raise ValueError(f"metric={name!r} with a period does not take these metric_params: {others}")
    return replace(metric, box=box, norm=metric.norm._replace(period=box.period), image=box.wrap)


def _check_power(p: Any) -> None:
    if not 1 <= real_number(p) <= MOST_POWER and p != math.inf:
        raise ValueError(
            f"metric='minkowski' needs a number p from 1 to {MOST_POWER}, or infinity; got {p!r}. Below 1 it is no "
            f"metric, and above {MOST_POWER} powers of small distances underflow: metric='chebyshev' is the limit"
        )


def _minkowski(p: float, params: dict[str, Any]) -> Metric:
    named = {1.0: "manhattan", 2.0: "euclidean", math.inf: "chebyshev"}.get(p)
    if named is not None:
        return _named(named, {})
    return Metric("minkowski", params, norm=Norm("powers" if 2 * p % 1 == 0 else "any power", p))


def directions(points: Array) -> Array:
    """Every point divided by its length, float64. The origin has no direction: check `zero_rows` first."""
    points = points.astype(np.float64)
    points /= abs(points).max(axis=1, keepdims=True)  # squares neither overflow nor vanish
    points /= np.sqrt((points * points).sum(axis=1, keepdims=True))
    return points


def zero_rows(points: Array) -> Array:
    """Which points are the origin: bool[n]. Their cosine distance to all others is 1, which no angle explains."""
    return abs(points).max(axis=1) == 0


def check_directions(points: Array) -> None:
    """Raise ValueError, naming the first and how many, if some points are the origin."""
    zero = zero_rows(points)
    bad = int(zero.sum())
    if bad:
        raise ValueError(
            f"metric='cosine' is not defined for rows of zeros: X has {counted(bad, 'such row')}, first in row "
            f"{int(zero.argmax())}"
        )


def _square(distance: Array) -> Array:
    return distance * distance


def _half_square(chord: Array) -> Array:
    return chord * chord / 2


WITHOUT_PARAMETERS = {
    "euclidean": Metric("euclidean"),
    "sqeuclidean": Metric("sqeuclidean", height=_square),
    "cosine": Metric("cosine", image=directions, height=_half_square),
    "manhattan": Metric("manhattan", norm=Norm("manhattan", 1.0)),
    "chebyshev": Metric("chebyshev", norm=Norm("chebyshev", 1.0)),
}
