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
from emst.backend.records import CROWD, Array, Norm, PointStatistics, Report
from emst.dask import border, certain, partition, rounds
from emst.dask.cells import Cutting, Homes, Segment, box_members, sample_codes
from emst.dask.cluster import Cluster
from emst.dask.outline import joined_outline, outline_of
from emst.dask.rounds import Place
from emst.inputs.scaling import scale_of


@dataclass(eq=False)
class Costs:
    """What a run took and sent.

    Attributes
    ----------
    points, partitions, workers : int
    components : int
        Left when every partition had done its own work.
    rounds : int
    asked_border, asked_rounds : int
        Points that were sent to other partitions after the sort, before the rounds and in all rounds.
    bytes_sent : int
        Their bytes, with their answers.
    seconds : dict of str to float
        Of the stages "statistics", "sort", "border and local trees", "rounds" and "result".
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
    sizes : list of int
        Points of every partition.
    joined : Future of OpenEdges or None
        The edges that rounds have found; None with a single partition.
    outline : Future of Outline or None
        What all partitions publish; None with a single partition.
    homes : Homes
        Where new points belong.
    scale : float
    norm : Norm
    dtype : dtype
        What was computed in.
    n : int
    costs : Costs
    """

    locals: list[Future]
    places: list[Place]
    sizes: list[int]
    joined: Future | None
    outline: Future | None
    homes: Homes
    scale: float
    norm: Norm
    dtype: np.dtype
    n: int
    costs: Costs


def partitioned_tree(
    chunks: Sequence[Future],
    sizes: Sequence[int],
    statistics: PointStatistics,
    dtype: np.dtype,
    k: int,
    norm: Norm,
    partitions: int,
    cluster: Cluster,
    report: Report | None = None,
    core_factor: float = 1.0,
) -> PartitionedTree:
    """All stages, from chunks of finite points on the workers.

    Parameters
    ----------
    chunks : sequence of Future of T[m, d]
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
    """
    costs = Costs(points=int(sum(sizes)), workers=len(cluster.workers))
    now = time.perf_counter()
    scale = scale_of(statistics, dtype, norm.degree, core_factor)
    cutting = _cut(chunks, (statistics.low, statistics.high), costs.points, partitions, scale, cluster)
    now = costs.took("sample", now)
    parts, counts, homes = _partitions(chunks, sizes, cutting, scale, k, norm, cluster)
    costs.partitions = len(parts)
    places = [Place(i, start, 0) for i, start in enumerate(np.cumsum([0, *counts[:-1]]).tolist())]
    now = costs.took("sort", now)
    if len(parts) == 1:
        local = cluster.submit(certain.local_tree, parts[0], None, 0, k, core_factor, [], at=0)
        cluster.gather([cluster.submit(_done, local, at=0)])
        costs.took("border and local trees", now)
        return PartitionedTree([local], places, counts, None, None, homes, scale, norm, dtype, costs.points, costs)
    outline, outlines = published(parts, cluster)
    locals_ = _local_trees(parts, outline, k, norm, core_factor, costs, cluster)
    del parts
    places, state = _first_state(locals_, outlines, places, norm, costs, cluster)
    now = costs.took("border and local trees", now)
    state = _all_rounds(state, locals_, places, outline, outlines, costs, cluster, report)
    joined = cluster.submit(_joined_edges, state)
    cluster.gather([cluster.submit(_done, joined)])
    costs.took("rounds", now)
    return PartitionedTree(locals_, places, counts, joined, outline, homes, scale, norm, dtype, costs.points, costs)


def _cut(
    chunks: Sequence[Future], root: Any, n: int, partitions: int, scale: float, cluster: Cluster
) -> Cutting:
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
    parts = []
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


def published(parts: list[Future], cluster: Cluster) -> tuple[Future, list[Any]]:
    """The outline of all partitions on a worker, and those of the partitions in this process."""
    outlines = cluster.gather([cluster.submit(_outline, part, at=j) for j, part in enumerate(parts)])
    return cluster.submit(_same, joined_outline(outlines)), outlines


def _local_trees(
    parts: list[Future], outline: Future, k: int, norm: Norm, core_factor: float, costs: Costs, cluster: Cluster
) -> list[Future]:
    """Borders, their questions, and what every partition finds alone."""
    borders, answers = asked_borders(parts, outline, k, norm, cluster)
    trees = [
        cluster.submit(certain.local_tree, parts[j], borders[j], j, k, core_factor, answers[j], at=j)
        for j in range(len(parts))
    ]
    sent = cluster.gather([cluster.submit(_sent, given) for given in borders])
    costs.asked_border = sum(points for points, _ in sent)
    costs.bytes_sent += sum(size for _, size in sent) + costs.asked_border * max(k - 1, 1) * 8
    return trees


