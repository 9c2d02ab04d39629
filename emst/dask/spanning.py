"""All stages from chunks of finite points to the spanning tree of all of them, over many workers.

`partitioned_tree` lists the stages. Statistics of all chunks give the scale and the first cell of the curve. A sample
cuts the curve into partitions (`cells.py`), and every point travels to its partition once (`partition.py`). Partitions
publish their outlines (`outline.py`), ask one another once what lies beyond their borders (`border.py`), and find what
is certain without each other (`certain.py`). Rounds over components join the rest (`rounds.py`).

The tree is that of `emst.spanning`, bit for bit: ids of points are places on the same curve, and the total order on
edges is the same.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from distributed import Future

from emst.backend.operations import Backend
from emst.backend.records import CROWD, Norm, PointStatistics, Report
from emst.dask import border, certain, components, partition
from emst.dask.cells import Cutting, Homes, box_members, sample_codes
from emst.dask.cluster import Cluster
from emst.dask.components import Place
from emst.dask.outline import BOXES, FEW_BOXES, joined_outline, on_backend, outline_of
from emst.dask.rounds import all_rounds
from emst.dask.routing import routed
from emst.inputs.scaling import scale_of
from emst.progress import seconds_printer


@dataclass(eq=False)
class Costs:
    """What a run took and sent.

    Attributes
    ----------
    points, partitions, workers : int
        How many there were.
    components : int
        Left when every partition had done its own work.
    rounds : int
        Over these components.
    asked_border, asked_rounds : int
        Points that were sent to other partitions after the sort, before the rounds and in all rounds.
    bytes_sent : int
        Their bytes, with their answers.
    seconds : dict of str to float
        Of the stages "sample", "sort", "border", and "local trees and rounds".
    """

    points: int = 0
    partitions: int = 0
    workers: int = 0
    components: int = 0
    rounds: int = 0
    asked_border: int = 0
    asked_rounds: int = 0
    bytes_sent: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    def took(self, stage: str, since: float) -> float:
        """Add the seconds since a moment to a stage; returns this moment."""
        now = time.perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - since
        return now


@dataclass(eq=False)
class PartitionedTree:
    """The tree where it was made. Futures keep it on the workers.

    Attributes
    ----------
    locals : list of Future of Local
        The partitions with their certain edges.
    places : list of Place
    joined : Future of OpenEdges
        The edges that rounds have found.
    outline : list of Future of Outline
        What all partitions publish, on the device of each.
    homes : Homes
        Where new points belong.
    scale : float
    norm : Norm
    costs : Costs
    """

    locals: list[Future]
    places: list[Place]
    joined: Future
    outline: list[Future]
    homes: Homes
    scale: float
    norm: Norm
    costs: Costs


def partitioned_tree(
    chunks: list[Future],
    sizes: Sequence[int],
    statistics: PointStatistics,
    dtype: np.dtype,
    k: int,
    norm: Norm,
    partitions: int,
    cluster: Cluster,
    report: Report | None = None,
    core_factor: float = 1.0,
    verbose: bool = False,
) -> PartitionedTree:
    """All stages, from chunks of finite points on the workers.

    Parameters
    ----------
    chunks : list of Future of T[m, d]
        Emptied when the points have been sent to their partitions, so that workers drop them.
    sizes : sequence of int
        Rows of every chunk.
    statistics : PointStatistics
        Of all points.
    k : int
        As for `emst.spanning.spanning_tree`, and so `norm` and `core_factor`.
    partitions : int
        How many to aim at. Crowded places make more.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round.
    verbose : bool
        Write one line for each stage to standard error.
    """
    done = seconds_printer(verbose)
    costs = Costs(points=int(sum(sizes)), workers=len(cluster.workers))
    now = time.perf_counter()
    scale = scale_of(statistics, dtype, norm.degree, core_factor)
    cutting = _cut(chunks, (statistics.low, statistics.high), costs.points, partitions, scale, cluster)
    now = costs.took("sample", now)
    done("sample", None)
    parts, counts, homes = _partitions(chunks, sizes, cutting, scale, k, norm, cluster)
    chunks.clear()
    costs.partitions = len(parts)
    places = [Place(i, start) for i, start in enumerate(np.cumsum([0, *counts[:-1]]).tolist())]
    now = costs.took("sort", now)
    done("sort", None)
    outline, outlines = published(parts, cluster)
    locals_, sent = _local_trees(parts, outline, k, norm, core_factor, cluster)
    del parts
    summaries = [
        cluster.submit(components.summary, local, place, own, at=place.number)
        for local, place, own in zip(locals_, places, outlines)
    ]
    state = cluster.submit(components.begin, summaries, norm, at=0)
    for points, size in cluster.gather(sent):
        costs.asked_border += points
        costs.bytes_sent += size
    now = costs.took("border", now)
    done("border", None)
    state, of_rounds = all_rounds(state, locals_, places, outline, outlines, cluster, report)
    costs.components, costs.rounds = of_rounds[0].left, len(of_rounds) - 1
    costs.asked_rounds = sum(own.asked for own in of_rounds)
    costs.bytes_sent += sum(own.bytes for own in of_rounds)
    edges = cluster.submit(_joined_edges, state, at=0)
    costs.took("local trees and rounds", now)
    done("local trees and rounds", None)
    return PartitionedTree(locals_, places, edges, outline, homes, scale, norm, costs)


def _cut(chunks: Sequence[Future], root: Any, n: int, partitions: int, scale: float, cluster: Cluster) -> Cutting:
    """Cut the curve by samples of all chunks."""
    cutting = Cutting(root, n, partitions, scale)
    while cutting.open:
        paths, boxes = [path for _, _, path in cutting.open], [cell.box for cell, _, _ in cutting.open]
        cutting.cut(cluster.gather([cluster.submit(sample_codes, chunk, scale, paths, boxes) for chunk in chunks]))
        if cutting.unboxed:
            paths = [path for _, _, _, path in cutting.unboxed]
            cutting.box(cluster.gather([cluster.submit(box_members, chunk, scale, paths) for chunk in chunks]))
    return cutting


def _partitions(
    chunks: Sequence[Future], sizes: Sequence[int], cutting: Cutting, scale: float, k: int, norm: Norm, cluster: Cluster
) -> tuple[list[Future], list[int], Homes]:
    """The partitions that hold points, how many each, and where new points belong."""
    segments = cutting.segments()
    first_rows = np.cumsum([0, *sizes]).tolist()
    split = [
        cluster.submit(partition.split, chunk, row, scale, cutting.root, segments, k)
        for chunk, row in zip(chunks, first_rows)
    ]
    divided = cutting.n > CROWD
    counts = np.sum(cluster.gather([cluster.submit(_counts_of, pieces) for pieces in split]), axis=0).tolist()
    parts: list[Future] = []
    for j, count in enumerate(counts):
        if count == 0:
            continue
        at = len(parts)
        pieces = split if cluster.in_process else [cluster.submit(_item, pieces, j) for pieces in split]
        cells = [segment.cell for segment in segments if segment.partition == j]
        parts.append(cluster.submit(partition.assemble, pieces, j, cells, scale, norm, k, divided, at=at))
        if k > 1:
            parts[-1] = cluster.submit(with_core_distances, parts[-1], k, at=at)
    before = np.cumsum([0, *(count > 0 for count in counts)])  # partitions that hold points, up to each
    homes = Homes(cutting.root, np.array([min(before[one.partition], len(parts) - 1) for one in segments], np.int32))
    return parts, [count for count in counts if count], homes


def published(parts: list[Future], cluster: Cluster) -> tuple[list[Future], list[Future]]:
    """The outline of all partitions, on every partition's device; and the outlines of the partitions."""
    boxes = BOXES if cluster.frugal else FEW_BOXES
    outlines = [cluster.submit(_outline, part, boxes, at=j) for j, part in enumerate(parts)]
    joined = cluster.submit(_joined_outline, outlines)
    return [cluster.submit(_on_backend, joined, at=j) for j in range(len(parts))], outlines


