"""The condensed tree: which cluster every node and point is in, and how long each cluster lasts."""

from __future__ import annotations

import numpy as np

from emst.backend.records import Condensed
from emst.cpu.hierarchy.descent import inherit, parents
from emst.cpu.hierarchy.nodes import nodes_of, splits_of
from emst.cpu.hierarchy.sums import sums_of_runs
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.parallel import for_chunks, grain_for, thread_count

PART = 1 << 14  # merges that a thread sorts, at least


@part
def density(height):
    """Lambda, the inverse of a height."""
    return 1.0 / np.float64(height)


def condense(linkage, min_cluster_size):
    """See `emst.backend.operations`."""
    n = linkage.n
    m = n - 1
    if m == 0:
        return _single_point(linkage, min_cluster_size)
    grain = grain_for(m, 1 << 15)
    node = nodes_of(linkage)
    # The owner of a merge in a cluster is the cluster; that of another merge is the node at which its points left one.
    born_at, top, left, owner = splits_of(linkage, node, min_cluster_size)
    owner[-1] = 0
    owner[top] = np.arange(1, len(top) + 1)
    inherit(owner, parents(linkage))
    merges = (linkage.size, node, min_cluster_size)
    cluster, leave = np.empty(n, np.int32), np.empty(n, np.int32)
    for_chunks(_leave, m, grain, linkage.child, *merges, owner, cluster, leave)
    for_chunks(_keep_nodes, m, grain, *merges, owner)
    size = np.empty(len(top) + 1, linkage.size.dtype)
    size[0], size[1:] = linkage.size[-1], linkage.size[top]
    chains = (*chains_of(owner, len(size)), left)
    return measured(linkage, min_cluster_size, born_at, size, owner, left, chains, cluster, leave)


def _single_point(linkage, min_cluster_size):
    """One point never leaves: its lambda and its cluster's death are infinite."""
    return Condensed(
        linkage=linkage,
        min_cluster_size=min_cluster_size,
        parent=np.full(1, -1, np.int32),
        children=np.zeros((1, 2), np.int32),
        born_at=np.full(1, -1, np.int32),
        birth=np.zeros(1),
        death=np.full(1, np.inf),
        size=np.ones(1, np.int32),
        stability=np.zeros(1),
        cluster=np.zeros(1, np.int32),
        leaving_merge=np.full(1, -1, np.int32),
        of_merge=np.empty(0, np.int32),
        left=np.empty(0, np.int32),
    )


@part
def _in_cluster(size, node, min_cluster_size, e):
    """Whether a merge belongs to a cluster. The root does, however small it is."""
    return size[node[e]] >= min_cluster_size or node[e] == len(size) - 1


@kernel
def _leave(child, size, node, min_cluster_size, owner, cluster, leave, begin, end):
    n = len(cluster)
    for e in range(begin, end):
        if child[e, 0] < 0:  # names ascend: points come first
            at = node[e] if _in_cluster(size, node, min_cluster_size, e) else owner[e]
            for i in range(2):
                if child[e, i] < 0:
                    leave[child[e, i] + n] = at
                    cluster[child[e, i] + n] = owner[at]


@kernel
def _keep_nodes(size, node, min_cluster_size, owner, begin, end):
    for e in range(begin, end):
        if node[e] != e or not _in_cluster(size, node, min_cluster_size, e):
            owner[e] = -1


def measured(linkage, min_cluster_size, born_at, size, of_merge, left, chains, cluster, leave):
    """The condensed tree of clusters that are born at the nodes `born_at`, the root left out, with so many points.

    `chains` holds three arrays: where the nodes of each cluster begin; the nodes of all clusters, those of a cluster in
    ascending order and of different heights; and, by node, how many points leave there.
    """
    count = len(size)
    parent, birth = np.full(count, -1, np.int32), np.zeros(count)
    parent[1:] = of_merge[born_at]
    starts, nodes, leavers = chains
    with np.errstate(divide="ignore", over="ignore"):
        birth[1:] = 1 / linkage.height[born_at].astype(np.float64)
        death = 1 / linkage.height[nodes[starts[:-1]]].astype(np.float64)
    terms = np.empty(len(nodes))
    for_chunks(
        _terms, len(nodes), grain_for(len(nodes), 1 << 14), linkage.height, of_merge, birth, nodes, leavers, terms
    )
    return Condensed(
        linkage=linkage,
        min_cluster_size=min_cluster_size,
        parent=parent,
        children=_children(parent),
        born_at=np.concatenate([np.full(1, -1, np.int32), born_at]),
        birth=birth,
        death=death,
        size=size,
        stability=sums_of_runs(terms, starts),
        cluster=cluster,
        leaving_merge=leave,
        of_merge=of_merge,
        left=left,
    )


def _children(parent):
    """The first child of every cluster and the one after its last, from the parents; siblings follow one another."""
    count = len(parent)
    children = np.zeros((count, 2), np.int32)
    first = np.flatnonzero(parent[1:] != parent[:-1]) + 1
    children[parent[first], 0] = first
    children[parent[first], 1] = np.append(first[1:], count)
    return children


def chains_of(of_merge, count):
    """Where the nodes of each cluster begin, and the nodes by cluster and in ascending order."""
    m = len(of_merge)
    parts = max(1, min(thread_count(), m // count, m // PART))  # counters take no more memory than the merges
    part = -(-m // parts)
    counts = np.zeros((-(-m // part), count), np.int32)
    for_chunks(_count, m, part, of_merge, counts, part)
    starts = np.zeros(count + 1, np.int64)
    if len(counts) == 1:  # few points: each call of NumPy takes as long as a pass over them
        np.cumsum(counts[0], out=starts[1:])
        places = starts[None, :-1].copy()
    else:
        np.cumsum(counts.sum(0), out=starts[1:])
        places = starts[:-1] + (np.cumsum(counts, 0) - counts)
    nodes = np.empty(starts[-1], np.int32)
    for_chunks(_place_nodes, m, part, of_merge, places, nodes, part)
    return starts, nodes


@kernel
def _count(of_merge, counts, grain, begin, end):
    mine = counts[begin // grain]
    for e in range(begin, end):
        if of_merge[e] >= 0:
            mine[of_merge[e]] += 1


@kernel
def _place_nodes(of_merge, places, nodes, grain, begin, end):
    place = places[begin // grain]
    for e in range(begin, end):
        c = of_merge[e]
        if c >= 0:
            nodes[place[c]] = e
            place[c] += 1


@kernel
def _terms(height, of_merge, birth, nodes, leavers, terms, begin, end):
    """What the points that leave a cluster at each node add to its stability."""
    for i in range(begin, end):
        leave, born = density(height[nodes[i]]), birth[of_merge[nodes[i]]]
        terms[i] = 0.0 if leave == born else np.float64(leavers[nodes[i]]) * (leave - born)  # not infinity - infinity
