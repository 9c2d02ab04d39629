"""All of Borůvka's rounds in one call, for few points.

With few points, Python needs more time to call a kernel than the kernel needs to run, and to make an array than to fill
it. So one compiled function joins duplicates and calls the kernels of all rounds, one after the other, on one thread.
Its arrays are pieces of a few larger ones. It takes seconds to compile for each norm, so it is used for the Euclidean,
Manhattan and Chebyshev norms only. Under others the rounds are taken one by one.
"""

from __future__ import annotations

import numpy as np

from emst.backend.records import NO_FOREST, Forest, Taken
from emst.cpu.contract import flatten_chunk, list_roots
from emst.cpu.lightest import first_edges, least_weights, name_edges
from emst.cpu.merge import copy_labels, hook, relabel
from emst.cpu.points.bvh import MIXED, SearchIndex
from emst.cpu.points.cached import Memory, begin_cache, begin_points, bound_leaves
from emst.cpu.points.duplicates import differ_from_last, join_runs
from emst.cpu.points.labels import label_level
from emst.cpu.points.norms import for_few
from emst.cpu.points.search import search_groups
from emst.cpu.points.walk import packet_in, packet_kinds
from emst.cpu.runtime.arrays import empties
from emst.cpu.runtime.compact import count_flags, list_flags
from emst.cpu.runtime.compile import compiled, part
from emst.cpu.runtime.lanes import LANES

FEW = 1 << 12  # coordinates: of more, two threads find the neighbours sooner than one saves the time between kernels
ROUNDS = FEW.bit_length()  # at most, as each halves the components at least
BROKEN = -1
NAMES, NUMBERS = 9, 5  # arrays of one entry a point, the empty lanes of the last leaf included

_packet_in = part(packet_in)


def join_all(index: SearchIndex) -> tuple[Forest, Taken] | None:
    """See `emst.backend.operations`."""
    n, d, size = index.n, index.d, index.leaves * LANES
    if n * d > FEW or index.norm.kind in ("powers", "any power"):
        return None
    listed = index.lists is not None
    names, numbers, *packet, more_names, longs, flags, read = empties(
        (NAMES * size, np.int32),
        (NUMBERS * size, index.dtype),
        *packet_kinds(d, index.dtype),
        (LANES * LANES + size + 1, np.int32),
        (1 + ROUNDS + index.leaves, np.int64),
        (n + 1, np.bool_),
        (size if listed else 0, np.int8),
    )
    names, numbers = names.reshape(NAMES, size), numbers.reshape(NUMBERS, size)
    points = index.nodes, index.padded_core, index.node_core, for_few(index.space)
    lists, reach = (index.lists, index.reach) if listed else (names[:0].reshape(size, 0), numbers[0, :0])
    rounds = _join(points, n, names, numbers, tuple(packet), more_names, longs, flags, read, lists, reach)
    if rounds == BROKEN:
        raise RuntimeError(NO_FOREST)
    labels, source, target = names[0, :n], names[1, :n], names[2, :n]
    forest = Forest(labels, labels[:1], None, None, None, source, target, numbers[0, :n])
    return forest, longs[1 : 1 + rounds].tolist


@compiled
def _join(points, n, names, numbers, packet, more_names, longs, flags, read, lists, reach):
    """Returns the number of rounds. The first rows of `names` and `numbers` get the forest: labels, sources and
    targets, and weights. `longs` gets the number of components after each round, from its entry 1 on."""
    nodes, core, node_core, space = points
    labels, source, target, edge_u, edge_v = names[0, :n], names[1, :n], names[2, :n], names[3, :n], names[4, :n]
    parent, components, roots = names[5, :n], names[6], names[7]
    weight, best = numbers[0, :n], numbers[1, :n]
    memory = Memory(
        labels=more_names[LANES * LANES :],
        nearest=names[8],
        bound=numbers[2],
        near=numbers[3, : 0 if core is None else len(lists)],
        least=numbers[4],
        lists=lists,
        read=read,
        reach=reach,
    )
    near = None if core is None else memory.near
    scratch = _packet_in(space.d, packet[0], packet[1], packet[2]), more_names[: LANES * LANES]
    number, left, candidates = longs[:1], longs[1:], longs[1 + ROUNDS :]
    # What kernels report of a chunk: a count, or whether they have changed anything.
    start, improved = flags[:n], flags[n:]
    memory.labels[:], memory.near[:], memory.least[:], memory.read[:] = MIXED, 0, 0, 0
    start[0] = True
    differ_from_last(nodes.blocks, space.d, start, 0, n)
    number[0] = 0
    list_flags(start, number, components, n, 0, n)
    count_flags(start, number, n, 0, n)
    count, rounds = number[0], 0
    join_runs(components[:count], core, labels, best, edge_u, edge_v, source, target, weight, 0, n)
    begin_cache(labels, core, memory.bound, memory.nearest, 0, len(lists))
    copy_labels(labels, parent, 0, n)
    while count > 1:
        if rounds == ROUNDS:
            return BROKEN
        begin_points(parent, labels, memory.labels, best, edge_u, edge_v, 0, n)
        _label_nodes(nodes, labels, n)
        bound_leaves(nodes, core, n, best, memory, space, 0, len(candidates))
        groups = (len(candidates) + LANES - 1) // LANES
        search_groups(scratch, nodes, core, node_core, n, best, memory, candidates, space, 0, groups)
        least_weights(candidates, memory, near, best, best, improved, n, 0, len(candidates))
        first_edges(candidates, memory, near, best, edge_u, improved, n, 0, len(candidates))
        here = components[:count]
        name_edges(here, memory, edge_u, edge_v, 0, count)
        hook(here, labels, parent, edge_u, edge_v, best, source, target, weight, number, n, 0, count)
        hooked = number[0]
        flatten_chunk(parent, here, number, n, 0, count)
        if number[0] != count - hooked:  # each that hooks is one component less, unless edges close a cycle
            return BROKEN
        count = number[0]
        list_roots(parent, here, number, number, roots, n, 0, len(here))
        if number[0] != count:
            return BROKEN
        components, roots = roots, components
        left[rounds] = count
        rounds += 1
    relabel(parent, labels, 0, n)
    return rounds


@part
def _label_nodes(nodes, labels, n):
    """See `labels.label_nodes`."""
    below, start, count = labels, 0, n
    for level in range(len(nodes.counts)):
        first, size = nodes.first[level] * LANES, nodes.counts[level]
        label_level(below, start, count, nodes.label, first, 0, size)
        below, start, count = nodes.label, first, size
