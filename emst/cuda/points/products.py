"""Many dimensions: products of halves on tensor cores decide which pairs of points can matter.

Only these are computed again in the one rounding that all distances have here, so results are exact. Where too many
pairs are left, all are compared (`distances.brute`). Kernels: halves.cu, products_knn.cu, products_search.cu; what the
products prove: bounds.cuh.
"""

from __future__ import annotations

import math
from typing import Any

import cupy
import numpy as np

from emst.backend.records import Forest
from emst.cuda.distances.brute import nearest_outside
from emst.cuda.points.bvh import SearchIndex
from emst.cuda.points.cached import NeighbourCache
from emst.cuda.runtime.arguments import as_struct
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.constants import (
    CANDIDATES,
    PRODUCT_CHUNK,
    PRODUCT_RUN,
    PRODUCT_THREADS,
    PRODUCT_TILE,
)
from emst.cuda.runtime.launch import launch, launch_grid, multiprocessors
from emst.cuda.runtime.tensor_cores import stage_bytes, stages
from emst.cuda.runtime.to_host import OnItsWay

HIGHEST_RANK = CANDIDATES // 3
GREATEST = 15  # halves are less than 2 to this power
LARGEST_SHARE, LEAST_TILES = 4, 16  # of the points that bound distances: all over them; tiles
MOST_TILES = 1 << 14  # between which distances are kept
GROUP = 32  # columns whose nearest point bounds a distance
PART_BYTES = 1 << 29  # of candidates, and of bounds
RESIDENT_BLOCKS = 2  # on a multiprocessor
CANDIDATE_BYTES, CANDIDATE_THREADS = 8, 64  # of candidates.cuh
CROWD_THREADS = 128  # of products_knn.cu


