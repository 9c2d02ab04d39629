"""The nodes of the dendrogram, and where clusters split, on the GPU. Kernels: nodes.cu.

A node is the merges of one height that hang together. It is named by its highest merge.
"""

from __future__ import annotations

from dataclasses import dataclass

import cupy
import numpy as np

from emst.backend.records import Linkage
from emst.cuda.hierarchy.linkage import Chains
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.launch import Compaction, launch
from emst.cuda.runtime.memory import OnItsWay
from emst.cuda.runtime.sort import sort_pairs


@dataclass(eq=False)
class Nodes:
    """The nodes, and which of them begin a cluster."""

    node: cupy.ndarray  # int32[m]: of every merge
    mark: cupy.ndarray  # int32[m]: see marks.cuh
    left: cupy.ndarray  # int32[m]: points that leave a cluster at a node
    inside: int  # nodes in clusters
    born_at: cupy.ndarray  # int32[K]: the node at which a cluster split off, -1 for the root
    points: cupy.ndarray  # int32[K]: of the cluster, at its birth


def find_nodes(linkage: Linkage, least: np.int32) -> Nodes:
    """The nodes of a dendrogram of two or more points, for clusters of at least `least` points."""
    m = len(linkage.size)
    chains: Chains = linkage.scratch
    node, mark, above, left = (cupy.empty(m, np.int32) for _ in range(4))
    chains.descend("hierarchy/nodes", f"find_nodes<{ctype(linkage.height.dtype)}>", linkage.height, m, node)
    large, total = cupy.zeros(m, np.int32), cupy.zeros(2, np.int32)
    launch("hierarchy/nodes", "mark_merges", m, linkage.child, linkage.size, node, m, least, mark, above, large, left)
    # Half of all clusters, and one more, have no split below: these hold at least `least` points each.
    most = min(2 * (linkage.points // int(least)), m)
    keys, child = cupy.empty(most, np.uint32), cupy.empty(most, np.int32)
    listing = (linkage.size, node, m, least, mark, above, large, left, keys, child, total)
    Compaction(m).launch("hierarchy/nodes", "list_children", m, *listing)
    count, inside = OnItsWay(total).arrived()
    keys, child = sort_pairs(keys[:count], child[:count], bits=m.bit_length())
    born_at, points = cupy.empty(count + 1, np.int32), cupy.empty(count + 1, np.int32)
    args = (keys, child, count, linkage.size, m, mark, born_at, points)
    launch("hierarchy/nodes", "number_children", max(count, 1), *args)
    return Nodes(node, mark, left, inside, born_at, points)
