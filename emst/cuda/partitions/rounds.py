"""All rounds over the components of partitions at once, on the GPUs that hold these. Kernels: rounds.cu.

The host launches the same kernels in every round, in the order of the streams and without a wait: each GPU waits for
what the others have written. It learns a round late how many components are left.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, cast

import cupy
import numpy as np

from emst.backend.partition_records import Asking, Components, JoinedRounds, Member, OpenEdges
from emst.backend.records import NO_FOREST
from emst.cuda.partitions.components import asking_by_value
from emst.cuda.partitions.outline import outline_by_value
from emst.cuda.points.bvh import SearchIndex, in_whole_leaves
from emst.cuda.runtime.arguments import as_struct
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import BLOCK, EACH, JOINED_WORDS, MEETING_WORDS, WALK_WARPS
from emst.cuda.runtime.copies import are_readable, asarray, write
from emst.cuda.runtime.gather import take
from emst.cuda.runtime.launch import Repeated, most_resident, multiprocessors
from emst.cuda.runtime.memory import empties, scratch, zeros
from emst.cuda.runtime.to_host import OnItsWay

PATH = "partitions/rounds"
LEAST_ROOM = (
    1 << 16
)  # questions that a member can get, at least; with more points near the border as many as these, but
SHARE, MOST_SHARE = 16, 4  # at least one for so many points, and at most
BLOCKS_AN_SM = 8  # of kernels whose threads take one thing after the other
CYCLE = 3  # of `Over` in rounds.cu


def join_partitions(
    members: Sequence[Member],
    edges: OpenEdges,
    components: Components,
    weight: cupy.ndarray,
    power: cupy.ndarray,
    bases: Sequence[int],
) -> JoinedRounds | None:
    """See `emst.backend.partition_operations`. None where GPUs cannot read each other's memory, where all pairs are
    compared, and where edges would be too many for 32 bits."""
    room = len(edges) + len(members) * components.count
    indexes = list(map(_index_of, members))
    arrays = [edges.words, *(index.rows for index in indexes), *(one.component for one in members)]
    gpus = [index.rows.data.device_id for index in indexes]
    if not all(index.walks for index in indexes) or room >= 2**31 or not are_readable(arrays, gpus):
        return None
    home = _Home(edges, components, weight, power, room)
    boxes = np.cumsum([0, *(len(one.level) for one in members)]).tolist()
    asking = max(max(min(len(one.near), one.bvh.n // MOST_SHARE), one.bvh.n // SHARE) for one in members)
    parts = [
        _Part(one, number, base, box, home, len(members), max(asking, LEAST_ROOM))
        for number, (one, base, box) in enumerate(zip(members, bases, boxes))
    ]
    rounds = _Rounds(home, parts)
    with rounds.ended():
        return rounds.joined()


def _index_of(member: Member) -> SearchIndex:
    return cast(SearchIndex, member.bvh)


class _Home:
    """What `Home` of rounds.cu holds, on the current GPU, and the kernel that joins."""

    def __init__(
        self, edges: OpenEdges, components: Components, weight: cupy.ndarray, power: cupy.ndarray, room: int
    ) -> None:
        self.gpu, self.dtype, self.before = int(edges.words.data.device_id), edges.dtype, components
        self.width, labels, count = edges.words.shape[1], len(components.label), components.count
        kinds = ((2, labels), np.int32), ((2, count), np.int64), ((2, room, self.width), np.uint64)
        bounds = (count, weight.dtype), (count, power.dtype)
        self.label, self.size, self.edges, self.weight, self.power, self.boxes = empties(
            *kinds, *bounds, (len(components.boxes), np.int32)
        )
        self.taken = cupy.empty((count, self.width), np.uint64)
        start = [count, len(edges), 0, 0, 0]
        self.progress = asarray(np.array(start, np.int32))
        for place, values in (
            (self.label[0], components.label),
            (self.size[0], components.size),
            (self.edges[0, : len(edges)], edges.words),
            (self.weight, weight),
            (self.power, power),
            (self.boxes, components.boxes),
        ):
            write(values, place)
        arrays = self.progress, self.label, self.size, self.edges, self.weight, self.power, self.boxes
        lengths = labels, count, room, len(components.boxes)
        self.given = as_struct([*(array.data.ptr for array in arrays), *lengths], np.uint64)

    def join(self, table: cupy.ndarray) -> Repeated:
        """The kernel that joins; `table` has all members."""
        name, count = f"join_answers<{ctype(self.dtype)}>", self.before.count
        most = max(self.edges.shape[1], self.label.shape[1], len(self.boxes))
        blocks = _blocks(name, -(-most // (EACH * BLOCK)))
        *lists, numbers = scratch((count, np.uint64), *3 * ((count, np.int32),), (blocks, np.uint64))
        args = self.given, table, np.int32(len(table)), *lists, self.taken, numbers, *zeros((MEETING_WORDS, np.uint32))
        return Repeated(PATH, name, blocks, *args, block=BLOCK, resident=True)


class _Part:
    """A member, its arrays on its GPU, and its kernels."""

    def __init__(self, member: Member, number: int, base: int, box: int, home: _Home, members: int, room: int) -> None:
        self.member, self.number, self.base, self.box, self.room = member, number, base, box, room
        self.index, self.home = _index_of(member), home
        self.gpu = int(self.index.rows.data.device_id)
        with cupy.cuda.Device(self.gpu):
            self._allocate(members)

    def _allocate(self, members: int) -> None:
        home, member, index = self.home, self.member, self.index
        count, mrd = home.before.count, index.core is not None
        bound = (count, index.dtype)
        self.label, self.weight, self.boxes, *power = empties(
            (home.label.shape[1], np.int32), bound, (len(home.boxes), np.int32), *mrd * (bound,)
        )
        self.power = power[0] if mrd else None
        self.progress, self.asked, self.may_ask, self.answers, self.exceeds = zeros(
            (JOINED_WORDS, np.int32), (members, np.uint32), (1, np.uint32), (2, np.int32), (1, np.int32)
        )
        self.listed, self.questions, self.here, self.found, self.words = scratch(
            (self.room, np.int32),
            ((members, self.room), np.int32),
            (len(member.level), np.int32),
            ((count, home.width), np.uint64),
            ((self.room, home.width), np.uint64),
        )
        self.labels = in_whole_leaves(member.component)
        self._kept: list[Any] = []
        self.near, self.all = self._asking(member.near, member.rest), self._asking(None, float("inf"))
        arrays, self.outline = outline_by_value(member.outline._replace(label=self.boxes), self.number)
        self._kept.append(arrays)
        copy = self.progress, self.label, self.weight, self.power, self.boxes, self.asked, self.may_ask, self.exceeds
        self.copy = as_struct([0 if array is None else array.data.ptr for array in copy], np.uint64)

    def _asking(self, places: cupy.ndarray | None, rest: float) -> np.ndarray:
        """`Asking` of asking.cuh, of the points at these places, or of all."""
        member, group = self.member, self.label[self.base : self.base + len(self.member.least)]
        bounds = member.weight, member.power
        weight, power = (one if one is None or places is None else take(one, places) for one in bounds)
        of_components = group, self.weight, self.power, member.least
        kept, given = asking_by_value(Asking(places, weight, power, member.component, *of_components, rest))
        self._kept.append(kept)
        return given

    @property
    def row(self) -> list[int]:
        """`Member` of rounds.cu."""
        member = self.member
        arrays = [array.data.ptr for array in (self.index.rows, self.labels)]
        counts = [array.data.ptr for array in (self.asked, self.may_ask, self.answers)]
        lengths = self.base, self.box, len(member.level)
        return [*arrays, self.questions, *counts, self.found, self.here, *member.numbering, *lengths]

    def prepare(self, rows: np.ndarray) -> None:
        """Get the kernels ready on the current GPU, with the `row` of every member."""
        index, member, room, members = self.index, self.member, self.room, np.int32(len(rows))
        T, table, sms = index.T, asarray(rows), multiprocessors()
        number, group = np.int32(self.number), self.label[self.base :]
        most = max(map(len, (self.label, self.weight, self.boxes)))
        blocks = min(-(-most // BLOCK), sms * BLOCKS_AN_SM)
        args = self.home.given, self.copy, self.near, self.base, members
        begin = Repeated(PATH, f"begin_round<{T}>", blocks, *args)
        blocks, lists = min(-(-index.n // BLOCK), sms * BLOCKS_AN_SM), (self.listed, room)
        asking = Repeated(PATH, f"list_asking<{T}>", blocks, self.copy, self.near, self.all, *lists)
        points = self.labels, self.base, index.rows, *index.shape, index.metric.norm
        places, name = (*points, self.outline, self.questions), f"ask_others<{T}, {index.metric.number}>"
        self.ask = [begin, asking, Repeated(PATH, name, sms * BLOCKS_AN_SM, self.copy, *lists, *places)]
        self.mark = list(self._labels(group))
        mrd = "false" if index.core is None else "true"
        answers = self.copy, table, members, number, index.rows, self.labels, len(member.least)
        found = index.hierarchy, index.nodes, index.metric.norm, self.words, room, self.answers
        blocks = min(-(-room // (32 * WALK_WARPS)), sms * BLOCKS_AN_SM)
        name = f"answer_others<{index.template}, {mrd}>"
        answer = Repeated(PATH, name, blocks, *answers, *found, block=32 * WALK_WARPS)
        name, count = f"first_answers<{T}>", len(self.weight)
        firsts = *scratch((count, np.uint64), (count, np.uint32)), self.found, *zeros((MEETING_WORDS, np.uint32))
        blocks = _blocks(name, -(-max(room, count) // (EACH * BLOCK)))
        first = Repeated(PATH, name, blocks, self.copy, self.words, self.answers, *firsts, block=BLOCK, resident=True)
        self.answer = [answer, first]

    def _labels(self, group: cupy.ndarray) -> Iterator[Repeated]:
        """The kernels of `label_nodes` and `box_labels`."""
        index, level, node = self.index, self.member.level, self.member.node
        of_nodes = index.hierarchy, index.nodes
        blocks = -(-index.n // (EACH * BLOCK))
        yield Repeated("points/labels", f"label_leaves<{index.layout}>", blocks, self.labels, group, index.n, *of_nodes)
        if len(index.counts) > 2:
            blocks = -(-32 * index.counts[2] // BLOCK)
            yield Repeated("points/labels", f"upper_labels<{index.layout}>", blocks, *of_nodes, index.arrived)
        boxes, name = (level, node, len(level), self.labels, group), f"box_labels<{index.layout}>"
        yield Repeated("partitions/components", name, -(-len(level) // BLOCK), *boxes, *of_nodes, self.here)


class _Rounds:
    """Rounds by the current thread, on the current stream of every GPU."""

    def __init__(self, home: _Home, parts: Sequence[_Part]) -> None:
        self.home, self.parts = home, parts
        gpus = dict.fromkeys([home.gpu, *(part.gpu for part in parts)])
        self.gpus = {gpu: [part for part in parts if part.gpu == gpu] for gpu in gpus}
        self.stream: dict[int, Any] = {}
        self.asked: dict[int, Any] = {}
        self.answered: dict[int, Any] = {}
        rows = np.array([part.row for part in parts], np.int64)
        for gpu, here in self.gpus.items():
            with cupy.cuda.Device(gpu):
                self.stream[gpu] = cupy.cuda.get_current_stream()
                self.asked[gpu], self.answered[gpu] = (cupy.cuda.Event(disable_timing=True) for _ in range(2))
                for part in here:
                    part.prepare(rows)
        self.begun = cupy.cuda.Event(disable_timing=True)
        self.join = home.join(asarray(rows))

    @contextlib.contextmanager
    def ended(self) -> Iterator[None]:
        """At its end, also after an error, no GPU uses the arrays."""
        try:
            yield
        finally:
            for gpu, stream in self.stream.items():
                with cupy.cuda.Device(gpu):
                    stream.synchronize()

    def joined(self) -> JoinedRounds:
        """All rounds. The host waits for the numbers of a round when it has launched the next one."""
        count, on_their_way = self.home.before.count, deque([self._round()])
        costs: list[tuple[int, int, int]] = []
        left, edges, over = count, 0, 0
        question = 4 + self.parts[0].index.rows[0].nbytes  # a place, and the point that is read there
        while not over:
            on_their_way.append(self._round())
            left, edges, asked, over, number = on_their_way.popleft().arrived()
            if over == CYCLE or number > count.bit_length():
                raise RuntimeError(NO_FOREST)
            if number > len(costs):
                costs.append((left, asked, asked * question))
        return self._result(left, edges, costs)

    def _round(self) -> OnItsWay:
        """Launch a round. Its numbers are on their way to the host."""
        home = self.home.gpu
        self.begun.record(self.stream[home])
        for gpu, parts in self.gpus.items():
            with cupy.cuda.Device(gpu):
                if gpu != home:
                    self.stream[gpu].wait_event(self.begun)
                _start(kernel for part in parts for kernel in part.ask)
                self.asked[gpu].record(self.stream[gpu])
                _start(kernel for part in parts for kernel in part.mark)
        for gpu, parts in self.gpus.items():
            with cupy.cuda.Device(gpu):
                self._wait(gpu, self.asked)
                _start(kernel for part in parts for kernel in part.answer)
                self.answered[gpu].record(self.stream[gpu])
        self._wait(home, self.answered)
        self.join.start()
        return OnItsWay(self.home.progress)

    def _wait(self, gpu: int, events: dict[int, Any]) -> None:
        """Let a GPU go on when the others have recorded their events."""
        for other, event in events.items():
            if other != gpu:
                self.stream[gpu].wait_event(event)

    def _result(self, count: int, edges: int, costs: list[tuple[int, int, int]]) -> JoinedRounds:
        home, now = self.home, len(costs) % 2
        rest = home.edges[now, :edges] if count > 1 else home.taken[:0]
        left = Components(home.label[now], count, home.size[now, :count], home.boxes)
        taken = home.taken[: home.before.count - count]
        return JoinedRounds(left, home.weight[:count], home.power[:count], OpenEdges(taken), OpenEdges(rest), costs)


def _blocks(name: str, wanted: int) -> int:
    """Of a kernel whose blocks wait for one another: as many as are wanted, or can be resident."""
    return max(min(wanted, most_resident(PATH, name, BLOCK)), 1)


def _start(kernels: Iterator[Repeated]) -> None:
    for kernel in kernels:
        kernel.start()
