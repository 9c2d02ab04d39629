"""Merging back splits of little persistence, on the GPU. Kernels: simplify.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Condensed
from emst.cuda.hierarchy.condensed import describe
from emst.cuda.hierarchy.selection import far_ancestors, lengthened, words_of
from emst.cuda.runtime.launch import Compaction, launch


def simplify(condensed: Condensed, persistence: float) -> Condensed:
    """See `emst.backend.operations`."""
    count, linkage = condensed.count, condensed.linkage
    splits = count // 2
    if splits == 0:
        return condensed
    fate = cupy.zeros(count, np.int32)
    tree = (condensed.parent, far_ancestors(condensed), condensed.split, condensed.birth, condensed.death)
    launch(
        "hierarchy/simplify", "judge_splits", count, count, *tree, np.float64(persistence), words_of(condensed), fate
    )
    heir = cupy.empty(count, np.int32)
    launch("hierarchy/simplify", "begin_heirs", count, count, condensed.parent, fate, heir)
    heir = lengthened("lengthen_frontier", heir)

    merge_of, number = cupy.empty(splits, np.int32), cupy.empty(count, np.int32)
    merges = (linkage.child, len(linkage.size), condensed.of_merge)
    launch("hierarchy/simplify", "find_split_merges", len(linkage.size), *merges, merge_of)
    kept, total = cupy.empty(splits, np.int32), cupy.zeros(2, np.int32)  # splits kept, merges in clusters
    Compaction(splits).launch("hierarchy/simplify", "keep_splits", splits, fate, splits, merge_of, kept, number, total)
    of_merge, cluster, leaving = (
        cupy.empty_like(a) for a in (condensed.of_merge, condensed.cluster, condensed.leaving_merge)
    )
    renaming = (heir, fate, number)
    renamed = (len(of_merge), condensed.of_merge, *renaming, of_merge, total[1:])
    launch("hierarchy/simplify", "rename_merges", len(of_merge), *renamed)
    points = (linkage.n, condensed.cluster, condensed.leaving_merge, condensed.parent)
    launch("hierarchy/simplify", "rename_points", linkage.n, *points, *renaming, merge_of, cluster, leaving)
    left, inside = total.get().tolist()
    return describe(linkage, condensed.min_cluster_size, kept[:left], inside, of_merge, cluster, leaving)