class Products:
    """The points of a hierarchy as halves, and what bounds the errors of their products.

    Attributes
    ----------
    centre : float64[d]
        By which the points are moved.
    halves : uint16[padded, width]
        Points, moved by a centre and scaled, as halves. Zero in the columns and rows that fill up chunks and tiles.
    square, rho : float64[n], float32[n]
        Squared length of the halves; upper bound of what rounding has moved the point by.
    low_start, high_start : float32[padded]
        Where sums start that bound distances from below and from above.
    tile_rho : float32[tiles]
        The greatest rho of each tile.
    between : float32[tiles, tiles] or None
        Lower bounds of the distances between the halves of two tiles, if they are not too many.
    arguments : str
        Arguments of templates: stages, and whether a row is a single chunk.
    bounds : Bounds
        As kernels take it, by value.
    """

    def __init__(self, index: SearchIndex) -> None:
        n, d, T = index.n, index.d, index.T
        self.centre = centre = cupy.empty(d, np.float64)
        self.tiles, self.width = -(-n // PRODUCT_TILE), -(-d // PRODUCT_CHUNK) * PRODUCT_CHUNK
        padded = self.tiles * PRODUCT_TILE
        short = self.width == PRODUCT_CHUNK
        self.arguments = f"{stages()}, {'true' if short else 'false'}"
        points, greatest = (index.rows, n, *index.shape), cupy.zeros(1, np.uint64)
        launch_grid("points/halves", f"centre_points<{T}>", (-(-d // 32),), (32, 8), (*points, centre))
        launch("points/halves", f"greatest_offset<{T}>", min(32 * n, 1 << 18), *points, centre, greatest)
        offset = float(greatest.view(np.float64)[0])
        scale = math.ldexp(1.0, GREATEST - math.frexp(offset)[1]) if offset > 0 else 1.0
        eps = _error(self.width, PRODUCT_CHUNK if short else PRODUCT_RUN)
        numbers = np.finfo(index.dtype)
        grow, tiny = 1 + 2 * (d + 4) * float(numbers.epsneg), math.sqrt(d * 1.001) * _root_of_least(numbers)
        c = 1.01 * eps
        self.bounds = as_struct([scale, eps, c, grow, tiny], np.float64)  # a Bounds of bounds.cuh, by value
        self.halves = cupy.empty((padded, self.width), np.uint16)
        self.square, self.rho = cupy.empty(n, np.float64), cupy.empty(n, np.float32)
        self.low_start, self.high_start = cupy.empty(padded, np.float32), cupy.empty(padded, np.float32)
        results = (self.halves, self.square, self.rho, self.low_start, self.high_start)
        inputs = (index.rows, n, padded, *index.shape, centre, scale, c, np.int32(self.width))
        launch("points/halves", f"halve<{T}>", 32 * padded, *inputs, *results)
        self.tile_rho = self.greatest_rho(None, self.tiles)
        self.between = self._between() if self.tiles <= MOST_TILES else None

    def _between(self) -> cupy.ndarray:
        width, tiles = np.int32(self.width), self.tiles
        centres, radius = cupy.empty((tiles, self.width), np.float32), cupy.empty(tiles, np.float32)
        args = (self.halves, width, len(self.rho), centres, radius)
        launch("points/halves", "centre_tiles", tiles * PRODUCT_TILE, *args, block=PRODUCT_TILE)
        between = cupy.empty((tiles, tiles), np.float32)
        launch("points/halves", "bound_tiles", 32 * tiles**2, centres, radius, width, tiles, between)
        return between

    def greatest_rho(self, columns: cupy.ndarray | None, tiles: int) -> cupy.ndarray:
        """The greatest rho of each tile of these points; None for all points in their order."""
        most = cupy.empty(tiles, np.float32)
        launch("points/halves", "greatest_rho", 32 * tiles, self.rho, len(self.rho), columns, tiles, most)
        return most


def _error(width: int, run: int) -> float:
    """Bound of the error of a sum, relative to the absolute values of its terms (docs/how/many_dimensions.md).

    Tensor cores add a run of terms in blocks of 4 or more, with the sum before: 6 truncations for 4 terms, to 24 bits
    of a number that is no greater than all terms together. The sum of each run is added with one rounding. And a
    little more, for the sums of squares in float64.
    """
    return 1.01 * (6 * run // 4 * 2.0**-23 + (width // run + 1) * 2.0**-24) + 2.0**-30


def _root_of_least(numbers: np.finfo) -> float:
    """Square root of the least positive number of a type, which float64 cannot always hold the square of."""
    return 2.0**-537 if numbers.bits == 64 else 2.0**-74


def _products_of(index: SearchIndex) -> Products:
    """The points as halves."""
    if index.products is None:
        index.products = Products(index)
    return index.products


def _multiply(file: str, name: str, *args: object) -> None:
    """Launch a kernel that multiplies."""
    blocks, threads = (RESIDENT_BLOCKS * multiprocessors(),), (PRODUCT_THREADS,)
    launch_grid(f"points/{file}", name, blocks, threads, args, shared=stage_bytes(stages()))


def nearest_by_products(index: SearchIndex, length: int, core: cupy.ndarray) -> bool:
    """Lists of the nearest other points of each point, and as core distances those of the last but one.

    Returns whether that was possible: not for long lists, nor if products leave too many pairs.
    """
    if not _may_rank(index, length):
        return False
    index.listed = cupy.empty((length, index.n), index.dtype)
    return _find_nearest(index, length, length - 1, (index.neighbours, index.listed, core))


def kth_by_products(index: SearchIndex, rank: int, core: cupy.ndarray) -> bool:
    """Set `core` to the distance from each point to the one of that rank among the others.

    Returns whether that was possible, as `nearest_by_products` does.
    """
    return _may_rank(index, rank) and _find_nearest(index, 0, rank, (None, None, core))


def _may_rank(index: SearchIndex, rank: int) -> bool:
    """Whether products bound the distances of that rank."""
    return rank <= HIGHEST_RANK and 2 * (rank + 1) * GROUP <= index.n


def _find_nearest(index: SearchIndex, length: int, rank: int, results: tuple[Any, ...]) -> bool:
    """Lists of that length, their distances, and distances of that rank: the results. The lists may be None.

    All points that may be as near as the wanted ones are collected, part by part, and then decided by exact distances.
    """
    products = _products_of(index)
    n, wanted, arguments = index.n, max(length, rank), products.arguments
    halves, bounds = (products.halves, np.int32(products.width)), (products.square, products.rho, products.bounds)
    tiles = _sampled_tiles(n, wanted)
    columns = cupy.empty(tiles * PRODUCT_TILE, np.int32)
    launch("points/halves", "spread_columns", len(columns), n, tiles, columns)
    groups = tiles * PRODUCT_TILE // GROUP
    high = (products.high_start, products.square, products.bounds)
    spread = (columns, np.int32(tiles), products.greatest_rho(columns, tiles))
    low = (products.low_start, n, np.int32(products.tiles), products.tile_rho)
    part = _rows_at_once(n, 4 * groups)
    nearest, reach = cupy.empty((part, groups), np.float32), cupy.empty((part, 2), np.float32)
    counts, candidates = _candidate_arrays(part)
    crowded, start, crowds = cupy.empty(part, np.int32), cupy.empty(part, np.int64), cupy.empty(2, np.uint64)
    outputs = (n, np.int32(length), np.int32(rank), *results, crowded, start)
    for first in range(0, n, part):
        count = min(part, n - first)
        rows = (first, count, _splits(count))
        _multiply("products_knn", f"bound_groups<{arguments}>", *halves, *high, *spread, *rows, nearest)
        ranked = (nearest, groups, np.int32(wanted), first, count, *bounds, reach)
        launch("points/products_knn", "reach_of_rank", 32 * count, *ranked)
        counts.fill(0)
        places = (reach, counts, candidates, None, None)
        _multiply("products_knn", f"collect_near<{arguments}, false>", *halves, *low, products.between, *rows, *places)
        crowds.fill(0)
        points = (index.rows, np.int32(index.d), first)
        args = (*points, count, counts, candidates, *bounds, reach, *outputs, crowds)
        launch("points/products_knn", f"nearest_of_candidates<{index.T}>", 32 * count, *args, block=CANDIDATE_THREADS)
        count, total = OnItsWay(crowds).arrived()
        if total > PART_BYTES // CANDIDATE_BYTES:
            return False
        if count == 0:
            continue
        rows = (first, count, _splits(count))
        many, long_lists = cupy.zeros(count, np.int32), cupy.empty((total, CANDIDATE_BYTES), np.uint8)
        places = (reach, many, long_lists, crowded, start)
        _multiply("products_knn", f"collect_near<{arguments}, true>", *halves, *low, products.between, *rows, *places)
        args = (*points, many, long_lists, *outputs)
        launch("points/products_knn", f"nearest_of_many<{index.T}>", CROWD_THREADS * count, *args, block=CROWD_THREADS)
    return True


def product_bytes(n: int, d: int, k: int) -> int:
    """Device memory that products take besides lists of neighbours, at most."""
    tiles, width = -(-n // PRODUCT_TILE), -(-d // PRODUCT_CHUNK) * PRODUCT_CHUNK
    halves = tiles * PRODUCT_TILE * (2 * width + 8) + 12 * n
    between = 4 * tiles * (tiles + width) if tiles <= MOST_TILES else 0
    groups = _sampled_tiles(n, k) * PRODUCT_TILE // GROUP if k > 1 else 0
    more = 4 * groups
    part = _rows_at_once(n, more) * (CANDIDATE_BYTES * CANDIDATES + more + 32)
    long_lists = min(PART_BYTES, CANDIDATE_BYTES * n * n) if k > 1 else 0
    return halves + between + part + long_lists + 4 * tiles + 16 * n


def _rows_at_once(n: int, more: int = 0) -> int:
    """How many rows have candidates, and that many bytes more, at once: whole tiles, or all."""
    return min(n, max(PART_BYTES // (CANDIDATE_BYTES * CANDIDATES + more) // PRODUCT_TILE, 1) * PRODUCT_TILE)


def _candidate_arrays(rows: int) -> tuple[cupy.ndarray, cupy.ndarray]:
    """How many candidates each row has, and the candidates: `Candidate` of candidates.cuh."""
    return cupy.empty(rows, np.int32), cupy.empty((rows, CANDIDATES, CANDIDATE_BYTES), np.uint8)


def _sampled_tiles(n: int, rank: int) -> int:
    """Tiles of points that bound the distance of that rank.

    A point has about rank * n / (points in these tiles) candidates, a quarter of their places or less. There are at
    least twice as many groups as the rank.
    """
    share = min(max(CANDIDATES // (4 * (rank + 1)), 1), LARGEST_SHARE)
    least = max(2 * (rank + 1) * GROUP // PRODUCT_TILE, LEAST_TILES)
    return min(max(n // (share * PRODUCT_TILE), least), n // PRODUCT_TILE)


def _splits(rows: int) -> np.int32:
    """Into how many pieces the columns of a tile of rows are divided, so that all blocks end at about the same time."""
    row_tiles = -(-rows // PRODUCT_TILE)
    return np.int32(-(-4 * RESIDENT_BLOCKS * multiprocessors() // row_tiles))


def search_by_products(
    index: SearchIndex, forest: Forest, cache: NeighbourCache, worklist: cupy.ndarray | None
) -> None:
    """Search by products, as `nearest_outside` does by comparing all pairs.

    Unless the worklist is None, the largest component has no edge afterwards: all others hook onto another, so there
    are no more rounds. Most points that have to be searched are in that component.
    """
    n, T, products = index.n, index.T, _products_of(index)
    queries, largest = cache.count, None
    if worklist is not None:
        worklist, queries, largest = _without_largest(forest, cache, worklist)
    tile_label = cupy.empty(products.tiles, np.int32)
    launch("points/products_search", "label_tiles", 32 * products.tiles, forest.labels, n, products.tiles, tile_label)
    part = _rows_at_once(n)
    counts, candidates = _candidate_arrays(part)
    crowded, crowds = cupy.empty(n, np.int32), cupy.zeros(1, np.int32)
    bounds = (products.square, products.rho, products.bounds)
    points = (products.halves, np.int32(products.width), products.low_start, *bounds)
    tiles = (n, np.int32(products.tiles), products.tile_rho, products.between, tile_label)
    results = (cache.nearest, cache.bound, cache.second)
    for first in range(0, n, part):
        counts.fill(0)
        rows = (worklist, queries, first, part, counts, candidates)
        name, of_search = f"collect_outgoing<{T}, {products.arguments}>", (forest.labels, index.core, forest.best)
        _multiply("products_search", name, *points, *tiles, *of_search, *rows)
        args = (index.rows, n, np.int32(index.d), forest.labels, index.core, *bounds, *rows, *results, forest.best)
        name, threads = f"lightest_of_candidates<{T}>", 32 * min(part, n - first)
        launch("points/products_search", name, threads, *args, crowded, crowds, block=CANDIDATE_THREADS)
    nearest_outside(index.rows, index.centres, index.metric, forest.labels, crowded, crowds, results, forest.best)
    if largest is not None:
        launch("points/products_search", f"leave_out<{T}>", 1, largest, forest.best, block=1)


def _without_largest(
    forest: Forest, cache: NeighbourCache, worklist: cupy.ndarray
) -> tuple[cupy.ndarray, cupy.ndarray, cupy.ndarray]:
    """The queries outside of the largest component, how many they are, and that component."""
    n, labels = len(forest.labels), forest.labels
    members, largest = cupy.zeros(n, np.int32), cupy.zeros(1, np.uint64)
    launch("points/products_search", "count_members", n, labels, n, members)
    launch("points/products_search", "find_largest", forest.count, forest.components, forest.count, members, largest)
    others, queries = cupy.empty(n, np.int32), cupy.empty(1, np.int32)
    args = (worklist, cache.count, n, labels, largest, others, queries)
    Compaction(n).launch("points/products_search", "list_others", n, *args)
    return others, queries, largest
