"""All stages from chunks of points to the spanning tree of all of them, over many partitions.

`fitted_tree` begins: statistics of all chunks give the scale and the first cell of the curve. `partitioned_tree` lists
the stages. A sample cuts the curve into partitions, and every point travels to its partition once (`partition.py`).
Partitions publish their outlines (`outline.py`), ask one another once what lies beyond their borders, and find what is
certain without each other (`certain.py`). Rounds over components join the rest (`rounds.py`).

The tree is that of `emst.spanning`, bit for bit: ids of points are places on the same curve, and the total order on
edges is the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import CROWD, Box, PointStatistics
from emst.distances.metrics import Metric
from emst.distances.sphere import Beyond
from emst.inputs.points import check_min_samples
from emst.inputs.scaling import scale_of
from emst.inputs.summary import counted
from emst.inputs.weights import check_weighted_samples
from emst.partitions import certain, components, outline, partition
from emst.partitions.chunks import Chunks, Zeros, check_places, images_of, namer
from emst.partitions.engine import Engine, Future, in_one_place, part
from emst.partitions.partition import Cutting, box_members, joined_box, sample_codes
from emst.partitions.records import Costs, Fitted, Homes, PartitionedTree, Place, Request, Search, Units
from emst.partitions.rounds import all_rounds
from emst.partitions.weights import ChunkWeights
from emst.progress import Progress

BYTES_A_POINT = 200  # of a worker's memory, at most, while it works on points in three dimensions


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
        under "haversine"; a period of another length; `min_samples` or `partitions` out of range.
    """
    computed = request.metric.computed_in(chunks.dtype, request.dtype)
    metric, weights = request.metric.of_columns(chunks.d, computed), chunks.weights
    if weights is None:
        k = check_min_samples(request.min_samples, chunks.n)
    else:
        k = check_weighted_samples(request.min_samples, weights.total, weights.bits)
    progress.points(chunks.n)
    units = Units(metric, request.alpha, computed)
    images = images_of(chunks, metric, units.dtype, engine)
    statistics = _statistics(images, metric, where or namer(chunks, None, engine), engine)
    chunks.futures.clear()  # workers drop what they no longer need; what is lost with one is made again
    count = _partition_count(request.partitions, chunks, k, engine)
    progress.done("statistics", None)
    factor = metric.core_factor(request.alpha, k, units.dtype)
    scale = scale_of(statistics, metric.searched_in(units.dtype), metric.norm.degree, factor)
    bits = None if weights is None else weights.bits
    search = Search(k, scale, metric.norm, factor, bits, request.lists, request.first_round)
    tree = partitioned_tree(images, chunks.sizes, statistics.box, search, count, engine, progress, weights)
    return Fitted(tree, units)


def check_images(chunks: Chunks, request: Request, where: Callable[[int, int], str], engine: Engine) -> None:
    """Raise the errors of `fitted_tree` for rows of weight 0. They are no points of the tree, but get labels later."""
    computed = request.metric.computed_in(chunks.dtype, request.dtype)
    metric = request.metric.of_columns(chunks.d, computed)
    _statistics(images_of(chunks, metric, computed, engine), metric, where, engine)


def partitioned_tree(
    chunks: list[Future],
    sizes: Sequence[int],
    root: Box,
    search: Search,
    partitions: int,
    engine: Engine,
    progress: Progress,
    weights: ChunkWeights | None = None,
) -> PartitionedTree:
    """All stages, from chunks of finite points on the workers.

    Parameters
    ----------
    chunks : list of Future of T[m, d]
        Emptied when the points have been sent to their partitions, so that workers drop them.
    sizes : sequence of int
        Rows of every chunk.
    root : Box
        Around all points.
    partitions : int
        How many to aim at. Crowded places make more.
    progress : Progress
        Gets the stages, and the components that are left after every round.
    weights : ChunkWeights, optional
        Positive weights of the points. Their futures are emptied with `chunks`.
    """
    costs = Costs(points=int(sum(sizes)), workers=len(engine.workers))
    now = time.perf_counter()

    def done(stage: str) -> None:
        nonlocal now
        now = costs.took(stage, now)
        progress.done(stage, None)

    cutting = _cut(chunks, root, costs.points, partitions, search.scale, engine)
    done("sample")
    parts, counts, homes = _partitions(chunks, sizes, weights, cutting, search, engine)
    chunks.clear()
    if weights is not None:
        weights.futures.clear()
    costs.partitions = len(parts)
    places = [Place(i, start) for i, start in enumerate(np.cumsum([0, *counts[:-1]]).tolist())]
    done("sort")
    joined_outline, outlines = outline.published(parts, engine)
    borders, answers = certain.asked_borders(parts, joined_outline, search, engine)
    of_borders = [engine.submit(certain.border_costs, border, j, answers[j], at=j) for j, border in enumerate(borders)]
    asked = [engine.submit(certain.without_questions, border, at=j) for j, border in enumerate(borders)]
    del borders
    bounded = [
        engine.submit(certain.with_answers, parts[j], border, j, search, answers[j], at=j)
        for j, border in enumerate(asked)
    ]
    del parts, asked, answers
    locals_ = [engine.submit(certain.local_tree, place, bounded[j], search, at=j) for j, place in enumerate(places)]
    del bounded
    summaries = [engine.submit(components.summary, local, outlines[j], at=j) for j, local in enumerate(locals_)]
    state = engine.submit(components.begin, summaries, search.norm.scaled(search.scale), at=0)
    for points, size in engine.gather(of_borders):
        costs.asked_border += points
        costs.bytes_sent += size
    done("border")
    state, of_rounds = all_rounds(state, locals_, joined_outline, outlines, engine, progress)
    costs.components, costs.rounds = of_rounds[0].left, len(of_rounds) - 1
    costs.asked_rounds = sum(one.asked for one in of_rounds)
    costs.bytes_sent += sum(one.bytes for one in of_rounds)
    edges = engine.submit(components.all_joined, state, at=0)
    done("local trees and rounds")
    return PartitionedTree(locals_, places, edges, joined_outline, homes, search, costs)


