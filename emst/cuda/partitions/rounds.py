"""All rounds over the components of partitions at once, on the GPUs that hold these. Kernels: rounds.cu.

The host launches the same kernels in every round, in the order of the streams and without a wait: each GPU waits for
what the others have written. It learns a round late how many components are left.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import cupy
import numpy as np

from emst.backend.partition_records import Components, JoinedRounds, Member, OpenEdges
from emst.backend.records import NO_FOREST
from emst.cuda.partitions.members import Home, Part
from emst.cuda.points.bvh import SearchIndex
from emst.cuda.runtime.copies import are_readable, asarray, concatenated, copied
from emst.cuda.runtime.launch import Launch, recorded
from emst.cuda.runtime.to_host import OnItsWay

# A member's list of points that ask has a place for each of its points near the border, but at most one for MOST_SHARE
# of its points. It has at least LEAST_ROOM places, and one for SHARE points; never more than the member has points.
# If a list has too few, the rounds go on with lists of MORE_PLACES times as many.
LEAST_ROOM, SHARE, MOST_SHARE, MORE_PLACES = 1 << 16, 16, 4, 4
MOST_MEMBERS = 64  # each keeps lists for all others
CYCLE = 3  # of `Over` in rounds.cu


def join_partitions(
    members: Sequence[Member],
    edges: OpenEdges,
    components: Components,
    weight: cupy.ndarray,
    power: cupy.ndarray,
    bases: Sequence[int],
) -> JoinedRounds | None:
    """See `emst.backend.partition_operations`. None where GPUs cannot read each other's memory or have too little, for
    many partitions, where all pairs are compared, and where edges would be too many for 32 bits."""
    gpus = _gpus_of(members, edges)
    if not gpus:
        return None
    joined, times = JoinedRounds(components, weight, power, OpenEdges(edges.words[:0]), edges, []), 1
    with cupy.cuda.Device(gpus[0]):
        while joined.left.count > 1:
            further = _further_rounds(members, bases, joined, gpus, times)
            if further is None:
                break
            joined = further
            times *= MORE_PLACES  # at some time lists have a place for every point, and at least one round is taken
    return joined if joined.costs else None


def _further_rounds(
    members: Sequence[Member], bases: Sequence[int], before: JoinedRounds, gpus: Sequence[int], times: int
) -> JoinedRounds | None:
    """Rounds by lists with `times` as many places, until one component is left or a list has too few; with those
    before. None if there is too little memory, or if edges would be too many for 32 bits."""
    room = len(before.rest) + len(members) * before.left.count
    if room >= 2**31:
        return None
    with _ended(gpus):
        try:
            home = Home(before.rest, before.left, before.weight, before.power, room)
            rounds = _Rounds(home, _parts_of(members, bases, home, times))
            further = rounds.joined()
            taken = OpenEdges(concatenated([before.taken.words, further.taken.words]))
        except cupy.cuda.memory.OutOfMemoryError:
            return None
    return further._replace(taken=taken, costs=[*before.costs, *further.costs])


def _gpus_of(members: Sequence[Member], edges: OpenEdges) -> list[int]:
    """The GPUs that take part, first the one that holds the edges; none if they cannot."""
    indexes = [cast(SearchIndex, one.bvh) for one in members]
    arrays = [edges.words, *(index.rows for index in indexes), *(one.component for one in members)]
    gpus = list(dict.fromkeys(int(array.data.device_id) for array in arrays))
    walks = len(members) <= MOST_MEMBERS and all(index.walks for index in indexes)
    return gpus if walks and are_readable(arrays, gpus) else []


def _parts_of(members: Sequence[Member], bases: Sequence[int], home: Home, times: int) -> list[Part]:
    """The members with their arrays and launches. Lists have `times` as many places."""
    boxes = np.cumsum([0, *(len(one.level) for one in members)]).tolist()
    rooms, parts = [_room(len(one.near), one.bvh.n, times) for one in members], []
    for number, (member, base, box, room) in enumerate(zip(members, bases, boxes, rooms)):
        of_answers = min(sum(rooms), max(room, times * LEAST_ROOM))
        parts.append(Part(member, number, (base, box), home, len(members), (room, of_answers)))
    return parts


def _room(near: int, n: int, times: int) -> int:
    return min(n, times * max(min(near, n // MOST_SHARE), n // SHARE, LEAST_ROOM))


@contextlib.contextmanager
def _ended(gpus: Iterable[int]) -> Iterator[None]:
    """At its end, also after an error, these GPUs use no arrays of this thread."""
    try:
        yield
    finally:
        with contextlib.ExitStack() as waits:
            for gpu in gpus:
                waits.callback(_wait_for, gpu)


def _wait_for(gpu: int) -> None:
    with cupy.cuda.Device(gpu):
        cupy.cuda.get_current_stream().synchronize()


class _OfGPU:
    """What a round launches on a GPU, for all members there, and events between GPUs."""

    def __init__(self, gpu: int, parts: Sequence[Part]) -> None:
        self.gpu, self.parts = gpu, parts
        self.ask: list[Launch] = []
        self.answer: list[Launch] = []
        with cupy.cuda.Device(gpu):
            self.stream = cupy.cuda.get_current_stream()
            self.asked, self.answered = (cupy.cuda.Event(disable_timing=True) for _ in range(2))
            with recorded() as self.mark:
                for part in parts:
                    part.mark()

    def record(self, rows: np.ndarray) -> None:
        """Record the launches that read the `row` of every member."""
        with cupy.cuda.Device(self.gpu):
            members = asarray(rows)
            with recorded() as self.ask:
                for part in self.parts:
                    part.ask(members)
            with recorded() as self.answer:
                for part in self.parts:
                    part.answer(members)


class _Rounds:
    """Rounds by the current thread, on the current stream of every GPU."""

    def __init__(self, home: Home, parts: Sequence[Part]) -> None:
        self.home, self.parts = home, parts
        gpus = dict.fromkeys([home.gpu, *(part.gpu for part in parts)])
        self.gpus = {gpu: _OfGPU(gpu, [part for part in parts if part.gpu == gpu]) for gpu in gpus}
        rows = np.array([part.row for part in parts], np.int64)
        for one in self.gpus.values():
            one.record(rows)
        members, self.begun = asarray(rows), cupy.cuda.Event(disable_timing=True)
        with recorded() as self.join:
            home.join(members)

    def joined(self) -> JoinedRounds:
        """All rounds. The host waits for the numbers of a round when it has launched the next one."""
        count, on_their_way = self.home.before.count, deque([self._round()])
        costs: list[tuple[int, int, int]] = []
        question = 4 + self.parts[0].index.rows[0].nbytes  # a place, and the point that is read there
        left, edges, over = count, 0, 0
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
        home = self.gpus[self.home.gpu]
        self.begun.record(home.stream)
        for one in self.gpus.values():
            with cupy.cuda.Device(one.gpu):
                if one is not home:
                    one.stream.wait_event(self.begun)
                _start(one.ask)
                one.asked.record(one.stream)
                _start(one.mark)
        for one in self.gpus.values():
            with cupy.cuda.Device(one.gpu):
                self._wait(one, "asked")
                _start(one.answer)
                one.answered.record(one.stream)
        self._wait(home, "answered")
        _start(self.join)
        return OnItsWay(self.home.progress)

    def _wait(self, waiting: _OfGPU, event: str) -> None:
        """Let a GPU wait for the events of the others."""
        for one in self.gpus.values():
            if one is not waiting:
                waiting.stream.wait_event(getattr(one, event))

    def _result(self, count: int, edges: int, costs: list[tuple[int, int, int]]) -> JoinedRounds:
        home, now = self.home, len(costs) % 2
        taken, rest = home.taken[: home.before.count - count], home.edges[now, :edges]
        if count == 1:
            rest = rest[:0]
        taken, rest = (OpenEdges(copied(words)) for words in (taken, rest))  # the lists have places for many more
        left = Components(home.label[now], count, home.size[now, :count], home.boxes)
        return JoinedRounds(left, home.weight[:count], home.power[:count], taken, rest, costs)


def _start(launches: Sequence[Launch]) -> None:
    for one in launches:
        one.start()
