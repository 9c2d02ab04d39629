"""The nodes of the dendrogram: merges of equal height that hang together, and where clusters split.

A node is named by its highest merge. The clusters that its merges join, all at once, are points and lower nodes.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.hierarchy.descent import inherit, parents
from emst.cpu.runtime.atomics import store
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.parallel import for_chunks, grain_for


def nodes_of(linkage):
    """The node of every merge: int32[n - 1]."""
    m = len(linkage.size)
    node = np.empty(m, np.int32)
    for_chunks(_begin_nodes, m, grain_for(m, 1 << 15), parents(linkage), linkage.height, node)
    inherit(node, parents(linkage))
    return node


@kernel
def _begin_nodes(parent, height, node, begin, end):
    for e in range(begin, end):
        node[e] = e if e == parent[e] or height[e] != height[parent[e]] else -1


def splits_of(linkage, node, min_cluster_size):
    """The nodes at which clusters are born, in the order of the clusters' numbers, and the clusters' own nodes: int32[K
    - 1] each. The root is not among them.

    A cluster splits at a node if two or more of the nodes directly below have at least `min_cluster_size` points.
    """
    m = len(node)
    grain = grain_for(m, 1 << 15)
    large = (parents(linkage), node, linkage.size, min_cluster_size)
    # One of the large nodes below each node: threads overwrite one another's. Whichever stays, all others see that they
    # are not alone; so what is marked does not depend on it.
    one, several = np.empty(m, np.int32), np.zeros(m, np.uint8)
    for_chunks(_find_one, m, grain, *large, one)
    for_chunks(_find_others, m, grain, *large, one, several)
    is_child = np.empty(m, np.bool_)
    for_chunks(_find_children, m, grain, *large, several, is_child)
    children = np.flatnonzero(is_child)
    born_at = node[parents(linkage)[children]]
    return _last_nodes_first(born_at, children.astype(np.int32), several)


@part
def _is_large(parent, node, size, min_cluster_size, e):
    """Whether a merge is a node that is large enough for a cluster; the root is left out."""
    return node[e] == e and size[e] >= min_cluster_size and parent[e] != e


@kernel
def _find_one(parent, node, size, min_cluster_size, one, begin, end):
    for e in range(begin, end):
        if _is_large(parent, node, size, min_cluster_size, e):
            store(one, node[parent[e]], np.int32(e))


@kernel
def _find_others(parent, node, size, min_cluster_size, one, several, begin, end):
    for e in range(begin, end):
        if _is_large(parent, node, size, min_cluster_size, e) and one[node[parent[e]]] != e:
            store(several, node[parent[e]], np.uint8(1))


@kernel
def _find_children(parent, node, size, min_cluster_size, several, is_child, begin, end):
    for e in range(begin, end):
        is_child[e] = _is_large(parent, node, size, min_cluster_size, e) and several[node[parent[e]]] != 0


def _last_nodes_first(born_at, children, several):
    """Children sorted by the nodes that they split off at, the last node first; those of one node stay in order."""
    splits = np.flatnonzero(several)[::-1]
    place = np.empty(len(several), np.int32)  # by node: of its next child
    place[splits] = np.arange(len(splits))
    counts = np.bincount(place[born_at], minlength=len(splits))
    place[splits] = np.cumsum(counts) - counts
    of_split, of_child = np.empty_like(born_at), np.empty_like(children)
    _place_children(born_at, children, place, of_split, of_child)
    return of_split, of_child


@kernel
def _place_children(born_at, children, place, of_split, of_child):
    for i in range(len(children)):
        at = place[born_at[i]]
        place[born_at[i]] = at + 1
        of_split[at], of_child[at] = born_at[i], children[i]
