"""The nodes of the dendrogram, and where clusters split, on the GPU. Kernels: nodes.cu.

A node is the merges of one height that are connected. It is named by its highest merge.
"""

from __future__ import annotations

from dataclasses import dataclass

import cupy
import numpy as np

from emst.backend.records import Linkage
from emst.cuda.hierarchy.linkage import Chains
from emst.cuda.runtime.compile import ctype, number_type
from emst.cuda.runtime.launch import Compaction, launch
from emst.cuda.runtime.memory import OnItsWay, all_ones
from emst.cuda.runtime.sort import sort_pairs


@dataclass(eq=False)
class Nodes:
    """The nodes, and which of them begin a cluster. There are K clusters, and the arrays have places for more."""

    node: cupy.ndarray  # int32[m]: of every merge
    mark: cupy.ndarray  # int32[m]: see marks.cuh
    left: cupy.ndarray  # of the dtype of sizes, [m]: points that leave a cluster at a node
    born_at: cupy.ndarray  # int32[K ...]: the node at which a cluster split off, -1 for the root
    points: cupy.ndarray  # of that dtype, [K ...]: of the cluster, at its birth
    counts: OnItsWay  # K - 1, and the number of nodes in clusters


def find_nodes(linkage: Linkage, least: np.integer) -> Nodes:
    """The nodes of a dendrogram of two or more points, for clusters of at least `least` points, a number of
    the dtype of sizes."""
    m = len(linkage.size)
    chains: Chains = linkage.scratch
    node, mark, above = (cupy.empty(m, np.int32) for _ in range(3))
    kind = linkage.size.dtype
    left, of_sizes = cupy.empty(m, kind), f"<{number_type(kind)}>"
    chains.descend("hierarchy/nodes", f"find_nodes<{ctype(linkage.height.dtype)}>", linkage.height, m, node)
    counters = cupy.zeros(m + 2, np.int32)
    large, total = counters[:m], counters[m:]
    marking = (linkage.child, linkage.size, node, m, least, mark, above, large, left)
    launch("hierarchy/nodes", f"mark_merges{of_sizes}", m, *marking)
    # Half of all clusters, and one more, have no split below: these hold at least `least` points each. The keys of
    # clusters that there are not come last, and the GPU does not wait until the host knows how many there are.
    most = min(2 * (linkage.points // int(least)), m)
    keys, child = all_ones(most, np.uint32), all_ones(most, np.int32)
    listing = (linkage.size, m, mark, above, large, left, keys, child, total)
    Compaction(m).launch("hierarchy/nodes", f"list_children{of_sizes}", m, *listing)
    counts = OnItsWay(total)
    keys, child = sort_pairs(keys, child, bits=m.bit_length())
    born_at, points = cupy.empty(most + 1, np.int32), cupy.empty(most + 1, kind)
    args = (keys, child, total, linkage.size, m, mark, born_at, points)
    launch("hierarchy/nodes", f"number_children{of_sizes}", max(most, 1), *args)
    return Nodes(node, mark, left, born_at, points, counts)
