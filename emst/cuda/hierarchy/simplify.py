"""Merging back splits of little persistence, on the GPU. Kernels: simplify.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Condensed
from emst.cuda.hierarchy.condensed import Members, measures, members_of
from emst.cuda.hierarchy.selection import climbed, lengthened
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.compile import ctype, number_type
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.to_host import OnItsWay


def simplify(condensed: Condensed, persistence: float) -> Condensed:
    """See `emst.backend.operations`."""
    count, linkage = condensed.count, condensed.linkage
    if count == 1:
        return condensed
    fate = cupy.zeros(count, np.int32)
    judging = (condensed.birth, condensed.death, np.float64(persistence), fate)
    launch("hierarchy/simplify", "judge_splits", count, *climbed(condensed), *judging)
    heir = cupy.empty(count, np.int32)
    launch("hierarchy/simplify", "begin_heirs", count, count, condensed.parent, fate, heir)
    heir = lengthened("lengthen_frontier", heir)

    born_at, number = (cupy.empty(count, np.int32) for _ in range(2))
    size, of_sizes = cupy.empty_like(condensed.size), number_type(condensed.size.dtype)
    left, total = condensed.left.copy(), cupy.zeros(2, np.int32)  # clusters that stay, nodes in clusters
    clusters = (fate, count, condensed.born_at, condensed.size, born_at, size, number, left, total)
    Compaction(count).launch("hierarchy/simplify", f"keep_clusters<{of_sizes}>", count, *clusters)
    of_merge, cluster, leaving = (
        cupy.empty_like(a) for a in (condensed.of_merge, condensed.cluster, condensed.leaving_merge)
    )
    renaming = (heir, fate, number)
    renamed = (len(of_merge), condensed.of_merge, *renaming, of_merge, total[1:])
    launch("hierarchy/simplify", "rename_merges", len(of_merge), *renamed)
    points = (linkage.n, condensed.cluster, condensed.leaving_merge, condensed.parent, condensed.born_at)
    launch("hierarchy/simplify", "rename_points", linkage.n, *points, *renaming, cluster, leaving)
    kept, inside = OnItsWay(total).arrived()
    members = _one_node_a_height(members_of(of_merge, inside, kept, left), linkage.height)
    return Condensed(
        linkage=linkage,
        min_cluster_size=condensed.min_cluster_size,
        born_at=born_at[:kept],
        size=size[:kept],
        cluster=cluster,
        leaving_merge=leaving,
        of_merge=of_merge,
        left=left,
        **measures(linkage.height, born_at, kept, of_merge, members),
    )


def _one_node_a_height(members: Members, height: cupy.ndarray) -> Members:
    """The members of clusters that may consist of several chains. Of nodes of one height the first is kept, with the
    points that leave at all of them; it is not kept if there are none."""
    keys, nodes, inside = members.keys, members.nodes, len(members.nodes)
    leavers, total = members.leavers.copy(), cupy.empty(1, np.int32)
    joining = (keys, nodes, inside, height, members.leavers, leavers)
    launch("hierarchy/simplify", f"join_heights<{ctype(height.dtype)}, {number_type(leavers.dtype)}>", inside, *joining)
    kept_keys, kept_nodes = cupy.empty_like(keys), cupy.empty_like(nodes)
    args = (keys, nodes, inside, leavers, kept_keys, kept_nodes, total)
    Compaction(inside).launch("hierarchy/simplify", f"keep_leavers<{number_type(leavers.dtype)}>", inside, *args)
    (kept,) = OnItsWay(total).arrived()
    return Members(kept_keys[:kept], kept_nodes[:kept], leavers)
