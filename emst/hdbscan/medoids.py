"""The medoid of a cluster: the member with the least weighted sum of distances to all members, found exactly.

All sums of a cluster take O(size^2) distances. Lower bounds, which need no further distances, exclude most members:

- Where the triangle inequality holds, d(i, r) and the sum of a member r bound the sum of i from below:
  S(i) >= |W d(i, r) - S(r)|, with W the total weight. In few dimensions about sqrt(size) members are left.
- Sums of Euclidean distances are convex, so they lie above their tangents: S(i) >= S(r) + g(r) (i - r), with g the
  gradient. In few dimensions a few dozen members are left of any number.
- Sums of squared Euclidean distances follow from the mean m of all members: S(i) = W |i - m|^2 + S(m).

A bound is lowered by more than all that rounding can do to it or to the sums, and a member is left out only if its
bound exceeds a sum that has been computed. So the medoid is the one that all sums would give, also among equal sums.

References
----------
J. Newling, F. Fleuret, "A sub-quadratic exact medoid algorithm", AISTATS 2017 (trimed).
J. E. Kelley, "The cutting-plane method for solving convex programs", J. SIAM 8 (1960).
"""

from __future__ import annotations

import math
import time
import warnings

import numpy as np

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.distances.matrices import fill_distances
from emst.distances.metrics import Metric
from emst.inputs.devices import to_host
from emst.inputs.places import levels_of_the_package
from emst.inputs.summary import counted

ENTRIES = 1 << 24  # distances held at a time
FIRST = 16  # points whose sums are computed before bounds exclude others; half as many again each time
MANY = 10**10  # distances from which a search is announced by a warning
SLACK = 1e-6  # relative: arcs near a half circle are rounded most, to 1e-8 of their length
SQUARED = ("sqeuclidean", "cosine")  # squares of Euclidean distances between images, up to a factor


