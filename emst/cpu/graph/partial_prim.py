"""Prim's rule from many vertices at once, for `emst.graph.algorithms.partial_prim`.

A thread is a worker, and a chunk of start vertices is its block. Its scratch is one heap, which holds, for every vertex
of the growing subtree, the lightest known edge that leaves the subtree. The heap is lazy: an edge becomes invalid only
if its other end joins the same subtree, and it is replaced when it reaches the top.

Races. Vertices are claimed by compare-and-swap. Other reads of `owner` only ask whether the worker itself owns the
vertex. Only the worker writes its own name, so a stale value makes no difference.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.atomics import compare_and_swap, load
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for

NOBODY = np.int32(-1)
LOST = np.int64(-2)
PATIENCE = np.int64(4096)  # edges of one row that are read at most: there can be millions of parallel edges


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
            while edge != LOST and count > 0 and load(owner, columns[at[0]]) == me:  # its other end has joined since
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
                break  # enough for this round, or the subtree is a connected component
            edge = at[0]
            v = columns[edge]
            if size == gamma or compare_and_swap(owner, np.int64(v), NOBODY, me) != NOBODY:
                hook[root] = edge
                break
            via[v] = edge
            size += 1


@part
def _lightest_leaving(indptr, columns, keys, ascending, owner, me, v, first, alone):
    """Position of v's lightest edge that leaves the subtree, -1 if there is none. If rows ascend, the search begins at
    `first`. LOST if more than PATIENCE edges had to be read: a subtree of several vertices may stop then."""
    end = indptr[v + 1]
    if ascending:
        edge, far = first, first + PATIENCE
        while edge < lesser(end, far) and load(owner, columns[edge]) == me:
            edge += 1
        if edge == end:
            return np.int64(-1)
        return edge if edge < far else LOST
    if not alone and end - indptr[v] > PATIENCE:
        return LOST
    lightest = np.int64(-1)
    for edge in range(indptr[v], end):
        if (lightest < 0 or keys[edge] < keys[lightest]) and load(owner, columns[edge]) != me:
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
