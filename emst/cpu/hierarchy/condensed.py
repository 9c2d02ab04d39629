"""The condensed tree: which cluster every merge and point is in, and how long each cluster lasts."""

from __future__ import annotations

import numpy as np

from emst.backend.records import Condensed
from emst.cpu.hierarchy.descent import inherit, parents
from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for, thread_count

LANES = 32  # partial sums of a piece
PIECE = 1024  # terms that are summed in one go


@part
def density(height):
    """Lambda."""
    return 1.0 / np.float64(height)


def condense(linkage, min_cluster_size):
    """See `emst.backend.operations`."""
    n = linkage.n
    m = n - 1
    if m == 0:
        return _single_point(linkage, min_cluster_size)
    grain = grain_for(m, 1 << 15)
    # Of a merge within a cluster: the cluster. Of other merges: the merge at which their points left their cluster.
    owner, is_split = np.empty(m, np.int32), np.empty(m, np.bool_)
    for_chunks(_find_splits, m, grain, linkage.child, linkage.size, min_cluster_size, owner, is_split)
    splits = np.flatnonzero(is_split)[::-1].astype(np.int32)
    owner[-1] = 0
    owner[linkage.child[splits]] = np.arange(1, 2 * len(splits) + 1).reshape(-1, 2)
    inherit(owner, parents(linkage))
    cluster, leave = np.empty(n, np.int32), np.empty(n, np.int32)
    for_chunks(_leave, m, grain, linkage.child, linkage.size, min_cluster_size, owner, cluster, leave)
    small = linkage.size < min_cluster_size
    small[-1] = False
    owner[small] = -1
    return measured(linkage, min_cluster_size, splits, owner, cluster, leave)


def _single_point(linkage, min_cluster_size):
    """One point never leaves: its lambda and its cluster's death are infinite."""
    return Condensed(
        linkage=linkage,
        min_cluster_size=min_cluster_size,
        parent=np.full(1, -1, np.int32),
        split=np.full(1, -1, np.int32),
        birth=np.zeros(1),
        death=np.full(1, np.inf),
        size=np.ones(1, np.int32),
        stability=np.zeros(1),
        cluster=np.zeros(1, np.int32),
        leaving_merge=np.full(1, -1, np.int32),
        of_merge=np.empty(0, np.int32),
    )


@part
def is_large(size, merge, min_cluster_size):
    """Whether a merge belongs to a cluster. The root does, however small it is."""
    return size[merge] >= min_cluster_size or merge == len(size) - 1


@kernel
def _find_splits(child, size, min_cluster_size, owner, is_split, begin, end):
    for e in range(begin, end):
        large = 0
        for i in range(2):
            below = child[e, i]
            if below >= 0:
                goes_on = size[below] >= min_cluster_size
                large += goes_on
                owner[below] = e if is_large(size, e, min_cluster_size) and not goes_on else -1
        is_split[e] = large == 2


@kernel
def _leave(child, size, min_cluster_size, owner, cluster, leave, begin, end):
    n = len(cluster)
    for e in range(begin, end):
        if child[e, 0] < 0:  # names ascend: points come first
            at = e if is_large(size, e, min_cluster_size) else owner[e]
            for i in range(2):
                if child[e, i] < 0:
                    leave[child[e, i] + n] = at
                    cluster[child[e, i] + n] = owner[at]


def measured(linkage, min_cluster_size, splits, of_merge, cluster, leave):
    """The condensed tree with the clusters that `of_merge` gives; split s is at merge ``splits[s]``, numbered from the
    highest down."""
    m, count = len(of_merge), 2 * len(splits) + 1
    parent, split = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
    birth, death, size = np.zeros(count), np.empty(count), np.empty(count, np.int32)
    ended = of_merge[splits]
    split[ended] = np.arange(len(splits))
    parent[1:] = np.repeat(ended, 2)
    with np.errstate(divide="ignore", over="ignore"):
        birth[1:] = np.repeat(1 / linkage.height[splits].astype(np.float64), 2)
    parts = max(1, min(thread_count(), m // count, m >> 14))  # counters take no more memory than the merges
    part = -(-m // parts)
    counts = np.zeros((-(-m // part), count), np.int32)
    for_chunks(_count, m, part, of_merge, counts, part)
    totals = counts.sum(0)
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(totals, out=starts[1:])
    places = starts[:-1] + (np.cumsum(counts, 0) - counts)
    terms = np.empty(starts[-1])
    tree = (linkage.child, linkage.size, linkage.height, of_merge)
    for_chunks(_terms, m, part, *tree, birth, starts, places, terms, death, size, part)
    stability = _sums(terms, starts)
    return Condensed(
        linkage, min_cluster_size, parent, split, birth, death, size, stability, cluster, leave, of_merge
    )  # fmt: skip


@kernel
def _count(of_merge, counts, grain, begin, end):
    mine = counts[begin // grain]
    for e in range(begin, end):
        if of_merge[e] >= 0:
            mine[of_merge[e]] += 1


@kernel
def _terms(child, size, height, of_merge, birth, starts, places, terms, death, sizes, grain, begin, end):
    """What the points that leave at each merge add to the stability of its cluster, by cluster in ascending order."""
    place = places[begin // grain]
    for e in range(begin, end):
        c = of_merge[e]
        if c < 0:
            continue
        left = size[e]
        for i in range(2):
            if child[e, i] >= 0 and of_merge[child[e, i]] == c:
                left -= size[child[e, i]]
        at = place[c]
        place[c] = at + 1
        leave = density(height[e])
        # Infinity minus infinity counts as 0. Points that stay in the cluster do not count, as at a split undone.
        terms[at] = 0.0 if left == 0 or leave == birth[c] else np.float64(left) * (leave - birth[c])
        if at == starts[c]:
            death[c] = leave
        if at == starts[c + 1] - 1:
            sizes[c] = size[e]


def _sums(terms, starts):
    """Sums of the runs ``starts[c]:starts[c + 1]``, in an order that both backends keep.

    Runs are cut into pieces of PIECE terms; the sums of a run's pieces take its place, until one is left. Lane l of
    LANES adds the terms l, l + LANES, ... of a piece to 0; then lanes l and l + 16 are added, l and l + 8, and so on.
    """
    count = len(starts) - 1
    while True:
        pieces = -(-np.diff(starts) // PIECE)
        ends = np.zeros(count + 1, np.int64)
        np.cumsum(pieces, out=ends[1:])
        total = int(ends[-1])
        run = np.repeat(np.arange(count, dtype=np.int32), pieces)
        sums = np.empty(total)
        for_chunks(_sum_pieces, total, grain_for(total, 256), terms, starts, run, ends, sums, scratch=_lanes)
        if total == count:
            return sums
        terms, starts = sums, ends


def _lanes():
    return empty(LANES, np.float64)


@kernel
def _sum_pieces(lanes, terms, starts, run, ends, sums, begin, end):
    for i in range(begin, end):
        c = run[i]
        first = starts[c] + (i - ends[c]) * PIECE
        sums[i] = _sum_piece(lanes, terms[first : lesser(first + PIECE, starts[c + 1])])


@part
def _sum_piece(lanes, terms):
    for lane in range(LANES):
        lanes[lane] = 0.0
    whole = len(terms) // LANES * LANES
    for i in range(0, whole, LANES):
        for lane in range(LANES):
            lanes[lane] += terms[i + lane]
    for i in range(whole, len(terms)):
        lanes[i - whole] += terms[i]
    half = LANES // 2
    while half:
        for lane in range(half):
            lanes[lane] += lanes[lane + half]
        half //= 2
    return lanes[0]
