"""Whether products of all pairs are faster than walks, by a look at a few of the points. Kernel: choice.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.tensor_cores import stages

LOOK_FROM = 12  # dimensions: with fewer, walks are faster even for uniform points
LEAST_POINTS, MOST_POINTS = 4096, 1 << 22  # of more points products would take minutes, and much memory
LOOKED_AT, LEAVES = 256, 8192  # points, and leaves at most, that are looked at
# Leaves within a point's radius, as a share, times dimensions: the time of a walk against that of products, whose rows
# have a fixed width here. From this value on products are faster (`python benchmarks crossing`, benchmarks/results).
WORTH = 1.0


def products_are_faster(rows: cupy.ndarray, leaf_nodes: cupy.ndarray, leaves: int, n: int, d: int, layout: str) -> bool:
    """Whether a walk would visit so many leaves that comparing all points by products is faster; Euclidean norm.

    In many dimensions boxes exclude little, unless the points lie in clusters or have few intrinsic dimensions. The
    radius of a sampled point is the distance to the fourth nearest of its neighbours on the curve.
    """
    if not may_look(n, d) or stages() == 0:
        return False
    near, looked = cupy.zeros(1, np.uint64), min(leaves, LEAVES)
    args = (rows, leaf_nodes, n, leaves, LOOKED_AT, looked, near)
    launch("points/choice", f"count_near_leaves<{layout}>", 32 * LOOKED_AT, *args)
    return int(near[0]) * d >= WORTH * LOOKED_AT * looked


def may_look(n: int, d: int) -> bool:
    """Whether products are considered for so many points and dimensions."""
    return d >= LOOK_FROM and LEAST_POINTS <= n <= MOST_POINTS
