"""The index that predictions search: the training points along their curve, in a BVH with core distances."""

from __future__ import annotations

from dataclasses import dataclass

from emst.backend.operations import Backend
from emst.backend.records import Array, Bvh, Scaling
from emst.inputs.scaling import SAMPLE, scaling_of


@dataclass(frozen=True, eq=False)
class PointIndex:
    """Points along their curve, where queries search for the nearest."""

    scaling: Scaling
    order: Array  # int32[n]: rows in the order of the curve
    codes: Array  # uint64[n]: their codes in that order
    bvh: Bvh  # in that scaling, with core distances


def index_of(points: Array, min_samples: int, ops: Backend) -> PointIndex:
    """The index of points, for any number of queries."""
    statistics = ops.point_statistics(points, SAMPLE)
    scaling = scaling_of(statistics, points.dtype)
    codes = ops.curve_codes(points, scaling)
    order = ops.sort_order(codes)
    return PointIndex(scaling, order, codes[order], boxes(points, order, scaling, min_samples, ops))


def boxes(points: Array, order: Array, scaling: Scaling, min_samples: int, ops: Backend) -> Bvh:
    """The hierarchy of the points, scaled by the scaling, with their core distances."""
    bvh = ops.build_bvh(points, order, scaling)
    if min_samples > 1:
        ops.core_distances(bvh, min_samples)
    return bvh
