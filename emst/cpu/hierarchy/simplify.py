"""The condensed tree without its short-lived splits."""

from __future__ import annotations

import numpy as np

from emst.cpu.hierarchy.condensed import density, measured
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for

# Fate of a cluster: it stays; it becomes part of its parent; or it is dropped, and its points leave the parent at the
# split.
STAYS, MERGED, DROPPED = 0, -1, -2


def simplify(condensed, persistence):
    """See `emst.backend.operations`."""
    count = condensed.count
    if count == 1:
        return condensed
    linkage, m = condensed.linkage, len(condensed.of_merge)
    grain = grain_for(m, 1 << 15)
    splits = np.empty(count // 2, np.int32)
    for_chunks(_split_merges, m, grain, linkage.child, condensed.of_merge, splits)
    greatest, leaf = condensed.death.copy(), np.ones(count, np.bool_)
    fate = np.empty(count, np.int32)  # of every cluster
    _undo_splits(splits, condensed.parent, linkage.height, float(persistence), greatest, leaf, fate)
    dropped = np.full(count, -1, np.int32)
    kept = np.empty(count // 2, np.int32)
    kept = kept[: _renumber(splits, condensed.parent, fate, dropped, kept)]
    of_merge = np.empty(m, np.int32)
    for_chunks(_rename, m, grain, condensed.of_merge, fate, of_merge)
    cluster, leave = np.empty(linkage.n, np.int32), np.empty(linkage.n, np.int32)
    points = (condensed.cluster, condensed.leaving_merge, dropped, of_merge, cluster, leave)
    for_chunks(_leave_again, linkage.n, grain, *points)
    return measured(linkage, condensed.min_cluster_size, kept, of_merge, cluster, leave)


@kernel
def _split_merges(child, of_merge, splits, begin, end):
    for e in range(begin, end):
        a = child[e, 0]
        if of_merge[e] >= 0 and a >= 0 and of_merge[a] > of_merge[e]:
            splits[(of_merge[a] - 1) // 2] = e


@kernel
def _undo_splits(splits, parent, height, persistence, greatest, leaf, fate):
    """Decide the fate of all clusters, from the lowest split up."""
    fate[0] = STAYS
    for s in range(len(splits) - 1, -1, -1):
        a, b = 2 * s + 1, 2 * s + 2
        p = parent[a]
        birth = density(height[splits[s]])
        fate[a] = fate[b] = STAYS
        least = min(greatest[a], greatest[b])
        if (0.0 if least == birth else least - birth) >= persistence:
            leaf[p] = False
        else:
            sibling, other = (a, b) if greatest[a] > greatest[b] else (b, a)
            fate[sibling] = MERGED
            fate[other] = MERGED if leaf[sibling] else DROPPED
            leaf[p] = leaf[sibling]
        greatest[p] = max(greatest[a], greatest[b])


@kernel
def _renumber(splits, parent, fate, dropped, kept):
    """Replace the fate of every old cluster by its new number; -1 for none: its points leave at the merge `dropped`."""
    count = 0
    for s in range(len(splits)):
        a, b = 2 * s + 1, 2 * s + 2
        p = parent[a]
        if fate[a] == STAYS:
            kept[count] = splits[s]
            fate[a], fate[b] = 2 * count + 1, 2 * count + 2
            count += 1
            continue
        for c in (a, b):
            if fate[c] == MERGED:  # parents come first, so the number of p is known
                fate[c], dropped[c] = fate[p], dropped[p]
            else:
                fate[c], dropped[c] = -1, splits[s]
    return count


@kernel
def _rename(old, name, new, begin, end):
    for e in range(begin, end):
        new[e] = name[old[e]] if old[e] >= 0 else -1


@kernel
def _leave_again(old_cluster, old_leave, dropped, of_merge, cluster, leave, begin, end):
    for p in range(begin, end):
        below = dropped[old_cluster[p]]
        leave[p] = old_leave[p] if below < 0 else below
        cluster[p] = of_merge[leave[p]]
