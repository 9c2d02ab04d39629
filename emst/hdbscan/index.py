"""The index that predictions search: the training points in the order of the Hilbert curve, and a BVH over them."""

from __future__ import annotations

from dataclasses import dataclass

from emst.backend.operations import Backend
from emst.backend.records import Array, Bvh, Norm, Scaling
from emst.inputs.scaling import SAMPLE, scaling_of


@dataclass(frozen=True, eq=False)
class PointIndex:
    """Training points in curve order, in which queries search their nearest point."""

    scaling: Scaling
    order: Array  # int32[n]: rows of the points in curve order
    codes: Array  # uint64[n]: curve codes, ascending
    bvh: Bvh  # over the scaled points, with core distances


def index_of(points: Array, norm: Norm, min_samples: int, ops: Backend) -> PointIndex:
    """The index of the training points; it serves any number of queries. Powers need float64."""
    statistics = ops.point_statistics(points, SAMPLE)
    scaling = scaling_of(statistics, points.dtype, norm.degree)
    codes = ops.curve_codes(points, scaling)
    order = ops.sort_order(codes)
    return PointIndex(scaling, order, codes[order], bvh_with_cores(points, order, scaling, norm, min_samples, ops))


def bvh_with_cores(points: Array, order: Array, scaling: Scaling, norm: Norm, min_samples: int, ops: Backend) -> Bvh:
    """The bounding volume hierarchy over the scaled points, with their core distances."""
    bvh = ops.build_bvh(points, order, scaling.scale, norm)
    if min_samples > 1:
        ops.core_distances(bvh, min_samples)
    return bvh
