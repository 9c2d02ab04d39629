"""The nodes of the dendrogram: merges of equal height that are connected, and where clusters split.

A node is named by its highest merge. The clusters that its merges join, all at once, are points and lower nodes.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.hierarchy.descent import inherit, parents
from emst.cpu.runtime.arrays import full
from emst.cpu.runtime.atomics import compare_and_swap, store
from emst.cpu.runtime.compact import positions
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for


def nodes_of(linkage):
    """The node of every merge: int32[n - 1]."""
    m = len(linkage.size)
    node = np.empty(m, np.int32)
    for_chunks(begin_nodes, m, grain_for(m, 1 << 15), parents(linkage), linkage.height, node)
    inherit(node, parents(linkage))
    return node


@kernel
def begin_nodes(parent, height, node, begin, end):
    """Name the nodes. The highest merge of a node is the one whose parent comes after all merges of its height."""
    low, high = end, len(height)
    while low < high:
        middle = (low + high) // 2
        if height[middle] > height[end - 1]:
            high = middle
        else:
            low = middle + 1
    after = low
    for e in range(end - 1, begin - 1, -1):
        if e + 1 < end and height[e] != height[e + 1]:
            after = e + 1
        node[e] = e if parent[e] >= after or parent[e] == e else -1


def splits_of(linkage, node, min_cluster_size):
    """Where clusters split, and where points leave them. A cluster splits at a node if two or more of the nodes
    directly below have at least `min_cluster_size` points.

    Returns
    -------
    born_at, top : int32[K - 1]
        The node at which each cluster splits off its parent, and its own highest node; in the order of the clusters'
        numbers, without the root.
    left : int32[n - 1]
        Points that leave the cluster at each node that belongs to one.
    leaves_at : int32[n - 1]
        For the highest nodes that belong to no cluster, the node at which their points leave one; -1 for other merges.
    """
    m = len(node)
    grain = grain_for(m, 1 << 15)
    merges = (parents(linkage), node, linkage.size, min_cluster_size)
    left, leaves_at = linkage.size.copy(), full(m, -1, np.int32)
    # The first thread that finds a large node below claims the node above it. A thread that finds another one sees the
    # claim and marks `several`. So the marks do not depend on the order of the threads.
    claimed, several = full(m, -1, np.int32), np.zeros(m, np.uint8)
    below = (linkage.child, node, linkage.size, min_cluster_size)
    for_chunks(look_down, m, grain, *below, leaves_at, claimed, several)
    is_child = np.empty(m, np.bool_)
    for_chunks(find_children, m, grain, *merges, several, left, is_child)
    children = positions(is_child)
    born_at, top = _last_nodes_first(node[parents(linkage)[children]], children, m)
    return born_at, top, left, leaves_at


@kernel
def look_down(child, node, size, min_cluster_size, leaves_at, claimed, several, begin, end):
    """For each node of a cluster: mark whether several large nodes lie directly below, and where small ones leave."""
    for e in range(begin, end):
        at = node[e]
        if size[at] < min_cluster_size and at != len(size) - 1:
            continue
        for i in range(2):
            below = child[e, i]
            if below < 0 or node[below] != below:
                continue
            if size[below] < min_cluster_size:
                leaves_at[below] = at
            elif compare_and_swap(claimed, at, np.int32(-1), below) != -1:
                store(several, at, np.uint8(1))


@kernel
def find_children(parent, node, size, min_cluster_size, several, left, is_child, begin, end):
    """Where one large node lies below, the cluster goes on, and the points of that node do not leave."""
    for e in range(begin, end):
        is_child[e] = False
        if size[e] < min_cluster_size or node[e] != e or parent[e] == e:
            continue
        above = node[parent[e]]
        if several[above]:
            is_child[e] = True
        else:
            left[above] = size[above] - size[e]


def _last_nodes_first(born_at, children, m):
    """Sort children by the nodes that they split off at, the last node first; those of one node stay in order."""
    of_split, of_child = np.empty_like(born_at), np.empty_like(children)
    place_children(born_at, children, np.zeros(m, np.int32), of_split, of_child)
    return of_split, of_child


@kernel
def place_children(born_at, children, place, of_split, of_child):
    """`place` is scratch: zeros; then how many children split off at each node; then the place of the next of them."""
    for i in range(len(children)):
        place[born_at[i]] += 1
    at = len(children)
    for e in range(len(place)):
        at -= place[e]
        place[e] = at
    for i in range(len(children)):
        at = place[born_at[i]]
        place[born_at[i]] = at + 1
        of_split[at], of_child[at] = born_at[i], children[i]
