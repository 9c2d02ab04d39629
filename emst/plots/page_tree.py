"""The condensed tree beside the map of a page: the branches that are drawn, the levels of its slider, and colours.

A level is a distance d. At it, a point is in the tree if it leaves its cluster at d or less. Its cluster is then the
last one on the way down from the root that is born at more than d. So the clusters of a level are those of
`cut(linkage, d)` with at least `min_cluster_size` points, the distance d itself included. `tree.js` shows them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.plots.colours import colour_numbers
from emst.plots.condensed import MANY
from emst.plots.icicles import Icicles, icicles

SIDE = 10_000  # of the square that the tree is drawn in
BARS = 12  # most of a cluster
LEVELS = 20  # of the slider; with 48, half a million uniform points would take 6 MB
DIGITS = 3  # of the distance of a level, so that the page tells it in full
RARE = 0.01  # fraction of the points that may leave at less than the last level
MARGIN = 0.05  # of the picture, above the first level and below the last
HUGE = float(np.finfo(float).max)
SMALLEST = float(np.finfo(float).tiny)


@dataclass(eq=False)
class PageTree:
    """A condensed tree of m points of n rows, on the host. The root is cluster 0, and parents come before children."""

    rows: np.ndarray  # its table, for `icicles`; it counts only the m points
    parent: np.ndarray  # int64[c]: -1 for the root
    birth: np.ndarray  # float64[c]: distance at which it splits from its parent, infinite for the root
    begins: np.ndarray  # float64[c]: lambda of its birth
    ends: np.ndarray  # float64[c]: lambda at which it splits, or its last points leave
    size: np.ndarray  # int64[c]: points at its birth
    chosen: np.ndarray  # int64[l]: the selected clusters, by label
    cluster: np.ndarray  # int64[n]: the cluster that each row leaves, -1 for rows that are not in the tree
    leaves: np.ndarray  # float64[n]: the distance at which it leaves, infinite for rows that are not in the tree


def levels_of(tree: PageTree) -> np.ndarray:
    """The distances of the slider, descending, in geometric progression: float64[k], k <= 20.

    They begin at the greatest distance at which the tree changes, and end where all but one in a hundred points have
    left. There are none if all points are equal.
    """
    usual = np.sort(tree.leaves[np.isfinite(tree.leaves) & (tree.leaves >= SMALLEST)])
    if len(usual) == 0:
        return np.zeros(0)
    first, last = max(usual[-1], tree.birth[1:].max(initial=0.0)), usual[int(RARE * (len(usual) - 1))]
    rounded = [float(f"{d:.{DIGITS - 1}e}") for d in np.geomspace(first, last, LEVELS).tolist()]
    return np.unique(rounded)[::-1]


def passed(distances: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Number of the levels that are at least at each distance, int64: a point that leaves there is in the tree at
    these. A cluster that is born there is a part of its parent at these."""
    return len(levels) - np.searchsorted(levels[::-1], distances, side="left")


def ancestors(tree: PageTree, born: np.ndarray, level: int) -> np.ndarray:
    """The cluster at a level that the points of every cluster belong to, int64[c]; `born` is `passed` of the births,
    and levels count from 1."""
    found = np.where(born < level, np.arange(len(born)), -1)
    for c in np.flatnonzero(found < 0).tolist():  # parents come first
        found[c] = found[tree.parent[c]]
    return found


def counts_of(tree: PageTree, levels: np.ndarray) -> list[list[int]]:
    """Of every level, the number of clusters and the number of their points, of all rows."""
    born, within = passed(tree.birth, levels), tree.cluster >= 0
    steps = len(levels) + 1
    key = tree.cluster[within] * steps + passed(tree.leaves[within], levels)
    left = np.bincount(key, minlength=len(born) * steps).reshape(-1, steps)
    staying = np.cumsum(left[:, ::-1], axis=1)[:, ::-1]  # points that leave each cluster at this level or below
    found = []
    for level in range(1, steps):
        members = np.bincount(ancestors(tree, born, level), staying[:, level], minlength=len(born))
        found.append([int((members > 0).sum()), int(members.sum())])
    return found


def branch_colours(tree: PageTree, cluster: np.ndarray, places: np.ndarray, selected: np.ndarray) -> np.ndarray:
    """Position in `PALETTE` of the colour of every cluster, int64[c].

    The largest child of a split keeps the colour of its parent. A selected cluster has the colour of its label.

    Parameters
    ----------
    tree : PageTree
    cluster : int array of shape (m,)
        The cluster that each of the shown points leaves.
    places : float64 array of shape (m, 2)
        Where they are in the picture.
    selected : int array of shape (l,)
        Colours of the labels.
    """
    count = len(tree.parent)
    by_size = np.lexsort((-np.arange(1, count), tree.size[1:])) + 1  # the first of the largest comes last
    heir = np.full(count, -1)
    heir[tree.parent[by_size]] = by_size
    branch, number = np.zeros(count, np.int64), 0
    for c, parent in enumerate(tree.parent.tolist()[1:], 1):
        if heir[parent] == c:
            branch[c] = branch[parent]
        else:
            number += 1
            branch[c] = number
    wanted = np.full(number + 1, -1)
    wanted[branch[tree.chosen]] = selected
    labels = np.where(heir[cluster] < 0, branch[cluster], -1)  # every branch ends in one leaf
    found = colour_numbers(labels, places, number + 1, wanted)
    return np.where(wanted >= 0, wanted, found)[branch]


