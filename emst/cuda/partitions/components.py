"""Components of partitions between rounds, on the GPU. Kernels: components.cu."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy
import numpy as np

from emst.backend.partition_records import Components, JoinedComponents, Numbering, OpenEdges
from emst.backend.records import Forest
from emst.cuda.merge import MergeScratch, halves, merge
from emst.cuda.points.bvh import SearchIndex
from emst.cuda.runtime.arguments import as_struct
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.memory import all_ones, empties, zeros
from emst.cuda.runtime.to_host import OnItsWay


def first_edges(edges: OpenEdges, label: cupy.ndarray, count: int, both: bool = True) -> cupy.ndarray:
    """See `emst.backend.partition_operations`."""
    m, words, given = _edges(edges, label, both)
    least, place = all_ones((count, np.uint64), (count, np.int32))
    launch("partitions/components", f"least_keys<{words}>", m, given, least)
    launch("partitions/components", f"first_places<{words}>", m, given, least, place)
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
    m, words = len(nearest), 3 + weight.dtype.itemsize // 4
    edges = OpenEdges(cupy.empty((m, words), np.uint64))
    queries = nearest, weight, power, m, query_component, query_id
    args = (*queries, component, np.int32(base), as_struct(numbering, np.int64), edges.words)
    launch("partitions/components", f"edges_across<{ctype(weight.dtype)}>", m, *args)
    return edges


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
    first, forest = first_edges(edges, label, count), _forest(count)
    scratch = forest.scratch
    hooks = first, bound, count, forest.labels, forest.components, scratch.edge, scratch.ends
    launch("partitions/components", f"hook_first<{ctype(bound.dtype)}, {words}>", count, given, *hooks)
    left = merge(forest)
    of_root, number = empties((count, np.int32), (count, np.int32))
    sizes, totals = zeros((left, np.int64), (2, np.int32))
    labels, of_boxes = empties((len(label), np.int32), (len(boxes), np.int32))
    launch("partitions/components", "number_roots", left, forest.components, left, of_root)
    old = of_root, forest.labels, size, count, label, len(label), boxes, len(boxes)
    threads = max(count, len(label), len(boxes))
    launch("partitions/components", "renumber", threads, *old, number, sizes, labels, of_boxes)
    taken, rest = cupy.empty((count - left, words), np.uint64), cupy.empty((m, words), np.uint64)
    of_taken = given, first, scratch.ends, count, taken, totals
    Compaction(count).launch("partitions/components", f"list_taken<{words}>", count, *of_taken)
    Compaction(m).launch("partitions/components", f"list_left<{words}>", m, given, number, rest, totals[1:])
    rest = rest[: OnItsWay(totals).arrived()[1]]
    return JoinedComponents(Components(labels, left, sizes, of_boxes), number, first, OpenEdges(taken), OpenEdges(rest))


def component_bounds(edges: OpenEdges, components: Components) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.partition_operations`."""
    label, count, size = components.label, components.count, components.size
    first, T = first_edges(edges, label, count), ctype(edges.dtype)
    weight, power = empties((count, edges.dtype), (count, edges.dtype))
    greatest = cupy.zeros(1, np.uint64)
    bounds = edges.words, first, size, count, weight, power, greatest
    launch("partitions/components", f"write_bounds<{T}>", count, *bounds)
    launch("partitions/components", f"forget_greatest<{T}>", 1, greatest, weight)
    return weight, power


def _edges(edges: OpenEdges, label: cupy.ndarray, both: bool) -> tuple[int, int, Any]:
    """How many edges there are, the words of one, and `Edges` of components.cu."""
    m, words = edges.words.shape
    return m, words, as_struct([edges.words.data.ptr, m, label.data.ptr, both], np.uint64)


def _forest(count: int) -> Forest:
    """For `count` components that hook_first makes roots. Their edges have no weights."""
    labels, components = empties((count, np.int32), (count, np.int32))
    best, weight = zeros((count, np.float32), (count, np.float32))
    packed = MergeScratch(count)
    u, v = halves(packed.edge)
    source, target = halves(packed.ends)
    return Forest(labels, components, best, u, v, source, target, weight, packed)


def box_labels(
    index: SearchIndex, labels: cupy.ndarray, group: cupy.ndarray | None, level: cupy.ndarray, node: cupy.ndarray
) -> cupy.ndarray:
    """See `emst.backend.partition_operations`."""
    m, found = len(level), cupy.empty(len(level), np.int32)
    args = (level, node, m, cupy.ascontiguousarray(labels), group, index.hierarchy, index.nodes, found)
    launch("partitions/components", f"box_labels<{index.layout}>", m, *args)
    return found


def asking_points(
    places: cupy.ndarray | None,
    weight: cupy.ndarray,
    power: cupy.ndarray | None,
    nearest: cupy.ndarray | None,
    component: cupy.ndarray,
    group: cupy.ndarray,
    bound: cupy.ndarray,
    bound_power: cupy.ndarray | None,
    label: cupy.ndarray,
    least: cupy.ndarray,
    rest: float,
) -> Callable[[], tuple[cupy.ndarray, bool]]:
    """See `emst.backend.partition_operations`. The host waits once, for both."""
    n, T = len(weight), ctype(weight.dtype)
    asking, totals = cupy.empty(n, np.int32), cupy.zeros(2, np.int32)
    points = (_in_order(places), n, *map(_in_order, (weight, power, nearest, component)))
    bounds = tuple(map(_in_order, (group, bound, bound_power, label)))
    Compaction(n).launch("partitions/components", f"list_asking<{T}>", n, *points, *bounds, asking, totals)
    if rest < np.inf:
        args = len(group), bounds[0], bounds[1], least, weight.dtype.type(rest), totals[1:]
        launch("partitions/components", f"exceeds_rest<{T}>", len(group), *args)
    on_its_way = OnItsWay(totals)

    def arrived() -> tuple[cupy.ndarray, bool]:
        total, exceeds = on_its_way.arrived()
        return asking[:total], not exceeds

    return arrived


def _in_order(array: Any) -> Any:
    return None if array is None else cupy.ascontiguousarray(array)
