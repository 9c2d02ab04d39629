"""The dendrogram of a spanning tree from the components of Borůvka's rounds, by all threads.

Follow the components of the rounds from a point upward, as long as their lightest edges are among those up to rank e.
Points of one cluster, which these edges connect, come to the same component, its *top*; clusters have different tops.
So the merges that make clusters with one top follow one another: they form a *chain*, in which each is the parent of
the one before it. The parent of the last is the lightest edge that leaves the top. A merge joins the one before it in
its chain and the last of another chain, or a point; the first of a chain joins two of these.

The components in a top belong to earlier rounds, so sizes are sums along the chains of one round after the other.

References
----------
P. Sao, A. Prokopenko, D. Lebrun-Grandié, "PANDORA: a parallel dendrogram construction algorithm for single linkage
clustering on GPU", ICPP 2024: chains of edges that are contracted together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for
from emst.cpu.runtime.prefetch import prefetch
from emst.cpu.runtime.sort import radix_order

GRAIN = 1 << 14  # merges
AHEAD = 8  # merges whose components are fetched before they are read, and again those whose last merges are


class Chains(NamedTuple):
    """All merges, chain by chain, and what hangs below and above them."""

    top: np.ndarray  # uint64[m], ascending: number of the chain's top among the components that are no points
    merge: np.ndarray  # int32[m]: ascending in every chain
    last: np.ndarray  # int32[components that are no points]: the last merge of the chain with this top
    leaving: np.ndarray  # int32[2 * m]: see `rounds.Components`


def dendrogram(components, sizes):
    """Children int32[m, 2], sizes and parents int32[m] of the merges; `sizes`, int32 or int64[n], of the points. Sizes
    of merges have their dtype."""
    m, n = len(components.leaving) // 2, len(sizes)
    grain = grain_for(m, GRAIN)
    top = empty(m, np.uint64)
    for_chunks(_climb, m, grain, components.above, components.leaving, n, top)
    top, merge = radix_order(top)
    chains = Chains(top, merge, empty(components.begins[-1] + 1 - n, np.int32), components.leaving)
    parent, child, size = empty(m, np.int32), empty(2 * m, np.int32).reshape(m, 2), empty(m, sizes.dtype)
    for_chunks(_link, m, grain, chains, components.above[2 * n + 1 :: 2], parent)
    for_chunks(_join, m, grain, chains, n, child)
    tops = np.array([*components.begins[1:], components.begins[-1] + 1]) - n
    bounds = np.searchsorted(top, tops.astype(np.uint64))
    for first, end in zip(bounds.tolist(), bounds[1:].tolist()):
        _add_sizes(chains, sizes, first, end, size)
    return child, size, parent


@part
def _below(leaving, e):
    """A component that edge e is the lightest of."""
    return np.int64(leaving[2 * e] if leaving[2 * e] >= 0 else leaving[2 * e + 1])


@kernel
def _climb(above, leaving, n, top, begin, end):
    for e in range(begin, end):
        prefetch(above, 2 * _below(leaving, min(e + 2 * AHEAD, end - 1)))
        prefetch(above, 2 * np.int64(above[2 * _below(leaving, min(e + AHEAD, end - 1))]))
        at = np.int64(above[2 * _below(leaving, e)])
        while above[2 * at + 1] <= e:
            at = np.int64(above[2 * at])
        top[e] = np.uint64(at - n)


@kernel
def _link(chains, lightest, parent, begin, end):
    """Parents, and the last merge of every chain. The last of all is its own parent."""
    m = len(parent)
    for k in range(begin, end):
        e, top = chains.merge[k], chains.top[k]
        if k + 1 < m and chains.top[k + 1] == top:
            parent[e] = chains.merge[k + 1]
        else:
            chains.last[top] = e
            parent[e] = lightest[top] if lightest[top] < m else e


@part
def _before(chains, k):
    """The merge that comes before merge number k in the same chain; -1 if k is the first."""
    return chains.merge[k - 1] if k > 0 and chains.top[k - 1] == chains.top[k] else np.int32(-1)


@part
def _prefetch(chains, n, k, end):
    """Fetch the components below a merge, and the last merge of a component below another one."""
    prefetch(chains.leaving, 2 * np.int64(chains.merge[min(k + 2 * AHEAD, end - 1)]))
    e = np.int64(chains.merge[min(k + AHEAD, end - 1)])
    prefetch(chains.last, np.int64(max(chains.leaving[2 * e], chains.leaving[2 * e + 1]) - n))


@kernel
def _join(chains, n, child, begin, end):
    """Children, named as in `Linkage`: points come first, from -n on."""
    for k in range(begin, end):
        _prefetch(chains, n, k, end)
        e, before = np.int64(chains.merge[k]), _before(chains, k)
        first, second = _name(chains, 2 * e, n, before), _name(chains, 2 * e + 1, n, before)
        child[e, 0], child[e, 1] = lesser(first, second), greater(first, second)


@part
def _name(chains, end, n, before):
    """What the component at this end of its lightest edge has merged into; `before` if there is none."""
    component = chains.leaving[end]
    if component < 0:
        return before
    return np.int32(component - n) if component < n else chains.last[component - n]


def _add_sizes(chains, sizes, first, end, size):
    """Sizes of the merges number `first` to `end`, whose tops are of one round: sums within every chunk, to which is
    then added what chunks before it hold of the same chain."""
    grain = grain_for(end - first, GRAIN)
    sums = np.empty((-(-(end - first) // grain), 2), np.int64)
    for_chunks(_add_up, end - first, grain, chains, sizes, first, size, sums, grain)
    carried = np.zeros(len(sums), np.int64)
    for c in range(1, len(sums)):
        total, begins = sums[c - 1]
        carried[c] = total if begins else total + carried[c - 1]
    if carried.any():
        for_chunks(_add_carried, end - first, grain, chains, first, carried, size, grain)


@kernel
def _add_up(chains, sizes, first, size, sums, grain, begin, end):
    """`sums` gets the sum at the end of the chunk, and whether a chain begins in the chunk."""
    n = len(sizes)
    total, begins = np.int64(0), 0
    for k in range(first + begin, first + end):
        _prefetch(chains, n, k, first + end)
        e = np.int64(chains.merge[k])
        if _before(chains, k) < 0:
            total, begins = np.int64(0), 1
        for side in range(2):
            component = chains.leaving[2 * e + side]
            if component >= 0:
                total += sizes[component] if component < n else size[chains.last[component - n]]
        size[e] = total
    sums[begin // grain, 0], sums[begin // grain, 1] = total, begins


@kernel
def _add_carried(chains, first, carried, size, grain, begin, end):
    amount = size.dtype.type(carried[begin // grain])
    k = first + begin
    while k < first + end and _before(chains, k) >= 0:
        size[chains.merge[k]] += amount
        k += 1
