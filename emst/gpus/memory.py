"""Bytes that a tree takes on each of several GPUs, checked before anything is allocated."""

from __future__ import annotations

from emst.backend import backend_of
from emst.distances.metrics import Metric
from emst.gpus.inputs import GivenPoints
from emst.inputs.devices import on_gpu

UNEVEN = 1.05  # the largest partition over the mean: a sample cuts the curve
EXCHANGED = 16  # bytes a point, besides what one GPU takes: rows and components, bounds at the border
GATHERED = 56  # bytes an edge while the home puts all lists together, beside the float that is its weight
LABELLED = 130  # bytes a point that the stages after the tree take


def require_memory(given: GivenPoints, metric: Metric, k: int, labels: bool = False) -> None:
    """Raise MemoryError, with the bytes needed and free, for the first GPU on which its part of the tree cannot fit; of
    the home also all edges and, with `labels`, what follows from them."""
    ops = backend_of("cuda")
    dtype, d = metric.searched_in(given.dtype), metric.searched_columns(given.d)
    part = int(given.n / len(given.gpus) * UNEVEN)
    points = part * d * dtype.itemsize
    at_work = points + ops.tree_bytes(part, d, dtype, k) + EXCHANGED * part
    kept = points + part * (EXCHANGED + 8 * dtype.itemsize)
    together = max(kept + given.n * (GATHERED + 2 * dtype.itemsize), given.n * LABELLED if labels else 0)
    for gpu in dict.fromkeys(given.gpus):
        needed = (max(at_work, together) if gpu == given.gpus[0] else at_work) * given.gpus.count(gpu)
        with on_gpu(gpu):
            free = ops.bytes_free()
        if free is not None and needed > free:
            raise MemoryError(
                f"a minimum spanning tree of {given.n:,} points in {given.d} dimensions over {len(given.gpus)} GPUs "
                f"needs {needed:,} more bytes of memory on GPU {gpu}; {free:,} are free"
            )
