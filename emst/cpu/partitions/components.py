"""Components of partitions between rounds: the first edge that leaves each, their contraction, edges to points that
were found, labels of boxes, and the points that ask for more.

A partition is the work of one thread, so these kernels take all of it in one chunk.
"""

from __future__ import annotations

import numpy as np

from emst.backend.partition_records import Components, JoinedComponents, OpenEdges
from emst.backend.records import NO_FOREST
from emst.cpu.contract import stays_root
from emst.cpu.points.bvh import MIXED
from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.lanes import LANES
from emst.cpu.runtime.parallel import for_chunks

MOST = 2**32 - 1  # points of a component; those of more count as equal


def first_edges(edges, label, count, both=True):
    """See `emst.backend.partition_operations`."""
    place, m = np.full(count, -1, np.int32), len(edges)
    for_chunks(_first_edges, m, max(m, 1), edges.words, label, both, place)
    return place


def edges_across(nearest, weight, power, query_component, query_id, component, base, numbering):
    """See `emst.backend.partition_operations`."""
    m = len(nearest)
    edges = OpenEdges(np.empty((m, 3 + weight.itemsize // 4), np.uint64))
    ids = numbering.ids(np.maximum(nearest, 0))
    args = nearest, query_component, query_id, component, base, ids, edges.words, edges.words.view(np.int32)
    for_chunks(_edges_across, m, max(m, 1), *args)
    edges.weight[:], edges.power[:] = weight, power
    return edges


def edges_at(edges, places):
    """See `emst.backend.partition_operations`."""
    m, words = len(places), np.empty((len(places), edges.words.shape[1]), np.uint64)
    for_chunks(_rows_at, m, max(m, 1), edges.words, places, words)
    return OpenEdges(words)


def join_components(edges, components, bound):
    """See `emst.backend.partition_operations`."""
    label, count, size, boxes = components.label, components.count, components.size, components.boxes
    first, m = first_edges(edges, label, count), len(edges)
    number, found = empty(count, np.int32), np.zeros(2, np.int64)
    taken, rest = empty(count, np.int32), empty(m, np.int32)
    for_chunks(_join, 1, 1, edges.words, label, first, bound < 0, number, taken, rest, found)
    left, kept = found.tolist()
    if left < 0:
        raise RuntimeError(NO_FOREST)
    sizes = np.zeros(left, np.int64)
    np.add.at(sizes, number, size)
    boxes = np.where(boxes < 0, boxes, number[np.maximum(boxes, 0)])
    taken, rest = (OpenEdges(edges.words[rows]) for rows in (taken[: count - left], rest[:kept]))
    return JoinedComponents(Components(number[label], left, sizes, boxes), number, first, taken, rest)


def component_bounds(edges, components):
    """See `emst.backend.partition_operations`."""
    first = edges_at(edges, first_edges(edges, components.label, components.count))
    weight, power = np.ascontiguousarray(first.weight), np.ascontiguousarray(first.power)
    weight[np.minimum(components.size, MOST).argmax()] = -1
    return weight, power


def box_labels(index, labels, group, level, node):
    """See `emst.backend.partition_operations`."""
    found, nodes = np.full(len(level), MIXED, np.int32), index.nodes
    points, inner = level < 0, (level >= 0) & (level < len(nodes.first))
    found[points] = labels[node[points]] if group is None else group[labels[node[points]]]
    found[inner] = nodes.label[nodes.first[level[inner]] * LANES + node[inner]]
    return found


def asking_points(asking, nearest, label):
    """See `emst.backend.partition_operations`."""
    places, weight, power, component, group, bound, bound_power, least, rest = asking
    n = len(weight)
    listed, found = empty(n, np.int32), np.zeros(1, np.int64)
    places = np.arange(n, dtype=np.int32) if places is None else np.ascontiguousarray(places)
    power, bound_power = (weight, bound) if power is None else (power, bound_power)
    columns = map(np.ascontiguousarray, (weight, power, nearest, component, group, bound, bound_power, label))
    for_chunks(_list_asking, n, max(n, 1), places, *columns, listed, found)
    most = bound[group]
    return listed[: found[0]].copy(), not (rest < np.inf and bool(((most >= rest) & (most >= least)).any()))


@kernel
def _rows_at(words, places, taken, begin, end):
    for i in range(begin, end):
        for word in range(words.shape[1]):
            taken[i, word] = words[places[i], word] if places[i] >= 0 else np.uint64(0)


@kernel
def _edges_across(nearest, query_component, query_id, component, base, ids, words, ends, begin, end):
    for i in range(begin, end):
        ends[i, 0] = query_component[i]
        ends[i, 1] = query_component[i] if nearest[i] < 0 else component[nearest[i]] + base
        words[i, 1], words[i, 2] = min(query_id[i], ids[i]), max(query_id[i], ids[i])


@part
def _end(words, i, label, second):
    """The component now of the first or the second end of edge i."""
    ends = words[i, 0]
    return np.int64(label[np.int64(ends >> np.uint64(32) if second else ends & np.uint64(0xFFFFFFFF))])


@part
def _other_end(words, i, label, c):
    """The component at the end of edge i that is not c."""
    a = _end(words, i, label, False)
    return _end(words, i, label, True) if a == c else a


@part
def _precedes(words, i, other):
    """Whether edge i comes before the other one; of equal edges, the one that is listed first. No key is negative, so
    they compare as unsigned integers; in float32, weight and power are one key."""
    for key in range(3, words.shape[1]):
        if words[i, key] != words[other, key]:
            return words[i, key] < words[other, key]
    for key in range(1, 3):
        if words[i, key] != words[other, key]:
            return words[i, key] < words[other, key]
    return i < other


@kernel
def _first_edges(words, label, both, place, begin, end):
    for i in range(begin, end):
        a = _end(words, i, label, False)
        b = _end(words, i, label, True) if both else a
        if both and a == b:
            continue
        if place[a] < 0 or _precedes(words, i, np.int64(place[a])):
            place[a] = i
        if both and (place[b] < 0 or _precedes(words, i, np.int64(place[b]))):
            place[b] = i


@kernel
def _join(words, label, first, waits, number, taken, rest, found, begin, end):
    count = len(first)
    for c in range(count):  # number holds what every component hooks onto
        other = np.int64(c) if waits[c] else _other_end(words, first[c], label, c)
        mutual = not waits[other] and _other_end(words, first[other], label, other) == c
        number[c] = c if stays_root(c, other, mutual) else other
    hooked = 0
    for c in range(count):
        if number[c] != c:
            taken[hooked] = first[c]
            hooked += 1
    found[0] = _number_roots(number, count - hooked)
    if found[0] < 0:
        return
    kept = 0
    for i in range(len(words)):
        if number[_end(words, i, label, False)] != number[_end(words, i, label, True)]:
            rest[kept] = i
            kept += 1
    found[1] = kept


@part
def _number_roots(parent, roots):
    """Replace every parent by the number of its root, and return how many there are; -1 if there are not `roots`."""
    left = 0
    for c in range(len(parent)):
        if parent[c] == c:
            parent[c] = -left - 1  # marked by its number
            left += 1
    for c in range(len(parent)):
        if parent[c] >= 0:
            at, steps = np.int64(c), 0
            while parent[at] >= 0:
                at = np.int64(parent[at])
                steps += 1
                if steps > len(parent):
                    return -1
            mark = parent[at]
            at = np.int64(c)
            while parent[at] >= 0:
                above = np.int64(parent[at])
                parent[at] = mark
                at = above
    for c in range(len(parent)):
        parent[c] = -parent[c] - 1
    return left if left == roots else -1


@kernel
def _list_asking(
    places, weight, power, nearest, component, group, bound, bound_power, label, asking, found, begin, end
):
    count = 0
    for i in range(begin, end):
        g = np.int64(group[component[places[i]]])
        most = bound[g]
        if most < 0 or weight[i] > most or (weight[i] == most and power[i] > bound_power[g]):
            continue
        if nearest[i] < 0 or label[nearest[i]] == g:
            asking[count] = i
            count += 1
    found[0] = count
