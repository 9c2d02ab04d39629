"""The index that predictions search: the training points in the order of the Hilbert curve, and a BVH over them."""

from __future__ import annotations

from dataclasses import dataclass

from emst.backend.operations import Backend
from emst.backend.records import Array, CurveCells, Norm, SearchIndex
from emst.inputs.scaling import scale_of
from emst.inputs.weights import Weights
from emst.spanning import find_cores


@dataclass(frozen=True, eq=False)
class PointIndex:
    """Training points in curve order, in which queries search their nearest point."""

    scale: float  # of the points
    order: Array  # int32[n]: rows of the points in curve order
    cells: CurveCells  # that were divided to find this order: queries find their places in them
    search: SearchIndex  # over the scaled points, with core distances


def index_of(
    points: Array, norm: Norm, min_samples: int, core_factor: float, weights: Weights | None, ops: Backend
) -> PointIndex:
    """The index of the training points, of the given weights; it serves any number of queries. Powers need float64. In
    the weights of edges, powers of core distances are multiplied by `core_factor`."""
    statistics = ops.point_statistics(points)
    scale = scale_of(statistics, points.dtype, norm.degree, core_factor)
    copies = None if weights is None or weights.copies is None else ops.asarray(weights.copies)
    order, cells = ops.curve_order(points, scale, keep=True, copies=copies)
    assert cells is not None  # they were asked for
    search = ops.build_index(points, order, scale, norm)
    prepare_cores(search, order, min_samples, core_factor, weights, ops)
    return PointIndex(scale, order, cells, search)


def prepare_cores(
    search: SearchIndex, order: Array, min_samples: int, core_factor: float, weights: Weights | None, ops: Backend
) -> None:
    """The core distances of a hierarchy, as weights of edges take them."""
    if find_cores(search, order, min_samples, weights, ops) is not None:
        ops.forget_neighbours(search)
        if core_factor != 1:
            ops.scale_cores(search, core_factor)
