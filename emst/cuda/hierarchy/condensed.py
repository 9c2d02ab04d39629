"""The condensed tree on the GPU. Kernels: condensed.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Condensed, Linkage
from emst.cuda.hierarchy.linkage import Chains
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import PIECE
from emst.cuda.runtime.launch import Compaction, launch, launch_over_points
from emst.cuda.runtime.memory import OnItsWay, all_ones
from emst.cuda.runtime.sort import sort_pairs


def condense(linkage: Linkage, min_cluster_size: int) -> Condensed:
    """See `emst.backend.operations`."""
    m, least = len(linkage.size), np.int32(min(min_cluster_size, 2**31 - 1))
    if m == 0:
        return _single_point(linkage, min_cluster_size)
    merges = (linkage.child, linkage.size, m)
    chains: Chains = linkage.scratch
    # k splits make 2 k clusters. Each cluster begins with a merge of its own, and k + 1 of them have no split below:
    # these hold at least `least` points each.
    most = min(linkage.points // int(least), m // 2)
    merge_of, mark = cupy.empty(most + 1, np.int32), cupy.empty(m, np.int32)
    total = cupy.zeros(2, np.int32)
    Compaction(m).launch("hierarchy/condensed", "list_splits", m, *merges, least, merge_of, mark, total)
    on_their_way = OnItsWay(total)
    place, cluster, leaving = cupy.empty(m, np.int32), cupy.empty(m + 1, np.int32), cupy.empty(m + 1, np.int32)
    chains.descend("hierarchy/condensed", "place_merges", linkage.child, m, mark, place)
    launch_over_points("hierarchy/condensed", "leave", m + 1, chains.parent_merge, m + 1, place, cluster, leaving)
    splits, inside = on_their_way.arrived()
    return describe(linkage, min_cluster_size, merge_of[:splits], inside, place, cluster, leaving)


def describe(
    linkage: Linkage,
    min_cluster_size: int,
    splits: cupy.ndarray,
    inside: int,
    of_merge: cupy.ndarray,
    cluster: cupy.ndarray,
    leaving: cupy.ndarray,
) -> Condensed:
    """All about the clusters, from their splits' merges and the cluster of every merge, negative for those that lie in
    none; `inside` merges lie in one."""
    m, count, T = len(linkage.size), 2 * len(splits) + 1, ctype(linkage.height.dtype)
    parent, size, split = cupy.empty(count, np.int32), cupy.empty(count, np.int32), all_ones(count, np.int32)
    birth, death, stability = (cupy.empty(count, np.float64) for _ in range(3))
    merges = (linkage.child, linkage.size, linkage.height)
    launch(
        "hierarchy/condensed", f"describe<{T}>", count, count, splits, of_merge, *merges, m, parent, split, birth, size
    )

    keys, members, total = cupy.empty(inside, np.uint32), cupy.empty(inside, np.int32), cupy.empty(2, np.int32)
    Compaction(m).launch("hierarchy/condensed", "list_members", m, of_merge, m, keys, members, total)
    keys, members = sort_pairs(keys, members, bits=count.bit_length())
    start = cupy.empty(count + 1, np.int32)
    launch("hierarchy/condensed", "find_starts", inside, keys, inside, count, start)
    terms = cupy.empty(inside, np.float64)
    args = (keys, members, inside, *merges, of_merge, birth, terms)
    launch("hierarchy/condensed", f"stability_terms<{T}>", inside, *args)

    sums = (members, terms, linkage.height, death, stability)
    launch("hierarchy/condensed", f"sum_short<{T}>", 32 * count, start, count, *sums)
    most = inside // PIECE  # of clusters with more members than that
    if most:
        longs = cupy.empty(most, np.int32)
        Compaction(count).launch("hierarchy/condensed", "list_long", count, start, count, longs, total[1:])
        launch("hierarchy/condensed", f"sum_long<{T}>", most * PIECE, longs, total[1:], start, *sums, block=PIECE)
    return Condensed(
        linkage, min_cluster_size, parent, split, birth, death, size, stability, cluster, leaving, of_merge
    )


def _single_point(linkage: Linkage, min_cluster_size: int) -> Condensed:
    """One point never leaves: its lambda and its cluster's death are infinite."""
    none, first = cupy.full(1, -1, np.int32), cupy.zeros(1, np.int32)
    zero, never = cupy.zeros(1, np.float64), cupy.full(1, np.inf)
    clusters = (none, none, zero, never, cupy.ones(1, np.int32), zero)
    return Condensed(linkage, min_cluster_size, *clusters, first, none, cupy.empty(0, np.int32))