def asked_borders(
    parts: list[Future], outline: Future, k: int, norm: Norm, cluster: Cluster
) -> tuple[list[Future], list[list[Any]]]:
    """The border of every partition, and the answers that it gets."""
    borders = [cluster.submit(border.border, part, outline, j, k, norm, at=j) for j, part in enumerate(parts)]
    return borders, answered(parts, borders, max(k - 1, 1), cluster)


def answered(parts: list[Future], asking: list[Future], count: int, cluster: Cluster) -> list[list[Any]]:
    """The answers of `border.distances_for` to all that asks in every partition."""
    asked = routed(asking, len(parts), cluster)
    found = [
        cluster.submit(border.distances_for, part, j, count, asked[j], at=j) for j, part in enumerate(parts)
    ]
    return routed(found, len(parts), cluster)


def _first_state(
    locals_: list[Future], outlines: list[Any], places: list[Place], norm: Norm, costs: Costs, cluster: Cluster
) -> tuple[list[Place], Future]:
    counts = cluster.gather([cluster.submit(_component_count, local, at=j) for j, local in enumerate(locals_)])
    bases = np.cumsum([0, *counts]).tolist()
    costs.components = bases[-1]
    places = [Place(place.number, place.start, base) for place, base in zip(places, bases)]
    told = [
        cluster.submit(rounds.summary, local, place, outline, at=place.number)
        for local, place, outline in zip(locals_, places, outlines)
    ]
    return places, cluster.submit(rounds.begin, told, places, norm, at=0)


def _all_rounds(
    state: Future,
    locals_: list[Future],
    places: list[Place],
    outline: Future,
    outlines: list[Any],
    costs: Costs,
    cluster: Cluster,
    report: Report | None,
) -> Future:
    """Rounds until one component is left."""
    left = costs.components
    while left > 1:
        labels = cluster.submit(rounds.labels_of, state, at=0)
        asked = [cluster.submit(rounds.ask, local, place, labels, outline, at=place.number) for local, place in zip(locals_, places)]
        given = routed(asked, len(places), cluster)
        answers = [
            cluster.submit(rounds.answer, local, place, labels, own, packets, at=place.number)
            for local, place, own, packets in zip(locals_, places, outlines, given)
        ]
        state = cluster.submit(rounds.join, state, answers, at=0)
        before = left
        left, sent, size = cluster.gather([cluster.submit(_round_costs, state, answers, at=0)])[0]
        costs.rounds += 1
        costs.asked_rounds += sent
        costs.bytes_sent += size
        if report is not None:
            report(costs.rounds, left)
        if left >= before:
            raise RuntimeError(f"{left:,} components are left after a round that joined none; please report this")
    return state


def routed(given: list[Future], receivers: int, cluster: Cluster) -> list[list[Any]]:
    """What every partition gets of dictionaries by partition, or of the questions that points ask.

    In one process partitions pick their items themselves. Across processes only what is addressed to a partition
    travels to it, and None stands for nothing.
    """
    if cluster.in_process:
        return [given for _ in range(receivers)]
    addresses = cluster.gather([cluster.submit(_addresses, own) for own in given])
    return [
        [cluster.submit(_item_or_none, own, j) if j in addresses[i] else None for i, own in enumerate(given)]
        for j in range(receivers)
    ]


def _item(ops: Backend, items: Any, which: int) -> Any:
    return items[which]


def _by_partition(items: Any) -> dict[int, Any]:
    return items.questions if isinstance(items, border.Asking) else items


def _item_or_none(ops: Backend, items: Any, which: int) -> Any:
    return _by_partition(items).get(which)


def _addresses(ops: Backend, items: Any) -> list[int]:
    return list(_by_partition(items))


def _same(ops: Backend, value: Any) -> Any:
    return value


def _done(ops: Backend, value: Any) -> None:
    return None


def _outline(ops: Backend, part: partition.Partition) -> Any:
    return outline_of(part.bvh)


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


def _sent(ops: Backend, given: border.Border) -> tuple[int, int]:
    return sum(len(asked.radius) for asked in given.questions.values()), sum(
        asked.points.nbytes + asked.radius.nbytes for asked in given.questions.values()
    )


def _round_costs(ops: Backend, state: rounds.Rounds, answers: list[rounds.Answer]) -> tuple[int, int, int]:
    return state.labels.count, sum(given.asked for given in answers), sum(given.bytes for given in answers)


def _joined_edges(ops: Backend, state: rounds.Rounds) -> Any:
    return state.joined


def _component_count(ops: Backend, local: certain.Local) -> int:
    return local.count
