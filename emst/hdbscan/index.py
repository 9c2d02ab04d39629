"""The index that predictions search: the training points in the order of the Hilbert curve, and a BVH over them."""

from __future__ import annotations

from dataclasses import dataclass

from emst.backend.operations import Backend
from emst.backend.records import Array, CurveCells, Norm, SearchIndex
from emst.inputs.scaling import scale_of


@dataclass(frozen=True, eq=False)
class PointIndex:
    """Training points in curve order, in which queries search their nearest point."""

    scale: float  # of the points
    order: Array  # int32[n]: rows of the points in curve order
    cells: CurveCells  # that were divided to find this order: queries find their places in them
    search: SearchIndex  # over the scaled points, with core distances


def index_of(points: Array, norm: Norm, min_samples: int, core_factor: float, ops: Backend) -> PointIndex:
    """The index of the training points; it serves any number of queries. Powers need float64. In the weights, powers of
    core distances are multiplied by `core_factor`."""
    statistics = ops.point_statistics(points)
    scale = scale_of(statistics, points.dtype, norm.degree, core_factor)
    order, cells = ops.curve_order(points, scale, keep=True)
    assert cells is not None  # they were asked for
    search = ops.build_index(points, order, scale, norm)
    find_cores(search, min_samples, core_factor, ops)
    return PointIndex(scale, order, cells, search)


def find_cores(search: SearchIndex, min_samples: int, core_factor: float, ops: Backend) -> None:
    """The core distances of a hierarchy, as weights take them."""
    if min_samples > 1:
        ops.core_distances(search, min_samples)
        ops.forget_neighbours(search)
        if core_factor != 1:
            ops.scale_cores(search, core_factor)
