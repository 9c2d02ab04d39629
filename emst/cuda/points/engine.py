"""The choice of engine: what finds the nearest points. It is made once, when the hierarchy is built. Kernel: engine.cu.

All three give the same answer. In few dimensions walks are the fastest. In many dimensions boxes exclude little, unless
the points lie in clusters or have few intrinsic dimensions: then a look at a few of the points decides.
"""

from __future__ import annotations

from enum import Enum

import cupy
import numpy as np

from emst.backend.records import EUCLIDEAN, Norm
from emst.cuda.runtime.launch import launch


class Engine(Enum):
    """What finds the nearest points."""

    WALKS = "packet walks through the hierarchy"
    PRODUCTS = "all pairs: products of halves on tensor cores leave a few, whose distances are computed"
    PAIRS = "all pairs, one by one"


# Dimensions from which all pairs are compared. Where that becomes faster than the hierarchy depends on the data: for
# 50,000 points on an H200 between 10 and 16 dimensions if they are uniform, at 32 if they are blobs. Most data has
# structure, so the limit follows the blobs (`python benchmarks crossing`, benchmarks/results).
BRUTE_FROM = 33
LOOK_FROM = 12  # dimensions: with fewer, walks are faster even for uniform points
LEAST_LOOKED, MOST_LOOKED = 4096, 1 << 22  # points; products of more would take minutes, and much memory
LOOKED_AT, LEAVES = 256, 8192  # points, and leaves at most, that are looked at
# Leaves within a point's radius, as a share, times dimensions: the time of a walk against that of products, whose rows
# have a fixed width here. From this value on products are faster (`python benchmarks crossing`, benchmarks/results).
WORTH = 1.0
LEAST_MULTIPLIED = 1024  # points
MOST_AXES = 1 << 16  # of products: the squared length of halves stays below 2^46


def all_pairs_engine(n: int, d: int, norm: Norm) -> Engine:
    """The engine for these points where all pairs are compared."""
    multiplied = norm == EUCLIDEAN and n >= LEAST_MULTIPLIED and d <= MOST_AXES
    return Engine.PRODUCTS if multiplied else Engine.PAIRS


def engine_before_looking(n: int, d: int, norm: Norm) -> Engine:
    """The engine for these points, unless a look at them says otherwise."""
    return Engine.WALKS if d < BRUTE_FROM else all_pairs_engine(n, d, norm)


def may_compare_all_pairs(n: int, d: int) -> bool:
    """Whether all pairs of so many points may be compared."""
    return d >= BRUTE_FROM or _may_look(n, d)


def engine_after_looking(
    rows: cupy.ndarray, leaf_nodes: cupy.ndarray, leaves: int, n: int, d: int, norm: Norm, layout: str
) -> Engine:
    """The engine for points that `may_be_looked_at`: products, if a walk would visit so many leaves that comparing all
    pairs is faster.

    The radius of a sampled point is the distance to the fourth nearest of its neighbours on the curve.
    """
    near, looked = cupy.zeros(1, np.uint64), min(leaves, LEAVES)
    args = (rows, leaf_nodes, n, leaves, LOOKED_AT, looked, near)
    launch("points/engine", f"count_near_leaves<{layout}>", 32 * LOOKED_AT, *args)
    return all_pairs_engine(n, d, norm) if int(near[0]) * d >= WORTH * LOOKED_AT * looked else Engine.WALKS


def may_be_looked_at(n: int, d: int, norm: Norm) -> bool:
    """Whether the engine follows from a look at points for which walks are likely."""
    return norm == EUCLIDEAN and _may_look(n, d)


def _may_look(n: int, d: int) -> bool:
    return d >= LOOK_FROM and LEAST_LOOKED <= n <= MOST_LOOKED
