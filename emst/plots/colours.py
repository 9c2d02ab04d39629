"""Colours of clusters: clusters that are near each other in a picture get colours that are easy to tell apart."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

# The first twelve are chosen so that the least difference in Oklab (Ottosson 2020) between any two of them, or to the
# grey of noise, is as great as possible: 0.14, and 0.11 as people without cones for red or for green see them. Each of
# the others is then the one that differs most from all before it and from white: by 0.07.
PALETTE = np.array(
    [
        [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        for colour in (
            "#3c54d8", "#c06000", "#0ca89c", "#c01860", "#6cb4fc", "#a8a848",
            "#540c9c", "#90e448", "#783c00", "#9078fc", "#00789c", "#780054",
            "#480000", "#3c90c0", "#602418", "#48003c", "#48c090", "#3c5490",
            "#00e4fc", "#0000cc", "#000078", "#fc0c6c", "#60d884", "#a8480c",
        )
    ]
)  # fmt: skip
NOISE = np.array([0.78, 0.78, 0.78])
NAMED = 12  # this many clusters, the largest, have the first colours for themselves: legends name them

FINEST = 512  # cells of the finest grid along an axis
COARSEST = 8
CROWDED = 32  # clusters in a cell; in cells with more, only the finer grids compare them
PROBES = 4  # points of a cluster that estimate how far it is from others
ALIKE = 0.06  # difference in Oklab at which two colours look alike
APART = 16  # a colour that is taken over must not be that of a cluster closer than 1 / APART of the picture
UNLIKE = 1e5  # weight of pairs of named clusters: more than any other

# From linear RGB to what people see without cones for red and for green: Machado, Oliveira, Fernandes, "A
# physiologically-based model for simulation of color vision deficiency", IEEE TVCG 2009.
VISIONS = np.array(
    [
        np.eye(3),
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    ]
)


def packed_colours() -> np.ndarray:
    """The palette, and the grey of noise after it, as numbers 0xAABBGGRR: uint32[25]."""
    rgb = np.round(255 * np.vstack([PALETTE, NOISE])).astype(np.uint32)
    return rgb[:, 0] | rgb[:, 1] << 8 | rgb[:, 2] << 16 | np.uint32(255) << 24


def colour_numbers(
    labels: np.ndarray, places: np.ndarray | None, count: int, wanted: np.ndarray | None = None
) -> np.ndarray:
    """Position of each cluster's colour in `PALETTE`, int64[count].

    Clusters choose in turn, the largest first, the colour that is least like those of the clusters near them, and then
    twice more when all have one. Clusters that are near each other differ. If there are no colours to keep, the twelve
    largest have the first twelve, and the others none of these.

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
    named = order[:NAMED] if wanted is None else []
    first, other, weight = _neighbours(labels, places, count, named)
    likeness = np.exp(-((differences(PALETTE) / ALIKE) ** 2))
    chosen = np.full(count, -1)
    keep = np.full(count, -1) if wanted is None else wanted
    used = np.zeros(len(PALETTE))
    others = np.zeros((count, len(PALETTE)))  # what it costs to take a colour that is meant for other clusters
    if wanted is None:
        others[:, :NAMED] = UNLIKE
        others[named] = np.where(np.arange(len(PALETTE)) < NAMED, 0, UNLIKE)
    for again in (False, True, True):  # a change may allow others
        for i in order:
            near = other[first[i] : first[i + 1]]
            seen = chosen[near] >= 0
            cost = weight[first[i] : first[i + 1]][seen] @ likeness[chosen[near[seen]]]
            if keep[i] >= 0 and cost[keep[i]] < APART**2:
                best = int(keep[i])
            else:
                best = int(np.argmin(cost + others[i] + used / count))
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
        one, two, weight = _joined(steps)
    else:
        members = np.flatnonzero(labels >= 0)
        one, two, weight = _near(labels[members], places[members], count)
    pairs = np.array([(a, b) for a in named for b in named if a < b], np.int64).reshape(-1, 2)
    one, two, weight = np.r_[one, pairs[:, 0]], np.r_[two, pairs[:, 1]], np.r_[weight, np.full(len(pairs), UNLIKE)]
    source, other, weight = np.r_[one, two], np.r_[two, one], np.r_[weight, weight]
    order = np.argsort(source, kind="stable")
    return np.searchsorted(source[order], np.arange(count + 1)), other[order], weight[order]