def _local_trees(
    parts: list[Future], outline: list[Future], k: int, norm: Norm, core_factor: float, cluster: Cluster
) -> tuple[list[Future], list[Future]]:
    """Borders, their questions, and what every partition finds alone; and how much was sent."""
    borders, answers = asked_borders(parts, outline, k, norm, cluster)
    trees = [
        cluster.submit(certain.local_tree, parts[j], borders[j], j, k, core_factor, answers[j], at=j)
        for j in range(len(parts))
    ]
    return trees, [cluster.submit(_sent, given, max(k - 1, 1), at=j) for j, given in enumerate(borders)]


def asked_borders(
    parts: list[Future], outline: list[Future], k: int, norm: Norm, cluster: Cluster
) -> tuple[list[Future], list[list[Any]]]:
    """The border of every partition, and the answers that it gets."""
    borders = [cluster.submit(border.border, part, outline[j], j, k, norm, at=j) for j, part in enumerate(parts)]
    return borders, answered(parts, borders, max(k - 1, 1), cluster)


def answered(parts: list[Future], asking: list[Future], count: int, cluster: Cluster) -> list[list[Any]]:
    """The answers of `border.distances_for` to all that asks in every partition."""
    asked = routed(asking, len(parts), cluster)
    found = [cluster.submit(border.distances_for, part, j, count, asked[j], at=j) for j, part in enumerate(parts)]
    return routed(found, len(parts), cluster)


def _item(ops: Backend, items: Any, which: int) -> Any:
    return items[which]


def _on_backend(ops: Backend, outline: Any) -> Any:
    return on_backend(outline, ops)


def _joined_outline(ops: Backend, outlines: list[Any]) -> Any:
    return joined_outline(outlines)


def _outline(ops: Backend, part: partition.Partition, boxes: int) -> Any:
    return outline_of(part.bvh, boxes, ops)


def _counts_of(ops: Backend, pieces: list[partition.Piece]) -> list[int]:
    return [len(piece.rows) + len(piece.left_out) for piece in pieces]


def with_core_distances(ops: Backend, part: partition.Partition, k: int) -> partition.Partition:
    """The partition with the core distances of its points among themselves; infinite where it has too few."""
    part = part.with_bvh()
    if len(part.rows) >= k:
        ops.core_distances(part.bvh, k)
    else:
        ops.set_cores(part.bvh, ops.xp.full(part.bvh.n, np.inf, part.bvh.dtype))
    return part


def _sent(ops: Backend, given: border.Border, count: int) -> tuple[int, int]:
    """Points that ask, and bytes of their questions and of the answers."""
    asked = [(len(own.radius), own.points.nbytes + own.radius.nbytes * (1 + count)) for own in given.packets.values()]
    return sum(points for points, _ in asked), sum(size for _, size in asked)


def _joined_edges(ops: Backend, state: components.Rounds) -> Any:
    return state.joined
