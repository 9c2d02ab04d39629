"""The condensed tree: which cluster every node and point is in, and how long each cluster lasts."""

from __future__ import annotations

import numpy as np

from emst.backend.records import Condensed
from emst.cpu.hierarchy.descent import find_parents, follow, inherit, inherit_in_chunk, parents
from emst.cpu.hierarchy.nodes import begin_nodes, find_children, look_down, nodes_of, place_children, splits_of
from emst.cpu.hierarchy.sums import LANES, PIECE, sum_of_run, sums_of_runs
from emst.cpu.runtime.compact import count_flags, list_flags
from emst.cpu.runtime.compile import compiled, kernel, part
from emst.cpu.runtime.parallel import for_chunks, grain_for, thread_count

FEW = 1 << 13  # points: Python needs more time to call the kernels than they need to run
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
    if n < FEW:
        return _condensed_at_once(linkage, min_cluster_size)
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


def _condensed_at_once(linkage, min_cluster_size):
    """`condense` in one call, for few points."""
    n = linkage.n
    names = np.empty((12, n), np.int32)
    several, is_child = np.empty(n - 1, np.uint8), np.empty(n - 1, np.bool_)
    left, size = np.empty((2, n), linkage.size.dtype)
    numbers, children = np.empty((4, n)), np.empty((n, 2), np.int32)
    scratch = np.empty(LANES + n // PIECE + 1), np.empty(n + 1, np.int64)
    args = (linkage.child, linkage.size, linkage.height, min_cluster_size, names, several, is_child, left, size)
    count = _condense(*args, numbers, children, *scratch)
    above, of_merge, cluster, leave, parent, born_at = names[:6]
    birth, death, stability = numbers[:3, :count]
    linkage.scratch = above[: n - 1]
    return Condensed(
        linkage=linkage,
        min_cluster_size=min_cluster_size,
        parent=parent[:count],
        children=children[:count],
        born_at=born_at[:count],
        birth=birth,
        death=death,
        size=size[:count],
        stability=stability,
        cluster=cluster,
        leaving_merge=leave,
        of_merge=of_merge[: n - 1],
        left=left[: n - 1],
    )


@compiled
def _condense(
    child, merged, height, min_cluster_size, names, several, is_child, left, size, numbers, children, sums, starts
):
    """Returns the number of clusters. The rows of `names` and `numbers` are arrays by point, merge or cluster."""
    m = len(merged)
    above, owner, cluster, leave, parent, born_at = names[0, :m], names[1, :m], names[2], names[3], names[4], names[5]
    node, claimed, place, nodes, split, top = names[6, :m], names[7, :m], names[8, :m], names[9], names[10], names[11]
    birth, death, stability, terms = numbers[0], numbers[1], numbers[2], numbers[3]
    find_parents(child, above, 0, m)
    begin_nodes(above, height, node, 0, m)
    inherit_in_chunk(node, above, 0, m)
    follow(node, 0, m)
    for e in range(m):
        left[e], owner[e], claimed[e], several[e], place[e] = merged[e], -1, -1, 0, 0
    look_down(child, node, merged, min_cluster_size, owner, claimed, several, 0, m)
    find_children(above, node, merged, min_cluster_size, several, left, is_child, 0, m)
    starts[0] = 0
    list_flags(is_child, starts, nodes, m, 0, m)
    count_flags(is_child, starts, m, 0, m)
    count = starts[0] + 1
    found, split, top = nodes[: count - 1], split[: count - 1], top[: count - 1]
    for i in range(count - 1):
        split[i] = node[above[found[i]]]
    place_children(split, found, place, born_at[1:count], top)
    owner[m - 1], born_at[0], size[0] = 0, -1, merged[m - 1]
    for i in range(count - 1):
        owner[top[i]], size[i + 1] = i + 1, merged[top[i]]
    inherit_in_chunk(owner, above, 0, m)
    follow(owner, 0, m)
    _leave(child, merged, node, min_cluster_size, owner, cluster, leave, 0, m)
    _keep_nodes(merged, node, min_cluster_size, owner, 0, m)
    starts[: count + 1] = 0
    _count_nodes(owner, starts[1:], 0, m)
    for c in range(count):
        place[c] = starts[c]
        starts[c + 1] += starts[c]
    _list_nodes(owner, place, nodes, 0, m)
    _measure(height, owner, born_at, starts, nodes, parent[:count], children, birth, death)
    _terms(height, owner, birth, nodes, left, terms, 0, starts[count])
    for c in range(count):
        stability[c] = sum_of_run(sums[:LANES], terms, starts[c], starts[c + 1], sums[LANES:])
    return count


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
    parent, children = np.empty(count, np.int32), np.empty((count, 2), np.int32)
    birth, death = np.empty((2, count))
    starts, nodes, leavers = chains
    born_at = np.concatenate([np.full(1, -1, np.int32), born_at])
    _measure(linkage.height, of_merge, born_at, starts, nodes, parent, children, birth, death)
    terms = np.empty(len(nodes))
    for_chunks(
        _terms, len(nodes), grain_for(len(nodes), 1 << 14), linkage.height, of_merge, birth, nodes, leavers, terms
    )
    return Condensed(
        linkage=linkage,
        min_cluster_size=min_cluster_size,
        parent=parent,
        children=children,
        born_at=born_at,
        birth=birth,
        death=death,
        size=size,
        stability=sums_of_runs(terms, starts),
        cluster=cluster,
        leaving_merge=leave,
        of_merge=of_merge,
        left=left,
    )


@compiled
def _measure(height, of_merge, born_at, starts, nodes, parent, children, birth, death):
    """What follows from the nodes that clusters are born and end at. Parents come before their children, and siblings
    follow one another."""
    for c in range(len(parent)):
        parent[c], birth[c], death[c] = -1, 0.0, density(height[nodes[starts[c]]])
        children[c, 0] = children[c, 1] = 0
        if c > 0:
            parent[c], birth[c] = of_merge[born_at[c]], density(height[born_at[c]])
            if children[parent[c], 0] == 0:
                children[parent[c], 0] = c
            children[parent[c], 1] = c + 1


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
    _count_nodes(of_merge, counts[begin // grain], begin, end)


@part
def _count_nodes(of_merge, counts, begin, end):
    for e in range(begin, end):
        if of_merge[e] >= 0:
            counts[of_merge[e]] += 1


@kernel
def _place_nodes(of_merge, places, nodes, grain, begin, end):
    _list_nodes(of_merge, places[begin // grain], nodes, begin, end)


@part
def _list_nodes(of_merge, place, nodes, begin, end):
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
