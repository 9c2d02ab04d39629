"""Colours of clusters: clusters that are near each other in a picture get colours that are easy to tell apart."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

# Chosen so that the least difference between any two of them, and to the grey of noise, is as great as possible in
# Oklab (Ottosson 2020): at least 0.14, for normal vision and as people without red or green cones see them
# (Machado et al. 2009).
PALETTE = np.array(
    [
        [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        for colour in (
            "#3c54d8", "#c06000", "#0ca89c", "#c01860", "#6cb4fc", "#a8a848",
            "#540c9c", "#90e448", "#783c00", "#9078fc", "#00789c", "#780054",
        )
    ]
)  # fmt: skip
NOISE = np.array([0.78, 0.78, 0.78])
NAMED = len(PALETTE)  # this many clusters, the largest, have colours of their own: legends name them

FINEST = 1024  # cells of the finest grid along an axis
COARSEST = 8
CROWDED = 32  # clusters in a cell; in cells with more, only the finer grids compare them
ALIKE = 0.1  # difference in Oklab at which two colours look alike
APART = 64  # a colour that is taken over must not be that of a cluster closer than 1 / APART of the picture
UNLIKE = 1e6  # weight of pairs of named clusters: more than any other


def colour_numbers(
    labels: np.ndarray, places: np.ndarray | None, count: int, wanted: np.ndarray | None = None
) -> np.ndarray:
    """Position of each cluster's colour in `PALETTE`, int64[count].

    Clusters choose in turn, the largest first, the colour that is least like those of the clusters near them, and then
    once more when all have one. Clusters that are near each other differ, and so do the largest.

    Parameters
    ----------
    labels : int array of shape (n,)
        Cluster of each point; negative labels are noise.
    places : float64 array of shape (n, d) or None
        Where the points are in the picture, d <= 3. Without them, clusters with similar labels are near.
    count : int
        Number of clusters.
    wanted : int array of shape (count,), optional
        Colours to keep, -1 for none.
    """
    sizes = np.bincount(labels[labels >= 0], minlength=count)
    order = np.argsort(-sizes, kind="stable").tolist()
    first, other, weight = _neighbours(labels, places, count, order[:NAMED])
    likeness = np.exp(-((_differences() / ALIKE) ** 2))
    chosen = np.full(count, -1)
    keep = np.full(count, -1) if wanted is None else wanted
    used = np.zeros(len(PALETTE))
    for again in (False, True):
        for i in order:
            near = other[first[i] : first[i + 1]]
            seen = chosen[near] >= 0
            cost = weight[first[i] : first[i + 1]][seen] @ likeness[chosen[near[seen]]]
            if keep[i] >= 0 and cost[keep[i]] < APART**2:
                best = int(keep[i])
            else:
                best = int(np.argmin(cost + used / count))
            used[best] += 1
            if again:
                used[chosen[i]] -= 1
            chosen[i] = best
    return chosen


def _neighbours(
    labels: np.ndarray, places: np.ndarray | None, count: int, named: list[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For cluster i, the clusters near it are ``other[first[i] : first[i + 1]]``, and `weight` says how near."""
    if places is None:
        steps = [(np.arange(count - step), np.arange(step, count), 1 / step**2) for step in range(1, min(count, NAMED))]
    else:
        members = np.flatnonzero(labels >= 0)
        steps = list(_near(labels[members], places[members]))
    both = np.array([(a, b) for a in named for b in named if a < b], np.int64).reshape(-1, 2)
    steps.append((both[:, 0], both[:, 1], UNLIKE))
    pair = np.concatenate([np.minimum(a, b) * count + np.maximum(a, b) for a, b, _ in steps]).astype(np.int64)
    weight = np.concatenate([np.full(len(a), float(w)) for a, _, w in steps])
    by_pair = np.lexsort((-weight, pair))
    pair, weight = pair[by_pair], weight[by_pair]
    nearest = np.r_[True, pair[1:] != pair[:-1]][: len(pair)]
    a, b = np.divmod(pair[nearest], max(count, 1))
    source, other, weight = np.r_[a, b], np.r_[b, a], np.tile(weight[nearest], 2)
    order = np.argsort(source, kind="stable")
    return np.searchsorted(source[order], np.arange(count + 1)), other[order], weight[order]


def _near(labels: np.ndarray, places: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Pairs of clusters that share a cell, on ever coarser grids, and the number of cells along an axis, squared.

    Every grid is laid 2^d times, shifted by half a cell, so that two points closer than half a cell share one.
    """
    if len(places) == 0:
        return
    low = places.min(axis=0)
    extent = float(np.ptp(places, axis=0).max()) or 1.0
    cells = np.minimum((places - low) / extent * FINEST, FINEST - 1).astype(np.int64)
    found: Any = _distinct(np.column_stack([cells, labels]))
    cells_along = FINEST
    while cells_along >= COARSEST:
        for shift in product((0, 1), repeat=places.shape[1]):
            shifted = _distinct(np.column_stack([(found[:, :-1] + shift) >> 1, found[:, -1]]))
            cell, label = _keys(shifted[:, :-1]), shifted[:, -1]
            size = np.bincount(cell)[cell]
            for step in range(1, CROWDED):
                i = np.flatnonzero((cell[step:] == cell[:-step]) & (size[step:] <= CROWDED))
                if len(i) == 0:
                    break
                yield label[i], label[i + step], (cells_along / 2) ** 2
        found = _distinct(np.column_stack([found[:, :-1] >> 1, found[:, -1]]))
        cells_along //= 2


def _distinct(rows: np.ndarray) -> np.ndarray:
    """The distinct rows of an array of integers, ordered."""
    order = np.lexsort(rows.T[::-1])
    rows = rows[order]
    return rows[np.r_[True, (rows[1:] != rows[:-1]).any(axis=1)][: len(rows)]]


def _keys(rows: np.ndarray) -> np.ndarray:
    """Numbers of ordered rows, equal for equal rows."""
    return np.cumsum(np.r_[False, (rows[1:] != rows[:-1]).any(axis=1)][: len(rows)])


def _differences() -> np.ndarray:
    """Difference of every two colours of the palette in Oklab."""
    lab = oklab(PALETTE)
    return np.linalg.norm(lab[:, None] - lab[None], axis=2)


def oklab(colours: np.ndarray) -> np.ndarray:
    """sRGB colours in Oklab (B. Ottosson, 2020), where distances are differences that people see."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    cones = np.cbrt(
        linear
        @ np.array(
            [
                [0.4122214708, 0.2119034982, 0.0883024619],
                [0.5363325363, 0.6806995451, 0.2817188376],
                [0.0514459929, 0.1073969566, 0.6299787005],
            ]
        )
    )
    return cones @ np.array(
        [
            [0.2104542553, 1.9779984951, 0.0259040371],
            [0.7936177850, -2.4285922050, 0.7827717662],
            [-0.0040720468, 0.4505937099, -0.8086757660],
        ]
    )
