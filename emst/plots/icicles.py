"""Layout of the condensed tree as icicles: a cluster begins at its birth lambda and narrows as points leave it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(eq=False)
class Icicles:
    """Bars and lines of the picture, in data coordinates: x is in points, y is lambda."""

    cluster: np.ndarray  # int64[c]: numbers of the clusters that are shown, parents before children
    bounds: np.ndarray  # float64[c, 4]: left, right, birth, death of each
    bars: np.ndarray  # float64[b, 4]: centre, width, bottom (the lesser lambda), height
    owner: np.ndarray  # int64[b]: position of each bar's cluster in `cluster`
    lines: np.ndarray  # float64[l, 2, 2]: at splits, from the centre of a cluster to the outer edge of each child
    hidden: int  # leaves of the tree that are not shown


BEFORE = 10_000  # clusters, the largest, among which the most stable branches are looked for


def icicles(
    rows: np.ndarray,
    leaf_separation: float = 1,
    log_size: bool = False,
    rectangles: int = 20,
    leaves: int | None = None,
) -> Icicles:
    """Lay out a condensed tree.

    Parameters
    ----------
    rows : structured array with fields parent, child, lambda_val, child_size
        Ordered by parent, and by lambda for each parent. The least parent is the root; all clusters have numbers from
        the root's on.
    leaf_separation : float
        Distance of neighbouring leaves, in units of the root's width.
    log_size : bool
        Widths are logarithms of the number of points.
    rectangles : int
        Most bars that a cluster is drawn with; smaller changes of its width are merged into one bar.
    leaves : int, optional
        Show only so many branches, the most stable. The points of a hidden cluster leave its parent like single points.

    Returns
    -------
    Icicles
    """
    if len(rows) == 0:
        none = np.zeros(0, np.int64)
        return Icicles(none, np.zeros((0, 4)), np.zeros((0, 4)), none, np.zeros((0, 2, 2)), 0)
    ceiling = _ceiling(rows["lambda_val"])
    root = int(rows["parent"][0])
    parent, birth, size = _clusters(rows, root, ceiling)
    width = np.log(size) if log_size else size
    own = np.bincount(
        rows["parent"] - root,
        (np.minimum(rows["lambda_val"], ceiling) - birth[rows["parent"] - root]) * rows["child_size"],
    )
    shown = np.ones(len(parent), bool) if leaves is None else _most_stable(parent, size, own, leaves)
    unit = float(width[0]) or 1.0
    x = _centres(parent, shown) * leaf_separation * unit
    steps = _steps(rows[shown[rows["parent"] - root]], root, size, ceiling)
    of, wide, bottom, top = _bars(steps, size, birth, log_size, rectangles)
    bars = np.stack([x[of], wide, bottom, top - bottom], axis=1)
    chosen = np.flatnonzero(shown)
    child = chosen[1:]
    turn = np.sign(x[child] - x[parent[child]])
    child, turn = child[turn != 0], turn[turn != 0]
    ends = np.stack([x[parent[child]], x[child] + turn * width[child] / 2], axis=1)
    lines = np.stack([ends, np.repeat(birth[child, None], 2, axis=1)], axis=2)
    last = np.flatnonzero(np.r_[steps.cluster[1:] != steps.cluster[:-1], True])
    death = np.zeros(len(parent))
    death[steps.cluster[last]] = steps.level[last]
    bounds = np.stack([x - width / 2, x + width / 2, birth, death], axis=1)[chosen]
    hidden = _leaves(parent, np.ones(len(parent), bool)) - _leaves(parent, shown)
    return Icicles(chosen + root, bounds, bars, np.searchsorted(chosen, of), lines, hidden)


def _ceiling(lambdas: np.ndarray) -> float:
    """The lambda at which infinite ones are drawn: a tenth above the greatest finite one."""
    finite = lambdas[np.isfinite(lambdas)]
    return 1.1 * float(finite.max(initial=0.0)) or 1.0


def _clusters(rows: np.ndarray, root: int, ceiling: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parent (-1 for the root), birth and size of every cluster, by its number minus the root's."""
    below = rows[rows["child"] >= root]
    count = len(below) + 1
    parent, birth, size = np.full(count, -1), np.zeros(count), np.empty(count)
    number = below["child"] - root
    parent[number] = below["parent"] - root
    birth[number] = np.minimum(below["lambda_val"], ceiling)
    size[number] = below["child_size"]
    size[0] = rows["child_size"][rows["parent"] == root].sum()
    return parent, birth, size


