"""From chunks to the tree of all points: what trees and clusterings begin with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, PointStatistics
from emst.distances.metrics import Metric, directions, zero_rows
from emst.distances.sphere import Beyond
from emst.inputs.points import check_min_samples
from emst.inputs.scaling import scale_of
from emst.inputs.summary import counted
from emst.partitions.chunks import Chunks, namer, scatter_rows
from emst.partitions.engine import Engine, Future
from emst.partitions.packets import part
from emst.partitions.partition import Search
from emst.partitions.result import Units, core_distances
from emst.partitions.spanning import PartitionedTree, partitioned_tree
from emst.progress import Progress

BYTES_A_POINT = 200  # of a worker's memory, at most, while it works on points in three dimensions


class Zeros(NamedTuple):
    """Rows of zeros in a chunk."""

    rows: int
    first: int


@dataclass(frozen=True)
class Request:
    """What a caller asks of a tree."""

    metric: Metric
    min_samples: Any
    partitions: int | None = None  # how many to aim at
    dtype: Any = None
    alpha: float = 1.0  # as for `emst.spanning.metric_tree`


@dataclass(eq=False)
class Fitted:
    """A tree where it was made."""

    tree: PartitionedTree
    cores: list[Future] | None  # T[m] of every chunk; None if min_samples is 1
    units: Units


def fitted_tree(
    chunks: Chunks,
    request: Request,
    engine: Engine,
    progress: Progress,
    where: Callable[[int, int], str] | None = None,
) -> Fitted:
    """The tree of points in chunks, whose futures it takes.

    Errors call row r of chunk i ``where(i, r)``, by default as `chunks` does.

    Raises
    ------
    ValueError
        Rows that are not finite, naming the first and how many; rows of zeros under "cosine"; angles out of range
        under "haversine"; `min_samples` or `partitions` out of range.
    """
    metric = request.metric
    k = check_min_samples(request.min_samples, chunks.n)
    progress.points(chunks.n)
    units = Units(metric, request.alpha, metric.computed_in(chunks.dtype, request.dtype))
    images = images_of(chunks, metric, units.dtype, engine)
    statistics = _statistics(images, metric, where or namer(chunks, None, engine), engine)
    chunks.futures.clear()  # workers drop what they no longer need; what is lost with one is made again
    count = _partitions(request.partitions, chunks, k, engine)
    progress.done("statistics", None)
    factor = metric.core_factor(request.alpha, k, units.dtype)
    scale = scale_of(statistics, metric.searched_in(units.dtype), metric.norm.degree, factor)
    search = Search(k, scale, metric.norm, factor)
    root = (statistics.low, statistics.high)
    tree = partitioned_tree(images, chunks.sizes, root, search, count, engine, progress)
    cores = None
    if k > 1:
        made = [engine.submit(core_distances, local, units, at=j) for j, local in enumerate(tree.locals)]
        values, rows = ([engine.submit(part, pair, i, at=j) for j, pair in enumerate(made)] for i in (0, 1))
        cores = scatter_rows(engine, values, rows, chunks)
    return Fitted(tree, cores, units)


def images_of(chunks: Chunks, metric: Metric, computed: np.dtype, engine: Engine) -> list[Future]:
    """The chunks in the metric's image, in the dtype that is searched in; or `Zeros` or `Beyond`, which it cannot
    take."""
    searched = metric.searched_in(computed)
    return [engine.submit(_image, chunk, metric, computed, searched) for chunk in chunks.futures]


def _image(ops: Backend, points: Array, metric: Metric, computed: np.dtype, searched: np.dtype) -> Any:
    """The points in the metric's image, or the rows of zeros that a metric of directions cannot take, or those that are
    no places.

    Points that are not finite are left as they are: statistics find them."""
    points = ops.asarray(points, computed)
    if metric.image is None:
        return ops.asarray(points, searched)
    if metric.image is directions and len(points):
        zero = zero_rows(points)
        if bool(zero.any()):
            return Zeros(int(zero.sum()), int(zero.argmax()))
    beyond = None if metric.sphere is None else metric.sphere.beyond(points)
    if beyond is not None:
        return beyond
    with np.errstate(invalid="ignore"):
        return ops.asarray(metric.image(points), searched)


def _statistics(
    images: list[Future], metric: Metric, where: Callable[[int, int], str], engine: Engine
) -> PointStatistics:
    """Statistics of all points. Raises ValueError if some are not finite, have no direction, or are no places."""
    found = engine.gather([engine.submit(_statistics_of, image) for image in images])
    zeros = [(i, own) for i, own in enumerate(found) if isinstance(own, Zeros)]
    if zeros:
        bad = counted(sum(own.rows for _, own in zeros), "such row")
        first = where(zeros[0][0], zeros[0][1].first)
        raise ValueError(f"metric='cosine' is not defined for rows of zeros: X has {bad}, first in {first}")
    check_places(found, metric, where)
    some = [(i, own) for i, own in enumerate(found) if own is not None]
    bad = sum(own.bad for _, own in some)
    if bad:
        i, own = next((i, own) for i, own in some if own.bad)
        raise ValueError(f"X contains NaN or infinity in {counted(bad, 'row')}, first in {where(i, own.first)}")
    low, high = (np.stack([getattr(own, corner) for _, own in some]) for corner in ("low", "high"))
    return PointStatistics(low.min(0), high.max(0), 0, -1)


def check_places(found: list[Any], metric: Metric, where: Callable[[int, int], str]) -> None:
    """Raise ValueError if some chunks are `Beyond`: the first row of chunk i is called ``where(i, row)``."""
    wrong = [(i, own) for i, own in enumerate(found) if isinstance(own, Beyond)]
    if not wrong:
        return
    assert metric.sphere is not None
    (i, first), greatest = wrong[0], np.max([own.greatest for _, own in wrong], axis=0)
    rows = sum(own.rows for _, own in wrong)
    merged = first._replace(rows=rows, greatest=(float(greatest[0]), float(greatest[1])))
    raise ValueError(metric.sphere.complaint(merged, where(i, first.first)))


def _statistics_of(ops: Backend, image: Any) -> Any:
    if isinstance(image, Zeros | Beyond):
        return image
    return ops.point_statistics(image) if len(image) else None


def _partitions(wanted: int | None, chunks: Chunks, k: int, engine: Engine) -> int:
    """How many partitions to aim at: one for every thread, more where their memory would not do."""
    if wanted is not None:
        if isinstance(wanted, bool) or not isinstance(wanted, (int, np.integer)) or wanted < 1:
            raise ValueError(f"partitions must be a positive integer or None; got {wanted!r}")
        return int(wanted)
    needed = chunks.n * (BYTES_A_POINT + 4 * chunks.d * chunks.dtype.itemsize)
    share = engine.bytes_a_thread() // 4  # an engine may write results to disk where memory is scarce: Dask from 60 %
    return max(1, min(max(engine.threads, -(-needed // share) if share else 1), chunks.n // max(64, 4 * k)))
