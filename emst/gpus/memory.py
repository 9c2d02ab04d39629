"""Whether to take several GPUs, and the bytes that a tree needs on each of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from emst.backend import backend_of
from emst.backend.memory import LABELLING, POINTS, free_gb, needed_gb
from emst.distances.metrics import Metric
from emst.gpus.devices import without_peers
from emst.gpus.inputs import GivenPoints
from emst.inputs.devices import on_gpu
from emst.progress import Progress

WORTH = 100_000_000  # points; with fewer, what GPUs ask each other takes as long as they save
UNEVEN = 1.05  # the largest partition over the mean: a sample cuts the curve
ORDERING = 56  # bytes a point while a partition orders its points, besides these
# Bytes a point, by the size of a number, that a partition needs besides what one GPU needs for as many: bounds, twice
# with those of components, components, and points near the border; and bounds of powers for core distances.
EXCHANGED, BOUNDED = {4: 16, 8: 28}, {4: 4, 8: 8}
SEARCHING = 60  # bytes a point that only the rounds need: they begin when partitions have asked and answered
FIRST_ROUND = 16  # bytes a point that labels keep of the first round
KEPT = 24  # bytes a point that a partition keeps as integers: its row, its component, the ends and rows of an edge
HEIGHTS = 16  # bytes an edge while the home takes heights, besides the edges and two numbers for each


def worth_several(given: GivenPoints, metric: Metric, dtype: Any, k: int, progress: Progress) -> bool:
    """Whether to take several GPUs: for many points, and where one has too little memory. `dtype` is the caller's.
    `progress` is told why not, and what slows them."""
    home = given.gpus[0]
    if len(given.gpus) == 1:
        return False
    if given.n < WORTH and _fits_on(home, given, metric, dtype, k):
        progress.note(f"GPU {home} alone: below {WORTH:,} points it is faster than several")
        return False
    for a, b in without_peers(given.gpus):
        progress.note(f"GPUs {a} and {b} cannot read each other's memory: their data goes through the host")
    return True


def _searched(given: GivenPoints, metric: Metric, dtype: Any) -> tuple[np.dtype, int]:
    """What the points are searched in, and the number of their columns then."""
    return metric.searched_in(metric.computed_in(given.dtype, dtype)), metric.searched_columns(given.d)


def _fits_on(gpu: int, given: GivenPoints, metric: Metric, dtype: Any, k: int) -> bool:
    ops, (searched, d) = backend_of("cuda"), _searched(given, metric, dtype)
    size = searched.itemsize
    needed = given.n * d * size + max(ops.tree_bytes(given.n, d, searched, k), given.n * LABELLING[size])
    with on_gpu(gpu):
        free = ops.bytes_free()
    return free is None or needed <= free


def require_memory(given: GivenPoints, metric: Metric, dtype: Any, k: int, labels: bool = False) -> None:
    """Raise MemoryError, with the gigabytes needed and free, for the first GPU on which its part of the tree cannot
    fit; of the home also all edges and, with `labels`, what follows from them. `dtype` is the caller's."""
    ops, (searched, d) = backend_of("cuda"), _searched(given, metric, dtype)
    part, size, mrd = int(given.n / len(given.gpus) * UNEVEN), searched.itemsize, k > 1
    assembled = part * (3 * d * size + (d + 1) * size + ORDERING)  # the chunk, its pieces, and their points twice
    in_rounds = EXCHANGED[size] + mrd * BOUNDED[size] + labels * FIRST_ROUND
    besides = max(in_rounds, _asked(given.n, d, size, k, len(given.gpus)) - SEARCHING)
    at_work = max(assembled, ops.tree_bytes(part, d, searched, k) + part * besides)
    edge = 8 + size * (1 + mrd) + 4 * labels  # bytes in the list of all
    gathered = max(3 * edge // 2, edge + 2 * size + HEIGHTS) + mrd * size  # bytes: the last two lists are merged
    row = size * (4 if d <= 3 else d + 1)
    kept = row + row // 4 + KEPT + (2 + 3 * mrd) * size + labels * FIRST_ROUND
    together = part * kept + given.n * gathered
    if labels:
        together = max(together, given.n * LABELLING[size])
    for gpu in dict.fromkeys(given.gpus):
        needed = (max(at_work, together) if gpu == given.gpus[0] else at_work) * given.gpus.count(gpu)
        with on_gpu(gpu):
            free = ops.bytes_free()
        if free is not None and needed > free:
            raise MemoryError(
                f"a minimum spanning tree of {given.n:,} points in {given.d} dimensions over {len(given.gpus)} GPUs "
                f"needs {needed_gb(needed)} more memory on GPU {gpu}; {free_gb(free)} are free; {POINTS}"
            )


def _asked(n: int, d: int, size: int, k: int, gpus: int) -> int:
    """Bytes a point while partitions ask one another about the points near their borders: coordinates and what is found
    for them, both here and in a packet for each partition that is near. A point is near if its core distance reaches
    the border, as in the cube of a lattice that is cut in half along one axis after the other."""
    cuts = math.ceil(math.log2(gpus))
    near = min(2 * ((k + 1) / n) ** (1 / d), 1.0)  # share of the points, for each cut
    asking, packets = 1 - (1 - near) ** cuts, (1 + near) ** cuts - 1
    return int(asking * 2 * (d + 1 + k) * size + packets * ((d + 1 + 2 * k) * size + 8))
