"""All of Borůvka's rounds in one call, for few points.

With few points, Python needs more time to call a kernel than the kernel needs to run. So one compiled function calls
the kernels of all rounds, one after the other, on one thread."""

from __future__ import annotations

import numpy as np

from emst.backend.records import NO_FOREST, Forest
from emst.cpu.contract import flatten_chunk, list_roots
from emst.cpu.lightest import first_edges, least_weights, name_edges
from emst.cpu.merge import hook, relabel
from emst.cpu.points.bvh import SearchIndex
from emst.cpu.points.cached import begin_round, bound_leaves, cache_neighbours, search_scratch
from emst.cpu.points.duplicates import join_duplicates
from emst.cpu.points.labels import label_level
from emst.cpu.points.search import search_groups
from emst.cpu.runtime.compile import compiled, part
from emst.cpu.runtime.lanes import LANES

FEW = 1 << 12  # coordinates: of more, two threads find the neighbours sooner than one saves the time between kernels
ROUNDS = FEW.bit_length()  # at most, as each halves the components at least
BROKEN = -1


def join_all(index: SearchIndex) -> tuple[Forest, list[int]] | None:
    """See `emst.backend.operations`."""
    if index.n * index.d > FEW:
        return None
    forest = join_duplicates(index)
    cache = cache_neighbours(index, forest)
    left, chunk = np.empty(ROUNDS, np.int64), (np.empty(1, np.int64), np.empty(1, np.bool_))
    components = forest.components, np.empty(forest.count, np.int32)
    edges = forest.edge_u, forest.edge_v, forest.source, forest.target, forest.weight
    points = index.nodes, index.padded_core, index.node_core, index.space
    near = None if index.core is None else cache.memory.near
    rounds = _join(
        search_scratch(index), chunk, points, index.n, cache.memory, near, cache.candidates, forest.labels,
        forest.labels.copy(), forest.best, edges, *components, left,
    )  # fmt: skip
    if rounds == BROKEN:
        raise RuntimeError(NO_FOREST)
    forest.components, forest.best, forest.edge_u, forest.edge_v = forest.labels[:1], None, None, None
    return forest, left[:rounds].tolist()


@compiled
def _join(scratch, chunk, points, n, memory, near, candidates, labels, parent, best, edges, components, roots, left):
    """Returns the number of rounds. `left` gets the number of components after each round. `chunk` has room for what
    kernels report of a chunk: a count, and whether they have changed anything."""
    nodes, core, node_core, space = points
    edge_u, edge_v, source, target, weight = edges
    number, improved = chunk
    count, rounds = len(components), 0
    while count > 1:
        if rounds == len(left):
            return BROKEN
        _label_nodes(nodes, labels, n)
        begin_round(labels, memory.labels, best, edge_u, edge_v, 0, n)
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
        relabel(parent, labels, 0, n)
        left[rounds] = count
        rounds += 1
    return rounds


@part
def _label_nodes(nodes, labels, n):
    """See `labels.label_nodes`."""
    below, start, count = labels, 0, n
    for level in range(len(nodes.counts)):
        first, size = nodes.first[level] * LANES, nodes.counts[level]
        label_level(below, start, count, nodes.label, first, 0, size)
        below, start, count = nodes.label, first, size