def _leaves(parent: np.ndarray, shown: np.ndarray) -> int:
    """How many shown clusters have no shown child."""
    return int(shown.sum()) - len(np.unique(parent[1:][shown[1:]]))


def _most_stable(parent: np.ndarray, size: np.ndarray, own: np.ndarray, leaves: int) -> np.ndarray:
    """Mask of the clusters that make up the most stable branches, at most `leaves` of them.

    A branch is a cluster with all below it, and its stability the area of their bars, of which `own` are the parts. At
    every split the most stable branch goes on as its parent's, and the others are new. A branch is less stable than
    the one that it comes from, so the parent of a shown cluster is shown. Branches of clusters that are not among the
    largest 10,000 are not looked for: their points count to their parents.
    """
    count = len(size)
    large = np.ones(count, bool) if count <= BEFORE else size > np.partition(size, -BEFORE)[-BEFORE]
    large[0] = True
    order, mother, area = np.flatnonzero(large).tolist(), parent.tolist(), own.tolist()
    heir = [0] * count  # the child whose branch goes on; 0 where there is none
    for c in reversed(order[1:]):
        p = mother[c]
        if heir[p] == 0 or area[c] >= area[heir[p]]:
            heir[p] = c
        area[p] += area[c]
    new = np.array([c for c in order[1:] if heir[mother[c]] != c], np.int64)
    kept = np.zeros(count, bool)
    kept[new[np.argsort(-np.array(area)[new], kind="stable")[: leaves - 1]]] = True
    shown = np.zeros(count, bool)
    shown[0] = True
    for c in order[1:]:
        shown[c] = shown[mother[c]] and (kept[c] or heir[mother[c]] == c)
    return shown


def _centres(parent: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """x of every cluster: leaves at 0, 1, 2, ... from left to right, other clusters in the middle of their children."""
    order, mother = np.flatnonzero(shown).tolist(), parent.tolist()
    leaves, children, total = [0] * len(mother), [0] * len(mother), [0.0] * len(mother)
    for c in reversed(order[1:]):
        leaves[c] = leaves[c] or 1
        leaves[mother[c]] += leaves[c]
        children[mother[c]] += 1
    place = [0] * len(mother)  # x of the first leaf of the cluster's next child; of a leaf, its own x
    for c in order[1:]:
        place[c] = place[mother[c]]
        place[mother[c]] += leaves[c]
    for c in reversed(order):
        total[c] = total[c] / children[c] if children[c] else float(place[c])
        total[mother[c]] += total[c] if c else 0.0
    return np.array(total)


@dataclass(eq=False)
class Steps:
    """Where clusters narrow: all points that leave a cluster at one lambda are one step. By cluster and lambda."""

    cluster: np.ndarray  # int64[s]
    level: np.ndarray  # float64[s]: lambda
    before: np.ndarray  # int64[s]: points before the step


def _steps(rows: np.ndarray, root: int, size: np.ndarray, ceiling: float) -> Steps:
    cluster, level = rows["parent"] - root, np.minimum(rows["lambda_val"], ceiling)
    first = np.r_[True, cluster[1:] != cluster[:-1]]  # row of each cluster
    step = np.flatnonzero(first | np.r_[True, level[1:] != level[:-1]])
    gone = np.cumsum(rows["child_size"]) - rows["child_size"]
    gone -= gone[first][np.cumsum(first) - 1]
    return Steps(cluster[step], level[step], size[cluster[step]] - gone[step])


def _bars(
    steps: Steps, size: np.ndarray, birth: np.ndarray, log_size: bool, most: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Cluster, width, bottom and top of the bars."""
    cluster, level, wide, widest = steps.cluster, steps.level, steps.before, size[steps.cluster]
    if log_size:
        wide, widest = np.log(wide), np.log(widest)
    narrower = widest - wide
    new = cluster[1:] != cluster[:-1]
    last = np.flatnonzero(np.r_[new, True])
    most_lost = np.zeros(len(size))
    most_lost[cluster[last]] = narrower[last]
    stage = np.floor(narrower / np.maximum(most_lost[cluster], np.finfo(float).tiny) * most)
    stage = np.minimum(stage, most - 1)
    start = np.flatnonzero(np.r_[True, new | (stage[1:] != stage[:-1])])
    top = level[np.r_[start[1:] - 1, len(level) - 1]]
    of = cluster[start]
    bottom = np.where(np.r_[True, of[1:] != of[:-1]], birth[of], np.r_[0.0, top[:-1]])
    seen = top > bottom
    return of[seen], wide[start][seen], bottom[seen], top[seen]
