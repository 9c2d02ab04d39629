"""Prim's rule from many vertices at once: what `emst.graph.algorithms.partial_prim` asks of the CPU.

A thread is a worker; a chunk of start vertices is its block. Its scratch is one heap: of every vertex of the subtree
that is growing, the lightest edge that is known to leave it. What stands there can only go out of date in one way, by
the other end joining the same subtree, and then it is looked for again when it comes up: a lazy heap.

Races. Vertices are claimed by compare-and-swap. Who reads `owner` while others claim asks only whether it is its own
name that stands there, and that nobody else writes: a stale value of another's vertex is as good as a new one.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.atomics import compare_and_swap
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.parallel import for_chunks, grain_for

NOBODY = np.int32(-1)
LOST = np.int64(-2)
PATIENCE = np.int64(4096)  # edges of one row: between two vertices there can be millions of parallel ones


def grow_subtrees(indptr, columns, keys, gamma, ascending):
    """See `emst.backend.operations`."""
    n = len(indptr) - 1
    gamma = max(1, min(gamma, n))
    owner, via, hook = np.full(n, NOBODY), np.full(n, -1), np.full(n, -1)
    graph = (indptr, columns, keys, gamma, ascending, owner, via, hook)
    for_chunks(_grow, n, grain_for(n, 1 << 10), *graph,
               scratch=lambda: (empty(gamma, np.uint64), empty(gamma, np.int64), empty(gamma, np.int32)))  # fmt: skip
    return owner, via, hook


@kernel
def _grow(heap, indptr, columns, keys, gamma, ascending, owner, via, hook, begin, end):
    key, at, vertex = heap
    for root in range(begin, end):
        me = np.int32(root)
        if compare_and_swap(owner, root, NOBODY, me) != NOBODY:
            continue
        size, count = 1, 0
        v = me
        while True:
            edge = _lightest_leaving(indptr, columns, keys, ascending, owner, me, v, indptr[v], size == 1)
            if edge >= 0:
                _sift_up(key, at, vertex, count, keys[edge], edge, v)
                count += 1
            while edge != LOST and count > 0 and owner[columns[at[0]]] == me:  # its other end has joined since
                v = vertex[0]
                edge = _lightest_leaving(indptr, columns, keys, ascending, owner, me, v, at[0], False)
                if edge == LOST:
                    break
                if edge >= 0:
                    _sift_down(key, at, vertex, count, keys[edge], edge, v)
                else:
                    count -= 1
                    _sift_down(key, at, vertex, count, key[count], at[count], vertex[count])
            if edge == LOST or count == 0:
                break  # enough for this round, or a whole component
            edge = at[0]
            v = columns[edge]
            if size == gamma or compare_and_swap(owner, np.int64(v), NOBODY, me) != NOBODY:
                hook[root] = edge
                break
            via[v] = edge
            size += 1


@part
def _lightest_leaving(indptr, columns, keys, ascending, owner, me, v, known, alone):
    """Position of v's lightest edge that leaves the subtree, -1 if there is none; if rows ascend, from `known` on. LOST
    if that takes longer than PATIENCE: the subtree of more than one vertex may stop."""
    end = indptr[v + 1]
    if ascending:
        edge, far = known, known + PATIENCE
        while edge < min(end, far) and owner[columns[edge]] == me:
            edge += 1
        if edge == end:
            return np.int64(-1)
        return edge if edge < far else LOST
    if not alone and end - indptr[v] > PATIENCE:
        return LOST
    lightest = np.int64(-1)
    for edge in range(indptr[v], end):
        if (lightest < 0 or keys[edge] < keys[lightest]) and owner[columns[edge]] != me:
            lightest = edge
    return lightest


@part
def _sift_up(key, at, vertex, place, k, a, v):
    """Put an entry into the heap's first empty place."""
    while place > 0 and k < key[(place - 1) // 2]:
        above = (place - 1) // 2
        key[place], at[place], vertex[place] = key[above], at[above], vertex[above]
        place = above
    key[place], at[place], vertex[place] = k, a, v


@part
def _sift_down(key, at, vertex, count, k, a, v):
    """Replace the least of `count` entries."""
    place = 0
    while 2 * place + 1 < count:
        below = 2 * place + 1
        if below + 1 < count and key[below + 1] < key[below]:
            below += 1
        if k <= key[below]:
            break
        key[place], at[place], vertex[place] = key[below], at[below], vertex[below]
        place = below
    key[place], at[place], vertex[place] = k, a, v
