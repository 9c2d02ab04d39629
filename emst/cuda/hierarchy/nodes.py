"""The nodes of the dendrogram, and where clusters split, on the GPU. Kernels: nodes.cu.

A node is the merges of one height that are connected. It is named by its highest merge, by link (chains.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import cupy
import numpy as np

from emst.backend.records import Linkage
from emst.cuda.hierarchy.chains import Chains
from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.compile import ctype, number_type
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.memory import all_ones, cleared, empties, scratch
from emst.cuda.runtime.sort import few, sort_pairs
from emst.cuda.runtime.to_host import OnItsWay


@dataclass(eq=False)
class Nodes:
    """The nodes, and which of them begin a cluster. There are K clusters, and the arrays have places for more."""

    node: Address  # int32[m]: of every merge
    mark: Address  # int32[m]: see marks.cuh
    left: cupy.ndarray  # of the dtype of sizes, [m]: points that leave a cluster at a node
    born_at: cupy.ndarray  # int32[K ...]: the node at which a cluster split off, -1 for the root
    points: cupy.ndarray  # of that dtype, [K ...]: of the cluster, at its birth
    counts: OnItsWay  # K - 1, and the number of nodes in clusters


def most_splits(linkage: Linkage, least: np.integer) -> int:
    """How many clusters but the root there are at most. Half of all, and one more, have no split below: these hold at
    least `least` points each."""
    return min(2 * (linkage.points // int(least)), linkage.n - 1)


def find_nodes(chains: Chains, height: cupy.ndarray, least: np.integer, most: int) -> Nodes:
    """The nodes of a dendrogram of two or more points, whose heights are by link, too. Clusters have at least `least`
    points, a number of the dtype of sizes; `most` is what `most_splits` returns. The GPU does not wait until the host
    knows how many clusters there are."""
    ranks, size, m, bits = chains.ranks, chains.size, len(chains.ranks), len(chains.ranks).bit_length()
    of_merges, of_sizes = (m, np.int32), f"<{number_type(size.dtype)}>"
    node, mark, above = scratch(of_merges, of_merges, of_merges)
    left, (large, total) = cupy.empty(m, size.dtype), cleared(of_merges, (2, np.int32))
    chains.descend("hierarchy/nodes", f"find_nodes<{ctype(height.dtype)}>", height, m, node)
    marking = (chains.children, size, node, m, least, mark, above, large, left)
    launch("hierarchy/nodes", f"mark_merges{of_sizes}", m, *marking)
    keys, child = all_ones((most, np.uint64), (most, np.int32))  # those of clusters that there are not come last
    listing = (ranks, size, m, np.int32(bits), mark, above, large, left, keys, child, total)
    Compaction(m).launch("hierarchy/nodes", f"list_children{of_sizes}", m, *listing)
    counts = OnItsWay(total)
    born_at, points = empties((most + 1, np.int32), (most + 1, size.dtype))
    numbering = (total, above, size, m, mark, born_at, points)
    if few(most):
        launch("hierarchy/nodes", f"rank_children{of_sizes}", 32 * max(most, 1), keys, child, *numbering)
    else:
        _, child = sort_pairs(keys, child, bits=2 * bits)
        launch("hierarchy/nodes", f"number_children{of_sizes}", most, child, *numbering)
    return Nodes(node, mark, left, born_at, points, counts)
