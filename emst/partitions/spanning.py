"""All stages from chunks of finite points to the spanning tree of all of them, over many partitions.

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

from emst.backend.records import CROWD
from emst.partitions import border, certain, components, outline, partition
from emst.partitions.cells import Box, Cutting, Homes, box_members, sample_codes
from emst.partitions.components import Place
from emst.partitions.engine import Engine, Future
from emst.partitions.packets import part, routed
from emst.partitions.partition import Search
from emst.partitions.rounds import all_rounds
from emst.progress import Progress


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
    search : Search
    costs : Costs
    """

    locals: list[Future]
    places: list[Place]
    joined: Future
    outline: list[Future]
    homes: Homes
    search: Search
    costs: Costs


def partitioned_tree(
    chunks: list[Future],
    sizes: Sequence[int],
    root: Box,
    search: Search,
    partitions: int,
    engine: Engine,
    progress: Progress,
) -> PartitionedTree:
    """All stages, from chunks of finite points on the workers.

    Parameters
    ----------
    chunks : list of Future of T[m, d]
        Emptied when the points have been sent to their partitions, so that workers drop them.
    sizes : sequence of int
        Rows of every chunk.
    root : float64[d], float64[d]
        Corners of the box around all points.
    partitions : int
        How many to aim at. Crowded places make more.
    progress : Progress
        Is told the stages, and the components that are left after every round.
    """
    costs = Costs(points=int(sum(sizes)), workers=len(engine.workers))
    now = time.perf_counter()

    def done(stage: str) -> None:
        nonlocal now
        now = costs.took(stage, now)
        progress.done(stage, None)

    cutting = _cut(chunks, root, costs.points, partitions, search.scale, engine)
    done("sample")
    parts, counts, homes = _partitions(chunks, sizes, cutting, search, engine)
    chunks.clear()
    costs.partitions = len(parts)
    places = [Place(i, start) for i, start in enumerate(np.cumsum([0, *counts[:-1]]).tolist())]
    done("sort")
    joined_outline, outlines = published(parts, engine)
    borders, answers = asked_borders(parts, joined_outline, search.k, engine)
    locals_ = [
        engine.submit(certain.local_tree, parts[j], borders[j], j, search, answers[j], at=j) for j in range(len(parts))
    ]
    sent = [engine.submit(border.sent, own, max(search.k - 1, 1), at=j) for j, own in enumerate(borders)]
    del parts, borders, answers
    summaries = [
        engine.submit(components.summary, local, place, own, at=place.number)
        for local, place, own in zip(locals_, places, outlines)
    ]
    state = engine.submit(components.begin, summaries, search.norm, at=0)
    for points, size in engine.gather(sent):
        costs.asked_border += points
        costs.bytes_sent += size
    done("border")
    state, of_rounds = all_rounds(state, locals_, places, joined_outline, outlines, engine, progress)
    costs.components, costs.rounds = of_rounds[0].left, len(of_rounds) - 1
    costs.asked_rounds = sum(own.asked for own in of_rounds)
    costs.bytes_sent += sum(own.bytes for own in of_rounds)
    edges = engine.submit(part, state, "joined", at=0)
    done("local trees and rounds")
    return PartitionedTree(locals_, places, edges, joined_outline, homes, search, costs)


def _cut(chunks: Sequence[Future], root: Box, n: int, partitions: int, scale: float, engine: Engine) -> Cutting:
    """Cut the curve by samples of all chunks."""
    cutting = Cutting(root, n, partitions, scale)
    while cutting.open:
        paths, boxes = [path for _, _, path in cutting.open], [cell.box for cell, _, _ in cutting.open]
        cutting.cut(engine.gather([engine.submit(sample_codes, chunk, scale, paths, boxes) for chunk in chunks]))
        if cutting.unboxed:
            paths = [path for _, _, _, path in cutting.unboxed]
            cutting.box(engine.gather([engine.submit(box_members, chunk, scale, paths) for chunk in chunks]))
    return cutting


def _partitions(
    chunks: Sequence[Future], sizes: Sequence[int], cutting: Cutting, search: Search, engine: Engine
) -> tuple[list[Future], list[int], Homes]:
    """The partitions that hold points, how many each, and where new points belong."""
    segments = cutting.segments()
    first_rows = np.cumsum([0, *sizes]).tolist()
    split = [
        engine.submit(partition.split, chunk, row, cutting.root, segments, search)
        for chunk, row in zip(chunks, first_rows)
    ]
    divided = cutting.n > CROWD
    counts = np.sum(engine.gather([engine.submit(partition.counts, pieces) for pieces in split]), axis=0).tolist()
    parts: list[Future] = []
    for j, count in enumerate(counts):
        if count == 0:
            continue
        at = len(parts)
        pieces = split if engine.in_process else [engine.submit(part, pieces, j) for pieces in split]
        cells = [segment.cell for segment in segments if segment.partition == j]
        parts.append(engine.submit(partition.assemble, pieces, j, cells, search, divided, at=at))
        if search.k > 1:
            parts[-1] = engine.submit(partition.with_core_distances, parts[-1], search.k, at=at)
    before = np.cumsum([0, *(count > 0 for count in counts)])  # partitions that hold points, up to each
    homes = Homes(cutting.root, np.array([min(before[one.partition], len(parts) - 1) for one in segments], np.int32))
    return parts, [count for count in counts if count], homes


def published(parts: list[Future], engine: Engine) -> tuple[list[Future], list[Future]]:
    """The outline of all partitions, on every partition's device; and the outlines of the partitions."""
    boxes = outline.BOXES if engine.frugal else outline.FEW_BOXES
    outlines = [engine.submit(outline.outline_of, own, boxes, at=j) for j, own in enumerate(parts)]
    joined = engine.submit(outline.joined_outline, outlines)
    return [engine.submit(outline.on_backend, joined, at=j) for j in range(len(parts))], outlines


def asked_borders(
    parts: list[Future], joined_outline: list[Future], k: int, engine: Engine
) -> tuple[list[Future], list[list[Any]]]:
    """The border of every partition, and the answers that it gets."""
    borders = [engine.submit(border.border, own, joined_outline[j], j, k, at=j) for j, own in enumerate(parts)]
    return borders, answered(parts, borders, max(k - 1, 1), engine)


def answered(parts: list[Future], asking: list[Future], count: int, engine: Engine) -> list[list[Any]]:
    """The answers of `border.distances_for` to all that asks in every partition."""
    asked = routed(asking, len(parts), engine)
    found = [engine.submit(border.distances_for, own, j, count, asked[j], at=j) for j, own in enumerate(parts)]
    return routed(found, len(parts), engine)
