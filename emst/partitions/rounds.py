"""Borůvka's rounds over what is left when every partition has done its own work: a graph of components.

A round has three kinds of tasks: every partition asks others (`asking.py`), every partition answers (`answering.py`),
and one worker joins: it takes the lightest edge of every component, and contracts these edges. The state between rounds
is in `components.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Forest
from emst.boruvka import singletons
from emst.partitions.answering import Answer, answer
from emst.partitions.asking import ask
from emst.partitions.components import Components, Place, RoundCosts, Rounds, Samples, lightest_edges, with_bounds
from emst.partitions.edges import OpenEdges, chosen, columns_of
from emst.partitions.engine import Engine, Future
from emst.partitions.packets import part, routed
from emst.progress import Progress

AHEAD = 5  # rounds that workers of one process get at once: as a rule, one more batch suffices


def all_rounds(
    state: Future,
    locals_: list[Future],
    places: list[Place],
    outline: list[Future],
    outlines: list[Future],
    engine: Engine,
    progress: Progress,
) -> tuple[Future, list[RoundCosts]]:
    """Rounds until one component is left. In one process several are given to the workers at once: those after the last
    one do nothing. Otherwise the driver has to know when to stop.

    Returns
    -------
    state : Future of Rounds
    costs : list of RoundCosts
        What was there before the first round, and what every round left and sent.
    """
    costs = [RoundCosts(0, 0, 0)]
    asked: list[Any] = [None] * len(places)
    answers: list[list[Any]] = [[] for _ in places]
    while costs[-1].left != 1:
        for _ in range(AHEAD if engine.in_process else 1):
            known = state if engine.in_process else engine.submit(part, state, "labels", at=0)
            asked = [
                engine.submit(ask, local, place, known, own, before, told, engine.frugal, at=place.number)
                for local, place, own, before, told in zip(locals_, places, outline, asked, answers)
            ]
            found = [
                engine.submit(answer, local, place, known, own, packets, engine.frugal, at=place.number)
                for local, place, own, packets in zip(locals_, places, outlines, routed(asked, len(places), engine))
            ]
            state = engine.submit(join, state, found, at=0)
            if engine.frugal:
                answers = routed(found, len(places), engine)
        before = len(costs)
        costs = engine.gather([engine.submit(part, state, "costs", at=0)])[0]
        for number, own in enumerate(costs[before:], before):
            progress.round(number, own.left)
        if len(costs) > 9 * costs[0].left.bit_length() + 2:  # at worst all wait for nine rounds before some join
            raise RuntimeError(
                f"{costs[-1].left:,} components are left after {len(costs) - 1} rounds; please report this"
            )
    return state, costs


def join(ops: Backend, state: Rounds, answers: list[Answer]) -> Rounds:
    """Contract the lightest edges of all components of which all points have asked."""
    labels = state.labels
    if labels.count == 1:
        return state
    found = [OpenEdges(*map(ops.asarray, columns_of(given.edges))) for given in answers]
    columns = zip(*(columns_of(edges) for edges in [state.edges, *found]))
    edges = OpenEdges(*(np.concatenate(column) for column in columns))
    label, count = labels.label, labels.count
    lightest = lightest_edges(ops, edges, label, count)
    partly = ops.xp.zeros(count, bool)
    for given in answers:
        partly[ops.asarray(given.partly)] = True
    forest = _contracted(ops, label, chosen(edges, lightest), partly | (labels.weight < 0))
    left = forest.count
    number = ops.xp.empty(count, np.int32)
    number[forest.components] = ops.xp.arange(left, dtype=np.int32)
    new = number[forest.labels]
    taken = chosen(edges, lightest[np.flatnonzero(forest.source >= 0)])
    joined = OpenEdges(*map(np.concatenate, zip(columns_of(state.joined), columns_of(taken))))
    boxes = np.concatenate([ops.asarray(given.boxes) for given in answers])
    boxes = np.where(boxes < 0, boxes, new[np.maximum(boxes, 0)])
    size = np.bincount(new, weights=state.size, minlength=left).astype(np.int64)
    components = Components(new[label], left, size, boxes, labels.bases)
    some = np.flatnonzero(partly)
    samples = Samples(ops.xp.zeros(left, np.int8), ops.xp.zeros(left))
    samples.tries[new[some]] = labels.tries[some] + np.int8(1)
    samples.weight[new[some]] = edges.weight[lightest[some]]
    edges = chosen(edges, np.flatnonzero(components.label[edges.a] != components.label[edges.b]))
    costs = RoundCosts(left, sum(given.asked for given in answers), sum(given.bytes for given in answers))
    return with_bounds(ops, components, edges, joined, samples, [*state.costs, costs])


def _contracted(ops: Backend, label: Array, lightest: OpenEdges, waits: Array) -> Forest:
    """The forest over the components when the lightest edge of each has been contracted, but for those that wait. Its
    ends are components: two that take the same pair take the same edge, the first in the total order between them."""
    forest = singletons(len(lightest.u), lightest.weight.dtype, ops)
    a, b = label[lightest.a], label[lightest.b]
    forest.best[:] = lightest.weight
    forest.edge_u[:] = ops.xp.where(waits, np.int32(-1), np.minimum(a, b))
    forest.edge_v[:] = ops.xp.where(waits, np.int32(-1), np.maximum(a, b))
    ops.merge(forest)
    return forest