def medoid(points: Array, weights: Array, metric: Metric) -> int:
    """Number of the point with the least sum of weighted distances to all points, the first of equals.

    Parameters
    ----------
    points : float64[n, d]
        In the metric's image, scaled so that neither squares nor sums of distances overflow.
    weights : float64[n]
        Not negative.
    metric : Metric
        Distances are those of `metric.name`, with a period those of `metric.norm`.

    Returns
    -------
    int

    Warns
    -----
    UserWarning
        More than 10^10 distances are still to be computed; the warning says how long that takes at most. If lower
        bounds can exclude points, it is given only after 10^10 distances have been computed.
    """
    start, most = time.perf_counter(), max(1, ENTRIES // len(points))
    ops = backend_of("cuda" if hasattr(points, "__cuda_array_interface__") else "cpu")
    squared = metric.way == "tree" and metric.name in SQUARED
    triangle = metric.way == "tree" and not squared
    tangents = metric.is_euclidean and metric.height is None
    if metric.is_euclidean:
        points = points.copy(order="F")  # distances are computed coordinate by coordinate
    by_mean: Array = _bounds_by_mean(points, weights, metric) if squared or tangents else None
    bound: Array = by_mean if squared else np.zeros_like(weights)
    if by_mean is None:
        left = _shuffled(points) if triangle else _numbers(points)
    else:  # the nearest to the mean come first
        left = _ascending(by_mean, ops)
    best, number, computed, silent = math.inf, 0, 0, True
    size = FIRST if triangle else most
    while len(left):
        size = min(size, most)
        members, left = left[:size], left[size:]
        distance = _distances(points, members, metric, ops)
        sums = _sums(distance, weights, ops)
        least = float(sums.min())
        best, number = min((best, number), (least, int(members[sums == least].min())))
        computed += len(members) * len(points)
        if triangle:
            if tangents:
                _raise_by_tangents(bound, distance, sums, points, members, weights, metric, ops)
            _raise_by_triangle(bound, distance, sums, weights, metric, ops)
        before, left = len(left), left[bound[left] <= best]
        if tangents:
            left = left[_ascending(bound[left], ops)]
            tangents = before - len(left) > len(members)  # else they cost more than they spare: in many dimensions
        size += size // 2
        to_come = len(left) * len(points)
        if silent and to_come > MANY and (computed > MANY or not (squared or triangle)):
            silent = False
            _announce(len(points), to_come, (time.perf_counter() - start) / computed)
    return number


def _numbers(points: Array) -> Array:
    return np.arange(len(points), like=points)


def _shuffled(points: Array) -> Array:
    """The numbers of the points in an order that has nothing to do with theirs; the same in every run."""
    return np.asarray(np.random.default_rng(0).permutation(len(points)), like=points)


def _ascending(bound: Array, ops: Backend) -> Array:
    """Places of the bounds in ascending order: the bits of numbers that are not negative are in their order."""
    return ops.sort_order(np.maximum(bound, 0).view(np.uint64))


def _distances(points: Array, members: Array, metric: Metric, ops: Backend) -> Array:
    """Distances from `members` to all points, float64."""
    rows = points[members]
    if not metric.is_euclidean:
        between = metric.distances_between(to_host(rows), to_host(points))
        return np.asarray(between, like=points)
    distance = np.empty_like(points, shape=(len(rows), len(points)), order="C")

    def work(begin: int, end: int) -> None:
        block = distance[begin:end]
        fill_distances(block, rows[begin:end], points, "euclidean")
        if metric.height is not None:
            block[:] = metric.height(block)

    ops.for_blocks(work, len(rows), len(points))
    return distance


def _sums(distance: Array, weights: Array, ops: Backend) -> Array:
    """The weighted sum of each row."""
    sums = np.empty_like(weights, shape=(len(distance),))

    def work(begin: int, end: int) -> None:
        sums[begin:end] = (distance[begin:end] * weights).sum(axis=1)

    ops.for_blocks(work, len(distance), len(weights))
    return sums


def _raise_by_tangents(
    bound: Array,
    distance: Array,
    sums: Array,
    points: Array,
    members: Array,
    weights: Array,
    metric: Metric,
    ops: Backend,
) -> None:
    """Raise lower bounds of all sums by the tangents at some points, from their sums and distances to all points.

    At a point itself, and at points whose distance may have lost digits, distances do not grow: 0 is one of the slopes
    of a distance at its end."""
    rows, total, vanishing = points[members], weights.sum(), _vanishing(metric)
    slopes = np.empty_like(points, shape=rows.shape)

    def slope(begin: int, end: int) -> None:
        block, of = distance[begin:end], rows[begin:end]
        apart = block > vanishing
        share = np.where(apart, weights / np.where(apart, block, 1), 0)
        for k in range(points.shape[1]):
            slopes[begin:end, k] = (share * (of[:, k, None] - points[None, :, k])).sum(axis=1)

    def work(begin: int, end: int) -> None:
        block = sums[:, None] * (1 - SLACK) - distance[:, begin:end] * (SLACK * total)
        for k in range(points.shape[1]):
            block += slopes[:, k, None] * (points[None, begin:end, k] - rows[:, k, None])
        bound[begin:end] = np.maximum(bound[begin:end], block.max(axis=0) - total * vanishing)

    ops.for_blocks(slope, len(rows), len(points))
    ops.for_blocks(work, len(points), len(rows))


def _raise_by_triangle(
    bound: Array, distance: Array, sums: Array, weights: Array, metric: Metric, ops: Backend
) -> None:
    """Raise lower bounds of all sums by the triangle inequality, from the sums of some points and their distances to
    all points. `distance` is overwritten."""
    total, vanishing = weights.sum(), weights.sum() * _vanishing(metric)

    def work(begin: int, end: int) -> None:
        block = distance[:, begin:end]
        block *= total
        block -= sums[:, None]
        np.abs(block, out=block)
        block -= 2 * SLACK * sums[:, None]
        bound[begin:end] = np.maximum(bound[begin:end], block.max(axis=0) * (1 - SLACK) - vanishing)

    ops.for_blocks(work, len(bound), len(sums))


def _vanishing(metric: Metric) -> float:
    """More than any distance that is computed as 0 because its power underflows; the smallest number is 2^-1074. In a
    periodic box also more than the error of a short distance across its side."""
    return math.ldexp(1.0, -math.floor(900 / metric.norm.degree)) + 4 * metric.norm.blur(np.float64)


def _bounds_by_mean(points: Array, weights: Array, metric: Metric) -> Array:
    """Lower bounds of all sums of squared distances.

    With the heaviest point as the origin, coordinates are rounded by no more than 2^-53 of the root of n S / W.
    """
    centred, total = points - points[int(weights.argmax())], weights.sum()
    mean = (centred * weights[:, None]).sum(axis=0) / (total if total > 0 else 1)
    squared = ((centred - mean) ** 2).sum(axis=1)
    sums = (total * squared + (weights * squared).sum()) * (0.5 if metric.name == "cosine" else 1.0)
    return sums * (1 - SLACK) - total * _vanishing(metric)


def _announce(size: int, to_come: int, seconds: float) -> None:
    """Warn that `to_come` distances are still to be computed, which take `seconds` each."""
    warnings.warn(
        f"the medoid of a cluster of {size:,} points takes up to {to_come:.1g} more distances, about "
        f"{counted(max(1, round(to_come * seconds / 60)), 'minute')}. store_centers='centroid' takes a moment",
        UserWarning,
        stacklevel=levels_of_the_package(),
    )
