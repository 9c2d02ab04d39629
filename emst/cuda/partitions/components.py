"""Components of partitions between rounds, on the GPU. Kernels: components.cu, contraction.cu."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.backend.partition_records import Asking, Components, JoinedComponents, Numbering, OpenEdges
from emst.backend.records import NO_FOREST
from emst.cuda.points.bvh import SearchIndex
from emst.cuda.runtime.arguments import Address, as_struct
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import BLOCK, EACH, MEETING_WORDS
from emst.cuda.runtime.copies import copied
from emst.cuda.runtime.launch import launch, launch_resident
from emst.cuda.runtime.memory import cleared, empties, part_of, scratch
from emst.cuda.runtime.to_host import OnItsWay, Written


def first_edges(edges: OpenEdges, label: cupy.ndarray, count: int, both: bool = True) -> cupy.ndarray:
    """See `emst.backend.partition_operations`."""
    m, words, given = _edges(edges, label, both)
    (least,), (meeting,), place = scratch((count, np.uint64)), _meeting(), cupy.empty(count, np.int32)
    args = given, count, least, place, meeting
    launch_resident("partitions/contraction", f"first_edges<{words}>", _blocks(m, count), *args, block=BLOCK)
    return place


def edges_across(
    nearest: cupy.ndarray,
    weight: cupy.ndarray,
    power: cupy.ndarray,
    query_component: cupy.ndarray,
    query_id: cupy.ndarray,
    component: cupy.ndarray,
    base: int,
    numbering: Numbering,
) -> OpenEdges:
    """See `emst.backend.partition_operations`."""
    given = nearest, weight, power, query_component, query_id, component
    edges = OpenEdges(cupy.empty((len(nearest), words_of(weight.dtype)), np.uint64))
    name, across = f"edges_across<{ctype(weight.dtype)}>", _across(given, base, numbering)
    launch("partitions/components", name, len(nearest), across, edges.words)
    return edges


def words_of(dtype: np.dtype) -> int:
    """Words of an edge whose weight has this type."""
    return 3 + dtype.itemsize // 4


def _across(given: tuple[cupy.ndarray, ...], base: int, numbering: Numbering) -> np.ndarray:
    """`Across` of edges.cuh. The arrays must live until the launch."""
    return as_struct([*(array.data.ptr for array in given), *numbering, len(given[0]), base], np.int64)


def edges_at(edges: OpenEdges, places: cupy.ndarray) -> OpenEdges:
    """See `emst.backend.partition_operations`."""
    _, words, given = _edges(edges, places, True)  # labels are not read
    found = cupy.empty((len(places), words), np.uint64)
    launch("partitions/components", f"edges_at<{words}>", len(places), given, places, len(places), found)
    return OpenEdges(found)


def join_components(edges: OpenEdges, components: Components, bound: cupy.ndarray) -> JoinedComponents:
    """See `emst.backend.partition_operations`."""
    label, count, size, boxes = components.label, components.count, components.size, components.boxes
    m, words, given = _edges(edges, label, True)
    blocks, told, (meeting,) = _blocks(m, count, len(label), len(boxes)), Written(3), _meeting()
    least, parent, numbers = scratch((count, np.uint64), (count, np.int32), (blocks, np.uint64))
    of_each = (count, np.int32)
    first, number = empties(of_each, of_each)
    sizes = cupy.empty(count, np.int64)
    labels, of_boxes = empties((len(label), np.int32), (len(boxes), np.int32))
    taken, rest = cupy.empty((count, words), np.uint64), cupy.empty((m, words), np.uint64)
    old = bound, size, label, len(label), boxes, len(boxes)
    new = number, sizes, labels, of_boxes, taken, rest
    args = given, count, *old, least, first, parent, *new, numbers, meeting, told.address
    name = f"join_components<{ctype(bound.dtype)}>"
    launch_resident("partitions/contraction", name, blocks, *args, block=BLOCK)
    told.launched()
    left, between, broken = told.arrived()
    if broken:
        raise RuntimeError(NO_FOREST)
    taken = taken[: count - left]
    if 2 * len(taken) < count:  # they are kept until all rounds have ended, and their memory with them
        taken = copied(taken)
    joined = Components(labels, left, sizes[:left], of_boxes)
    return JoinedComponents(joined, number, first, OpenEdges(taken), OpenEdges(rest[:between]))


def component_bounds(edges: OpenEdges, components: Components) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.partition_operations`."""
    label, count, size = components.label, components.count, components.size
    m, _, given = _edges(edges, label, True)
    weight, power = empties((count, edges.dtype), (count, edges.dtype))
    (least, first), (meeting,) = scratch((count, np.uint64), (count, np.int32)), _meeting()
    args, name = (given, count, size, least, first, weight, power, meeting), f"component_bounds<{ctype(edges.dtype)}>"
    launch_resident("partitions/contraction", name, _blocks(m, count), *args, block=BLOCK)
    return weight, power


def _meeting() -> list[Address]:
    """A `Meeting` of contraction.cuh."""
    return cleared((MEETING_WORDS, np.uint32))


def _blocks(*counts: int) -> int:
    """How many pass over so many edges and components."""
    return -(-max(*counts, 1) // (EACH * BLOCK))


def _edges(edges: OpenEdges, label: cupy.ndarray, both: bool) -> tuple[int, int, Any]:
    """How many edges there are, the words of one, and `Edges` of edges.cuh."""
    m, words = edges.words.shape
    return m, words, as_struct([edges.words.data.ptr, m, label.data.ptr, both], np.uint64)


def box_labels(
    index: SearchIndex, labels: cupy.ndarray, group: cupy.ndarray | None, level: cupy.ndarray, node: cupy.ndarray
) -> cupy.ndarray:
    """See `emst.backend.partition_operations`."""
    m, found = len(level), cupy.empty(len(level), np.int32)
    args = (level, node, m, cupy.ascontiguousarray(labels), group, index.hierarchy, index.nodes, found)
    launch("partitions/components", f"box_labels<{index.layout}>", m, *args)
    return found


def asking_points(asking: Asking, nearest: cupy.ndarray, label: cupy.ndarray) -> tuple[cupy.ndarray, bool]:
    """See `emst.backend.partition_operations`. The host waits once, for both."""
    n, T = len(asking.weight), ctype(asking.weight.dtype)
    listed, (totals,) = cupy.empty(n, np.int32), cleared((2, np.int32))
    kept, given = asking_by_value(asking)
    nearest, label = (cupy.ascontiguousarray(array) for array in (nearest, label))
    Compaction(n).launch("partitions/components", f"list_asking<{T}>", n, given, nearest, label, listed, totals)
    if asking.rest < np.inf:
        components = len(asking.group)
        launch("partitions/components", f"exceeds_rest<{T}>", components, given, part_of(totals, 1))
    del kept
    total, exceeds = OnItsWay(totals).arrived()
    return listed[:total], not exceeds


def asking_by_value(asking: Asking) -> tuple[list[Any], np.ndarray]:
    """`Asking` of asking.cuh, by value, and the arrays that it points to: they must live until the launch."""
    arrays = [None if array is None else cupy.ascontiguousarray(array) for array in asking[:-1]]
    rest = np.zeros(8 // asking.weight.itemsize, asking.weight.dtype)
    rest[0] = asking.rest
    counts = len(asking.weight), len(asking.group), rest.view(np.uint64)[0]
    return arrays, as_struct([*(0 if array is None else array.data.ptr for array in arrays), *counts], np.uint64)