def _statistics(
    images: list[Future], metric: Metric, where: Callable[[int, int], str], engine: Engine
) -> PointStatistics:
    """Statistics of all points. Raises ValueError if some are not finite, have no direction, or are no places."""
    of_chunks = engine.gather([engine.submit(_statistics_of, image) for image in images])
    zeros = [(i, one) for i, one in enumerate(of_chunks) if isinstance(one, Zeros)]
    if zeros:
        bad = counted(sum(one.rows for _, one in zeros), "such row")
        first = where(zeros[0][0], zeros[0][1].first)
        raise ValueError(f"metric='cosine' is not defined for rows of zeros: X has {bad}, first in {first}")
    check_places(of_chunks, metric, where)
    filled = [(i, one) for i, one in enumerate(of_chunks) if one is not None]
    bad = sum(one.bad for _, one in filled)
    if bad:
        i, first = next((i, one) for i, one in filled if one.bad)
        raise ValueError(f"X contains NaN or infinity in {counted(bad, 'row')}, first in {where(i, first.first)}")
    return PointStatistics(joined_box([one.box for _, one in filled]), 0, -1)


def _statistics_of(ops: Backend, image: Any) -> Any:
    if isinstance(image, Zeros | Beyond):
        return image
    if len(image) == 0:
        return None
    statistics = ops.point_statistics(image)
    return statistics._replace(box=statistics.box.on_host())


def _partition_count(wanted: int | None, chunks: Chunks, k: int, engine: Engine) -> int:
    """How many partitions to aim at: one for every thread, more where their memory would not do."""
    if wanted is not None:
        if isinstance(wanted, bool) or not isinstance(wanted, (int, np.integer)) or wanted < 1:
            raise ValueError(f"partitions must be a positive integer or None; got {wanted!r}")
        return int(wanted)
    needed = chunks.n * (BYTES_A_POINT + 4 * chunks.d * chunks.dtype.itemsize)
    if chunks.weights is not None:  # how many rows have the weight k, about
        k = max(1, k * chunks.weights.per * chunks.n // chunks.weights.total)
    share = engine.bytes_a_thread() // 4  # an engine may write results to disk where memory is scarce: Dask from 60 %
    return max(1, min(max(engine.threads, -(-needed // share) if share else 1), chunks.n // max(64, 4 * k)))


def _cut(chunks: Sequence[Future], root: Box, n: int, partitions: int, scale: float, engine: Engine) -> Cutting:
    """Cut the curve by samples of all chunks."""
    cutting = Cutting(root, n, partitions, scale)
    while cutting.open:
        paths, boxes = [one.path for one in cutting.open], [one.cell.box for one in cutting.open]
        cutting.cut(engine.gather([engine.submit(sample_codes, chunk, scale, paths, boxes) for chunk in chunks]))
        if cutting.crowded:
            paths = [one.path for one in cutting.crowded]
            cutting.box(engine.gather([engine.submit(box_members, chunk, scale, paths) for chunk in chunks]))
    return cutting


def _partitions(
    chunks: Sequence[Future],
    sizes: Sequence[int],
    weights: ChunkWeights | None,
    cutting: Cutting,
    search: Search,
    engine: Engine,
) -> tuple[list[Future], list[int], Homes]:
    """The partitions that hold points, how many each, and where new points belong."""
    segments = cutting.segments()
    first_rows = np.cumsum([0, *sizes]).tolist()
    units: list[Any] = [None] * len(chunks) if weights is None else weights.futures
    split = [
        engine.submit(partition.split, chunk, weight, row, cutting.n, cutting.root, segments, search)
        for chunk, weight, row in zip(chunks, units, first_rows)
    ]
    divided = (cutting.n if weights is None else weights.crowd) > CROWD
    counts = np.sum(engine.gather([engine.submit(partition.counts, pieces) for pieces in split]), axis=0).tolist()
    parts: list[Future] = []
    here, filled = in_one_place(engine, len(counts)), [j for j, count in enumerate(counts) if count]
    # First all pieces: behind a partition that is put together, those for others would wait.
    shares = [split if here else [engine.submit(part, pieces, j) for pieces in split] for j in filled]
    for at, (j, pieces) in enumerate(zip(filled, shares)):
        cells = [segment.cell for segment in segments if segment.partition == j]
        parts.append(engine.submit(partition.assemble, pieces, j, cells, search, divided, at=at))
        if search.k > 1:
            parts[-1] = engine.submit(partition.with_core_distances, parts[-1], search, at=at)
    before = np.cumsum([0, *(count > 0 for count in counts)])  # partitions that hold points, up to each
    homes = Homes(cutting.root, np.array([min(before[one.partition], len(parts) - 1) for one in segments], np.int32))
    return parts, [count for count in counts if count], homes
