"""The condensed tree without its short-lived splits."""

from __future__ import annotations

import numpy as np

from emst.cpu.hierarchy.condensed import chains_of, measured
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import greater
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
    greatest, leaf = condensed.death.copy(), np.ones(count, np.bool_)
    fate = np.zeros(count, np.int32)  # of every cluster
    _undo_splits(condensed.children, condensed.birth, float(persistence), greatest, leaf, fate)
    kept = np.flatnonzero(fate == STAYS)
    left = condensed.left.copy()
    dropped = np.full(count, -1, np.int32)
    _renumber(condensed.parent, condensed.born_at, condensed.size, fate, dropped, left)
    of_merge = np.empty(m, np.int32)
    for_chunks(_rename, m, grain, condensed.of_merge, fate, of_merge)
    cluster, leave = np.empty(linkage.n, np.int32), np.empty(linkage.n, np.int32)
    points = (condensed.cluster, condensed.leaving_merge, dropped, of_merge, cluster, leave)
    for_chunks(_leave_again, linkage.n, grain, *points)
    chains = _one_node_a_height(linkage.height, left, *chains_of(of_merge, len(kept)))
    born_at, size = condensed.born_at[kept[1:]], condensed.size[kept]
    return measured(linkage, condensed.min_cluster_size, born_at, size, of_merge, left, chains, cluster, leave)


@kernel
def _undo_splits(children, birth, persistence, greatest, leaf, fate):
    """Decide the fate of all clusters, from the lowest split up.

    If no child stays, all are leaves: a child that is split further lasts until that split, and then as long as it
    takes for the two that stay there.
    """
    for p in range(len(children) - 1, -1, -1):
        first, end = children[p, 0], children[p, 1]
        staying, goes_on = 0, False
        for c in range(first, end):
            if _lasts(greatest[c], birth[c], persistence):
                staying += 1
                goes_on |= not leaf[c]
            greatest[p] = greater(greatest[p], greatest[c])
        leaf[p] = staying < 2 and not goes_on
        for c in range(first, end):
            if leaf[p]:
                fate[c] = MERGED
            elif not _lasts(greatest[c], birth[c], persistence):
                fate[c] = DROPPED
            else:
                fate[c] = STAYS if staying > 1 else MERGED


@part
def _lasts(greatest, birth, persistence):
    """Infinity minus infinity counts as 0."""
    return (0.0 if greatest == birth else greatest - birth) >= persistence


@kernel
def _renumber(parent, born_at, size, fate, dropped, left):
    """Replace the fate of every old cluster by its new number; -1 for none: its points leave at the node `dropped`."""
    count = 1
    for c in range(1, len(fate)):  # parents come first, so their numbers are known
        if fate[c] == STAYS:
            fate[c] = count
            count += 1
        elif fate[c] == MERGED:
            fate[c], dropped[c] = fate[parent[c]], dropped[parent[c]]
            left[born_at[c]] -= size[c]
        else:
            fate[c], dropped[c] = -1, born_at[c]


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


def _one_node_a_height(height, left, starts, nodes):
    """The chains of clusters that may consist of several. The nodes of one height become
    the first of them, with the points that leave at any; nodes without such points are dropped."""
    leavers, counts = left.copy(), np.zeros(len(starts), np.int64)
    kept = _join_heights(height, leavers, starts, nodes, counts)
    return np.cumsum(counts), nodes[:kept], leavers


@kernel
def _join_heights(height, leavers, starts, nodes, counts):
    kept = 0
    for c in range(len(starts) - 1):
        first = kept
        for i in range(starts[c], starts[c + 1]):
            e = nodes[i]
            if kept > first and height[nodes[kept - 1]] == height[e]:
                leavers[nodes[kept - 1]] += leavers[e]
            elif leavers[e] > 0:
                nodes[kept] = e
                kept += 1
        counts[c + 1] = kept - first
    return kept