def tree_of(tree: PageTree, colours: np.ndarray, n: int) -> dict[str, Any]:
    """What `tree.js` gets, before it is packed; `n` is the number of all rows."""
    levels = levels_of(tree)
    layout = icicles(tree.rows, rectangles=BARS, leaves=MANY)
    drawn = layout.cluster - int(tree.rows["parent"][0])
    lasts = tree.ends.copy()  # the greatest lambda at or below each cluster
    for c in range(len(lasts) - 1, 0, -1):
        lasts[tree.parent[c]] = max(lasts[tree.parent[c]], lasts[c])
    label = np.full(len(tree.parent), -1)
    label[tree.chosen] = np.arange(len(tree.chosen))
    scale = _Scale(levels)
    return {
        "levels": levels.tolist(),
        "heights": scale.of(levels).round(4).tolist(),
        "side": SIDE,
        "counts": counts_of(tree, levels),
        "parent": tree.parent + 1,  # the root has none: 0
        "born": passed(tree.birth, levels),
        "died": passed(_deaths(tree), levels),
        "size": tree.size,
        "label": label + 1,
        "colour": colours,
        "first": n,  # number of the root in `condensed_tree_`
        "drawn": drawn.tolist(),
        "shapes": _shapes(layout, scale),
        "lines": _lines(layout, scale),
        "begins": _numbers(tree.begins[drawn]),
        "ends": _numbers(tree.ends[drawn]),
        "persistence": _numbers(np.where(lasts == tree.begins, 0.0, lasts - np.minimum(tree.begins, HUGE))[drawn]),
        "hidden": layout.hidden,
    }


def _deaths(tree: PageTree) -> np.ndarray:
    """The distance at which every cluster splits, or its last points leave: float64[c]."""
    found, within = np.full(len(tree.parent), np.inf), tree.cluster >= 0
    np.minimum.at(found, tree.cluster[within], tree.leaves[within])
    np.minimum.at(found, tree.parent[1:], tree.birth[1:])
    return found


class _Scale:
    """Height in the picture, 0 at the top and 1 at the bottom: the logarithm of the distance."""

    def __init__(self, levels: np.ndarray) -> None:
        first, last = (levels[0], levels[-1]) if len(levels) else (1.0, 1.0)
        self.top = np.log(first)
        self.extent = max(float(self.top - np.log(last)), np.log(2.0))

    def of(self, distances: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.clip((self.top - np.log(distances)) / self.extent * (1 - 2 * MARGIN) + MARGIN, 0.0, 1.0)

    def of_lambda(self, lambdas: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return self.of(1 / lambdas)


def _shapes(layout: Icicles, scale: _Scale) -> list[str]:
    """The bars of every drawn cluster as a path of SVG in the square."""
    left, extent = _frame(layout)
    paths: list[list[str]] = [[] for _ in layout.cluster]
    centre, width, low, height = layout.bars.T
    sides = (np.stack([centre - width / 2, centre + width / 2], axis=1) - left) / extent
    ends = np.stack([scale.of_lambda(low), scale.of_lambda(low + height)], axis=1)
    for c, (a, b), (top, bottom) in zip(layout.owner.tolist(), sides.tolist(), ends.tolist()):
        if not paths[c] or bottom - top > 1 / SIDE:  # a cluster has at least one bar, however short
            left_side, right_side, first, last = (round(SIDE * value) for value in (a, b, top, bottom))
            paths[c].append(f"M{left_side} {first}H{right_side}V{last}H{left_side}Z")
    return ["".join(path) for path in paths]


def _lines(layout: Icicles, scale: _Scale) -> str:
    """The lines at the splits, as a path."""
    left, extent = _frame(layout)
    heights = scale.of_lambda(layout.lines[:, 0, 1]).tolist()
    ends = ((layout.lines[:, :, 0] - left) / extent).tolist()
    return "".join(f"M{SIDE * a:.0f} {SIDE * y:.0f}H{SIDE * b:.0f}" for (a, b), y in zip(ends, heights))


def _frame(layout: Icicles) -> tuple[float, float]:
    """The leftmost x of the picture, and its width."""
    left = float(layout.bounds[:, 0].min())
    return left, float(layout.bounds[:, 1].max()) - left or 1.0


def _numbers(values: np.ndarray) -> list[float | None]:
    """To six digits: the page tells four. JSON has no infinity: None."""
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in values.tolist()]
