"""The index that predictions search: the training points in the order of the Hilbert curve, and a BVH over them."""

from __future__ import annotations

from dataclasses import dataclass

from emst.backend.operations import Backend
from emst.backend.records import Array, Bvh, CurveCells, Norm
from emst.inputs.scaling import scale_of


@dataclass(frozen=True, eq=False)
class PointIndex:
    """Training points in curve order, in which queries search their nearest point."""

    scale: float  # of the points
    order: Array  # int32[n]: rows of the points in curve order
    cells: CurveCells  # that were divided to find this order: queries find their places in them
    bvh: Bvh  # over the scaled points, with core distances


def index_of(points: Array, norm: Norm, min_samples: int, ops: Backend) -> PointIndex:
    """The index of the training points; it serves any number of queries. Powers need float64."""
    statistics = ops.point_statistics(points)
    scale = scale_of(statistics, points.dtype, norm.degree)
    order, cells = ops.curve_order(points, scale, keep=True)
    assert cells is not None  # they were asked for
    return PointIndex(scale, order, cells, bvh_with_cores(points, order, scale, norm, min_samples, ops))


def bvh_with_cores(points: Array, order: Array, scale: float, norm: Norm, min_samples: int, ops: Backend) -> Bvh:
    """The bounding volume hierarchy over the scaled points, with their core distances."""
    bvh = ops.build_bvh(points, order, scale, norm)
    if min_samples > 1:
        ops.core_distances(bvh, min_samples)
    return bvh
