"""All pairs of points for cluster validity, on the GPU. Kernels: validity.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.runtime.constants import TREE_THREADS
from emst.cuda.runtime.launch import launch, launch_resident, most_resident

LARGE = 8192  # points from which a cluster has a team of several blocks: below, their barrier costs more than it saves
POINTS_A_BLOCK = 2048  # of a team


def core_distance_sums(
    columns: cupy.ndarray, cluster: cupy.ndarray, starts: cupy.ndarray, dimension: int
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`."""
    n = len(cluster)
    nearest, total = cupy.empty(n, np.float64), cupy.empty(n, np.float64)
    launch("distances/validity", "core_distance_sums", n, *_shape(columns), cluster, starts, dimension, nearest, total)
    return nearest, total


def cluster_trees(columns: cupy.ndarray, starts: cupy.ndarray, core: cupy.ndarray) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`.

    A tree grows by one point a step, and a step compares the new point with all others of its cluster: O(s^2) for s
    points. Small clusters have a block each; larger ones a team of blocks, so that a step takes little more than the
    team's barrier (about two microseconds) until the points of all teams fill the GPU.
    """
    n = len(core)
    parent, weight, inside = cupy.empty(n, np.int32), cupy.full(n, np.inf), cupy.zeros(n, np.bool_)
    inputs, results = (*_shape(columns), starts, core), (inside, parent, weight)
    sizes = np.diff(starts.get())
    alone = np.flatnonzero(sizes < LARGE)
    blocks = len(alone)
    if blocks:
        teams = cupy.asarray(_teams(alone, np.ones(blocks, np.int64)))
        args = (*inputs, teams, None, None, *results)
        launch("distances/validity", "cluster_trees", blocks * TREE_THREADS, *args, block=TREE_THREADS)
    large = np.flatnonzero(sizes >= LARGE)
    most = most_resident("distances/validity", "cluster_trees", TREE_THREADS) if len(large) else 1
    for first in range(0, len(large), most):
        clusters = large[first : first + most]
        teams = cupy.asarray(_teams(clusters, team_sizes(sizes[clusters], most)))
        blocks = len(teams)
        arrived, lists = cupy.zeros(blocks, np.uint32), cupy.empty((2 * blocks, 2), np.uint64)
        args = (*inputs, teams, arrived, lists, *results)
        launch_resident("distances/validity", "cluster_trees", blocks, *args, block=TREE_THREADS)
    return parent, weight


def team_sizes(points: np.ndarray, most: int) -> np.ndarray:
    """Blocks of each cluster's team, `most` in all: one, and more in proportion to its points, if there are more."""
    wanted = -(-points // POINTS_A_BLOCK) - 1
    spare = most - len(points)
    return 1 + (wanted if wanted.sum() <= spare else wanted * spare // wanted.sum())


def _teams(clusters: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """What each block reads, int32[blocks, 4]: its cluster, its rank in the team, the team's size and first block."""
    firsts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    ranks = np.arange(sizes.sum()) - firsts
    return np.stack([np.repeat(clusters, sizes), ranks, np.repeat(sizes, sizes), firsts], axis=1).astype(np.int32)


def separations(columns: cupy.ndarray, cluster: cupy.ndarray, starts: cupy.ndarray, core: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    least = cupy.empty(len(core), np.float64)
    launch("distances/validity", "separations", len(core), *_shape(columns), cluster, starts, core, least)
    return least


def _shape(columns: cupy.ndarray) -> tuple[cupy.ndarray, int, np.int32]:
    return columns, columns.shape[1], np.int32(columns.shape[0])