def _near(labels: np.ndarray, places: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of clusters that are near each other, and about one over the square of their distance; the extent is 1.

    The grids bound the distance, and a few points of both clusters estimate it within the bounds.
    """
    if len(places) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    places = places - places.min(axis=0)
    places /= float(places.max()) or 1.0
    one, two, weight = _joined(list(_sharing(labels, places, count)))
    pair = np.minimum(one, two) * count + np.maximum(one, two)
    by_pair = np.lexsort((-weight, pair))
    pair, weight = pair[by_pair], weight[by_pair]
    nearest = np.r_[True, pair[1:] != pair[:-1]][: len(pair)]
    one, two = np.divmod(pair[nearest], count)
    weight = weight[nearest]
    by_label = places[np.argsort(labels, kind="stable")]
    sizes = np.bincount(labels, minlength=count)
    probes = (np.cumsum(sizes) - sizes)[:, None] + sizes[:, None] * np.arange(1, 2 * PROBES, 2) // (2 * PROBES)
    square = np.full(len(one), np.inf)
    for i, j in product(range(PROBES), repeat=2):
        gap = by_label[probes[one, i]] - by_label[probes[two, j]]
        square = np.minimum(square, (gap * gap).sum(axis=1))
    return one, two, np.clip(1 / np.maximum(square, 1e-9), weight / places.shape[1], 16 * weight)


def _sharing(labels: np.ndarray, places: np.ndarray, count: int) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Pairs of clusters that share a cell, on ever coarser grids, and one over the square of the cell's side.

    Each grid is used 2^d times, in some directions shifted by half a cell. So two points that are less than half a cell
    apart lie in the same cell at least once.
    """
    cells: Any = np.minimum(places * FINEST, FINEST - 1).astype(np.int64)
    cells_along = FINEST
    while cells_along >= COARSEST:
        cell, labels = _distinct(cells, labels, count)
        cells = np.stack(np.unravel_index(cell, (2 * FINEST,) * places.shape[1]), axis=1)
        for shift in product((0, 1), repeat=places.shape[1]):
            cell, label = _distinct((cells + shift) >> 1, labels, count)
            size = np.diff(np.flatnonzero(np.r_[True, cell[1:] != cell[:-1], True]))
            usual = np.repeat(size <= CROWDED, size)
            for step in range(1, min(CROWDED, int(size.max()))):
                i = np.flatnonzero((cell[step:] == cell[:-step]) & usual[step:])
                yield label[i], label[i + step], (cells_along / 2) ** 2
        cells, cells_along = cells >> 1, cells_along // 2


def _joined(steps: list[tuple[np.ndarray, np.ndarray, float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of several steps, and the weight of each."""
    empty = np.zeros(0, np.int64)
    one = np.concatenate([empty, *(a for a, _, _ in steps)])
    two = np.concatenate([empty, *(b for _, b, _ in steps)])
    return one, two, np.concatenate([np.zeros(0), *(np.full(len(a), float(weight)) for a, _, weight in steps)])


def _distinct(cells: np.ndarray, labels: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Number of the cell, and label, of every cluster in every cell, ordered."""
    cell = np.ravel_multi_index(tuple(cells.T), (2 * FINEST,) * cells.shape[1])
    key = np.sort(cell * count + labels)
    cell_numbers, label = np.divmod(key[np.r_[True, key[1:] != key[:-1]]], count)
    return cell_numbers, label


def differences(colours: np.ndarray) -> np.ndarray:
    """How far every two colours are apart in Oklab, for the kind of vision that sees the least difference.

    Parameters
    ----------
    colours : float64 array of shape (k, 3)
        sRGB, from 0 to 1.

    Returns
    -------
    float64 array of shape (k, k)
    """
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    lab = oklab(np.clip(linear @ VISIONS.transpose(0, 2, 1), 0, 1))
    return np.linalg.norm(lab[:, :, None] - lab[:, None], axis=3).min(axis=0)


def oklab(linear: np.ndarray) -> np.ndarray:
    """Linear RGB in Oklab (B. Ottosson, 2020), where distances are differences that people see."""
    to_cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    to_lab = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return np.cbrt(linear @ np.transpose(to_cones)) @ np.transpose(to_lab)
