"""Borůvka's rounds over what is left when every partition has done what it does alone: a graph of components.

A round has three kinds of tasks: every partition asks others (`remembering.py`), every partition answers, and one
worker joins: it takes the lightest edge of every component, and contracts these edges. The state between rounds is in
`components.py`. GPUs that read each other's memory take all rounds in one task (`at_once`).

Travels: a `Reply` to each partition that has asked, and the edges of every `Answer` to the worker that joins.

Invariant: a partition answers with the nearest point of another component for each point that it was sent. So the
lightest edge of a component, all of whose points have asked or need not ask, is among the edges that were found.
Components of which only a sample has asked hook onto no other one in this round.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.partition_records import Components, JoinedComponents, Member, OpenEdges, Outline
from emst.backend.records import Array
from emst.partitions import remembering
from emst.partitions.asking import NO_COMPONENT, groups_of
from emst.partitions.components import (
    RoundCosts,
    Rounds,
    Samples,
    labels_of,
    state_of,
)
from emst.partitions.edges import chosen
from emst.partitions.engine import (
    Engine,
    Future,
    Sender,
    bytes_of,
    in_one_place,
    packets_for,
    part,
    rounds_at_once,
    routed,
    submitted,
)
from emst.partitions.outline import PartitionOutline, labels_of_boxes
from emst.partitions.records import Labels, Local
from emst.partitions.remembering import Reply
from emst.progress import Progress


@dataclass(eq=False)
class Answer(Sender):
    """What a partition has found in a round. The packets are `Reply`."""

    edges: OpenEdges  # the lightest between any two components
    sampled: list[Array]  # int32: components of this round of which it was sent a sample only
    boxes: Array  # int32: labels of its outline
    asked: int  # points that it was sent
    bytes: int  # of their packets, and of those with which it answers


def all_rounds(
    state: Future,
    locals_: list[Future],
    outline: list[Future],
    outlines: list[Future],
    engine: Engine,
    progress: Progress,
) -> tuple[Future, list[RoundCosts]]:
    """Rounds until one component is left.

    Returns
    -------
    state : Future of Rounds
    costs : list of RoundCosts
        What was there before the first round, and what every round left and sent.
    """
    costs = [RoundCosts(0, 0, 0)]
    count = len(locals_)
    here = in_one_place(engine, count)
    asked: list[Any] = [None] * count
    replies: list[list[Any]] = [[] for _ in range(count)]
    if rounds_at_once(engine):
        state = engine.submit(at_once, state, locals_, outline, outlines, at=0)
        costs = _reported(costs, state, engine, progress)
    new = len(costs) + 2  # rounds with new kernels: those that replies need begin in the second one
    while costs[-1].left != 1:
        labels, is_new = _labels(state, count, here, engine), len(costs) < new
        asking = zip(locals_, labels, outline, asked, replies)
        asked = submitted(engine, [(remembering.ask, *of_one) for of_one in asking], is_new)
        answering = zip(locals_, labels, outlines, routed(asked, count, engine))
        answers = submitted(engine, [(answer, *of_one) for of_one in answering], is_new)
        state = engine.submit(join, state, answers, at=0)
        replies = routed(answers, count, engine)
        costs = _reported(costs, state, engine, progress)
        if len(costs) > 9 * costs[0].left.bit_length() + 2:  # at worst all wait for nine rounds before some join
            raise RuntimeError(
                f"{costs[-1].left:,} components are left after {len(costs) - 1} rounds; please report this"
            )
    return state, costs


def _reported(before: list[RoundCosts], state: Future, engine: Engine, progress: Progress) -> list[RoundCosts]:
    """The costs of all rounds, of which those that are new are reported. The first are those before the rounds."""
    costs: list[RoundCosts] = engine.gather([engine.submit(part, state, "costs", at=0)])[0]
    for number in range(len(before), len(costs)):
        progress.round(number, costs[number].left)
    return costs


def _labels(state: Future, count: int, here: bool, engine: Engine) -> list[Future]:
    """The labels for every partition. In one place each GPU copies them once; to other places all travel together."""
    if here:
        return [engine.submit(labels_of, state, at=j) for j in range(count)]
    return [engine.submit(labels_of, state, at=0)] * count


def at_once(
    ops: Backend, state: Rounds, locals_: list[Local], outline: list[Outline], outlines: list[PartitionOutline]
) -> Rounds:
    """Task: the state after the rounds that the backend takes at once, if any. All partitions are in this process.

    Invariant: if a point does not ask, all its edges to other partitions are heavier than the bound of its component,
    or it lies in the greatest component. That one asks for nothing: the lightest edges of the others suffice.
    """
    if state.count == 1:
        return state
    members = [
        Member(
            bvh=local.partition.index,
            component=local.component,
            near=local.near,
            weight=local.weight,
            power=None if local.partition.index.core is None else local.power,
            least=local.least,
            rest=local.rest,
            numbering=local.numbering,
            outline=of_all,
            level=of_one.level,
            node=of_one.node,
        )
        for local, of_all, of_one in zip(locals_, outline, outlines)
    ]
    components = Components(state.label, state.count, state.size, state.boxes)
    with contextlib.ExitStack() as locks:
        for local in locals_:
            locks.enter_context(local.partition.lock)
        joined = ops.join_partitions(members, state.edges, components, state.weight, state.power, state.bases)
    if joined is None:
        return state
    return Rounds(
        label=joined.left.label,
        weight=joined.weight,
        power=joined.power,
        tries=None,
        boxes=joined.left.boxes,
        count=joined.left.count,
        bases=state.bases,
        edges=joined.rest,
        joined=[*state.joined, joined.taken],
        size=joined.left.size,
        costs=[*state.costs, *(RoundCosts(*of_round) for of_round in joined.costs)],
    )


# ---- answers -------------------------------------------------------------------------------------------------------


def answer(
    ops: Backend,
    local: Local,
    labels: Labels,
    outline: PartitionOutline,
    asked: list[Any],
) -> Answer:
    """The nearest points of this partition in other components for all points that it was sent. `asked` holds what
    `remembering.ask` returned in every partition."""
    index, partition, place = local.partition.index, local.partition, local.place
    if labels.count == 1:
        return Answer({}, _no_edges(ops, index.dtype), [], ops.xp.empty(0, np.int32), 0, 0)
    labels = labels_of(ops, labels)
    label, group, base = labels.label, groups_of(local, labels), labels.bases[place.number]
    packets = packets_for(place.number, asked)
    if packets:
        asking = ops.gathered_questions([packet.questions for packet in packets.values()], label, index.norm)
    with partition.lock:
        ops.label_nodes(index, local.component, group)
        boxes = labels_of_boxes(outline, local, group, ops)
        if packets:
            of_points = asking.queries, asking.now, asking.core, asking.radius
            found = ops.nearest_across(index, local.component, *of_points, group=group)
    if not packets:
        return Answer({}, _no_edges(ops, index.dtype), [], boxes, 0, 0)
    sampled = [ops.asarray(packet.sampled) for packet in packets.values() if packet.sampled is not None]
    edges = ops.edges_across(*found, asking.component, asking.ids, local.component, base, local.numbering)
    ends = ops.xp.where(found[0] >= 0, edges.b, np.int32(NO_COMPONENT))
    replies, start = {}, 0
    for other, packet in packets.items():
        rows = slice(start, start := start + len(packet.questions.ids))
        replies[other] = Reply(ends[rows], edges.weight[rows], edges.power[rows])
    edges = _lightest_of_pairs(ops, chosen(edges, np.flatnonzero(ends >= 0)), label, labels.count)
    size = bytes_of([[packet.questions for packet in packets.values()], sampled, replies])
    return Answer(replies, edges, sampled, boxes, len(asking.ids), size)


def _lightest_of_pairs(ops: Backend, edges: OpenEdges, label: Array, count: int) -> OpenEdges:
    """The first edge in the total order between any two components of this round."""
    if len(edges.u) == 0:
        return edges
    pair = label[edges.a].astype(np.uint64) * np.uint64(count) + label[edges.b].astype(np.uint64)
    order = ops.sort_order(pair)
    edges, pair = chosen(edges, order), pair[order]
    begins = ops.xp.ones(len(pair), bool)
    begins[1:] = pair[1:] != pair[:-1]
    number = (np.cumsum(begins) - 1).astype(np.int32)
    places, ends = ops.xp.arange(len(number), dtype=np.int32), OpenEdges(edges.words.copy())
    ends.a[:] = places
    return chosen(edges, ops.first_edges(ends, number, int(number[-1]) + 1, both=False))


def _no_edges(ops: Backend, dtype: np.dtype) -> OpenEdges:
    kinds = (np.int32, np.int32, np.int64, np.int64, dtype, dtype)
    return OpenEdges.of(*(ops.xp.empty(0, kind) for kind in kinds))


# ---- joins ---------------------------------------------------------------------------------------------------------


def join(ops: Backend, state: Rounds, answers: list[Answer]) -> Rounds:
    """Contract the lightest edges of all components, but those of which only a sample has asked."""
    if state.count == 1:
        return state
    found = [[state.edges.words, *(one.edges.words for one in answers)], [one.boxes for one in answers]]
    words, boxes = ops.concatenated_columns(found)
    edges, bound = OpenEdges(words), state.weight
    sampled = [ops.asarray(components) for one in answers for components in one.sampled]
    if sampled:
        bound = bound.copy()
        bound[ops.concatenated(sampled)] = -1
    joined = ops.join_components(edges, Components(state.label, state.count, state.size, boxes), bound)
    samples = _samples(ops, state, joined, edges, sampled) if sampled else None
    costs = RoundCosts(joined.left.count, sum(one.asked for one in answers), sum(one.bytes for one in answers))
    taken = [*state.joined, joined.taken]
    return state_of(ops, joined.left, state.bases, joined.rest, taken, samples, [*state.costs, costs])


def _samples(ops: Backend, state: Rounds, joined: JoinedComponents, edges: OpenEdges, sampled: list[Array]) -> Samples:
    """What is known of the components of which only some points have asked; none of them hooked."""
    samples = Samples(ops.xp.zeros(joined.left.count, np.int8), ops.xp.zeros(joined.left.count))
    for waiting in sampled:
        number = joined.number[waiting]
        samples.tries[number] = 1 if state.tries is None else state.tries[waiting] + np.int8(1)
        samples.weight[number] = edges.weight[joined.first[waiting]]
    return samples
