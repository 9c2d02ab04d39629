"""The rule that contracts, once for all of the CPU: `merge` and the rounds of `emst.cpu.graph` include it.

Every component hooks onto the component at the other end of its lightest edge. Under a strict total order on edges
the only cycles are mutual pairs, of which the smaller stays the root: no compare-and-swap is needed.

Roots are found by path halving. Chains of components can be as long as there are components; halving keeps their total
cost near linear.

Races. Several threads may halve the same path at once. They load and store parents atomically, and whatever they write
is an ancestor, so the path stays a path to the same root.
"""

from __future__ import annotations

import numpy as np

from emst.backend.records import NO_FOREST
from emst.cpu.runtime.atomics import load, store
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for
from emst.cpu.runtime.prefetch import prefetch

AHEAD = 32  # nodes whose parents are fetched before they are read
CYCLE = -1  # in the place of a number of roots: edges that do not keep to one total order have closed a cycle
ALL = np.empty(0, np.int32)  # in the place of a list of nodes: all of them


@part
def stays_root(c, other, mutual):
    """Whether a component whose lightest edge leads to `other` stays a root; `mutual` if that edge is `other`'s
    lightest as well."""
    return mutual & (c < other)


@part
def root_above(parent, p):
    """The root of the tree that holds node `p`. After `flatten` most paths have one step; another thread that halved
    the path may have hung a node back on an older ancestor."""
    hops = 0
    while parent[p] != p and hops < len(parent):  # no path is longer, and a cycle must not hold a thread
        p = parent[p]
        hops += 1
    return p


def flatten(parent, nodes=ALL):
    """Hang the listed nodes on their roots and return the roots among them, int32[count], in order.

    `parent`, int32[n], is a forest whose roots point to themselves. Only the listed nodes have moved since it was flat.
    Raises RuntimeError where it is none, because it holds a cycle.
    """
    count = len(nodes) or len(parent)
    grain = grain_for(count, 1 << 14)
    found = np.empty(-(-count // grain), np.int64)
    for_chunks(flatten_chunk, count, grain, parent, nodes, found, grain)
    _refuse_cycles(found)
    roots = np.empty(found.sum(), np.int32)
    for_chunks(list_roots, count, grain, parent, nodes, np.cumsum(found), found, roots, grain)
    _refuse_cycles(found)
    return roots


def contract(parent):
    """Flatten the trees of `parent`, int32[n], whose roots point to themselves.

    Returns the number of every node's tree, in the order of their roots, int32[n], and the roots, int32[count].
    """
    n = len(parent)
    roots, numbers = flatten(parent), np.empty(n, np.int32)
    for_chunks(_number_roots, len(roots), grain_for(len(roots), 1 << 15), roots, numbers)
    for_chunks(_number_others, n, grain_for(n, 1 << 15), parent, numbers)
    return numbers, roots


@kernel
def _number_roots(roots, numbers, begin, end):
    for i in range(begin, end):
        numbers[roots[i]] = i


@kernel
def _number_others(parent, numbers, begin, end):
    for v in range(begin, end):
        ahead = np.int64(parent[lesser(v + AHEAD, end - 1)])
        prefetch(parent, ahead)
        prefetch(numbers, ahead)
        numbers[v] = numbers[root_above(parent, parent[v])]


def _refuse_cycles(found):
    """Raise RuntimeError where a chunk has met a cycle."""
    if (found == CYCLE).any():
        raise RuntimeError(NO_FOREST)


@part
def _node(nodes, i):
    return nodes[i] if len(nodes) else np.int32(i)


@kernel
def flatten_chunk(parent, nodes, found, grain, begin, end):
    count = 0
    for i in range(begin, end):
        prefetch(parent, np.int64(load(parent, _node(nodes, lesser(i + AHEAD, end - 1)))))
        v = _node(nodes, i)
        p = load(parent, v)
        count += p == v
        p = load(parent, load(parent, p))  # most paths end here
        above = load(parent, p)
        hops = 0
        while above != p and hops < len(parent):
            further = load(parent, above)
            store(parent, p, further)
            p = further
            above = load(parent, p)
            hops += 1
        if hops == len(parent):  # no path is longer: there is no root above
            count = CYCLE
            break
        store(parent, v, p)
    found[begin // grain] = count


@kernel
def list_roots(parent, nodes, stops, found, roots, grain, begin, end):
    """Branch-free: a node that is no root is overwritten by the next one. Halving may have left a node of a cycle as
    its own parent after `flatten_chunk` counted the roots: then there is one root too many."""
    stop = stops[begin // grain]
    at = stop - found[begin // grain]
    i = begin
    while at < stop and i < end:
        v = _node(nodes, i)
        roots[at] = v
        at += parent[v] == v
        i += 1
    for j in range(i, end):
        v = _node(nodes, j)
        at += parent[v] == v
    if at != stop:
        found[begin // grain] = CYCLE
