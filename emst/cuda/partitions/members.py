"""The arrays and launches of rounds at once: of the GPU that joins (`Home`), and of every partition (`Part`). Kernels:
rounds.cu."""

from __future__ import annotations

from typing import Any, cast

import cupy
import numpy as np

from emst.backend.partition_records import Asking, Components, Member, OpenEdges
from emst.cuda.partitions.components import asking_by_value, box_labels
from emst.cuda.partitions.outline import outline_by_value
from emst.cuda.points.bvh import SearchIndex, in_whole_leaves
from emst.cuda.points.labels import label_nodes
from emst.cuda.runtime.arguments import as_struct
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import BLOCK, EACH, JOINED_WORDS, MEETING_WORDS, WALK_WARPS
from emst.cuda.runtime.copies import asarray, write
from emst.cuda.runtime.gather import take
from emst.cuda.runtime.launch import launch, launch_resident, most_resident, multiprocessors
from emst.cuda.runtime.memory import empties, scratch, zeros

PATH = "partitions/rounds"
BLOCKS_AN_SM = 8  # of kernels whose threads take one thing after the other


class Home:
    """What `Home` of rounds.cu holds, on the current GPU, and the kernel that joins. A list of edges has `room`
    places."""

    def __init__(
        self, edges: OpenEdges, components: Components, weight: cupy.ndarray, power: cupy.ndarray, room: int
    ) -> None:
        self.gpu, self.dtype, self.before = int(edges.words.data.device_id), edges.dtype, components
        self.width, labels, count = edges.words.shape[1], len(components.label), components.count
        lists = ((2, labels), np.int32), ((2, count), np.int64), ((2, room, self.width), np.uint64)
        others = (count, weight.dtype), (count, power.dtype), (len(components.boxes), np.int32)
        self.label, self.size, self.edges, self.weight, self.power, self.boxes = empties(*lists, *others)
        self.taken = cupy.empty((count, self.width), np.uint64)
        self.progress = asarray(np.array([count, len(edges), 0, 0, 0], np.int32))
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

    def join(self, members: cupy.ndarray) -> None:
        """Contract the first edges of all components."""
        name, count = f"join_answers<{ctype(self.dtype)}>", self.before.count
        most = max(self.edges.shape[1], self.label.shape[1], len(self.boxes))
        blocks = min(-(-most // (EACH * BLOCK)), most_resident(PATH, name, BLOCK))
        *lists, numbers = scratch((count, np.uint64), *3 * ((count, np.int32),), (max(blocks, 1), np.uint64))
        written = *lists, self.taken, numbers, *zeros((MEETING_WORDS, np.uint32))
        launch_resident(PATH, name, blocks, self.given, members, np.int32(len(members)), *written, block=BLOCK)


class Part:
    """A member, its arrays on its GPU, and its kernels. `first` are its first component and its first box. `room` are
    the places for its points that ask each of the members, and for questions that it gets from all of them."""

    def __init__(
        self, member: Member, number: int, first: tuple[int, int], home: Home, members: int, room: tuple[int, int]
    ) -> None:
        self.member, self.number, self.first, self.home = member, number, first, home
        self.room, self.room_of_answers = room
        self.index = cast(SearchIndex, member.bvh)
        self.gpu = int(self.index.rows.data.device_id)
        with cupy.cuda.Device(self.gpu):
            self._allocate(members)

    def _allocate(self, members: int) -> None:
        home, member, index = self.home, self.member, self.index
        count, mrd = home.before.count, index.core is not None
        bounds = (1 + mrd) * ((count, index.dtype),)
        self.label, self.boxes, self.weight, *power = empties(
            (home.label.shape[1], np.int32), (len(home.boxes), np.int32), *bounds
        )
        self.power = power[0] if mrd else None
        self.progress, self.asked, self.may_ask, self.answers, self.exceeds = zeros(
            (JOINED_WORDS, np.int32), (members, np.uint32), (1, np.uint32), (2, np.int32), (1, np.int32)
        )
        self.listed, self.questions, self.words, self.found = scratch(
            (self.room, np.int32),
            ((members, self.room), np.int32),
            ((self.room_of_answers, home.width), np.uint64),
            ((count, home.width), np.uint64),
        )
        self.labels, self.group = in_whole_leaves(member.component), self.label[self.first[0] :]
        self.boxes_here = asarray(member.level), asarray(member.node)
        self._made = index.nodes, index.arrived  # here, since launches that make them must not be recorded
        self._kept: list[Any] = []
        self.near, self.all = self._asking(member.near, member.rest), self._asking(None, float("inf"))
        arrays, self.outline = outline_by_value(member.outline._replace(label=self.boxes), self.number)
        self._kept.append(arrays)
        copy = self.progress, self.label, self.weight, self.power, self.boxes, self.asked, self.may_ask, self.exceeds
        self.copy = as_struct([0 if array is None else array.data.ptr for array in copy], np.uint64)

    def _asking(self, places: cupy.ndarray | None, rest: float) -> np.ndarray:
        """`Asking` of asking.cuh, of the points at these places, or of all."""
        member = self.member
        bounds = member.weight, member.power
        weight, power = (one if one is None or places is None else take(one, places) for one in bounds)
        of_components = self.group[: len(member.least)], self.weight, self.power, member.least
        kept, given = asking_by_value(Asking(places, weight, power, member.component, *of_components, rest))
        self._kept.append(kept)
        return given

    def mark(self) -> None:
        """Label the nodes of the hierarchy, and the boxes of the outline. `row` needs these labels."""
        label_nodes(self.index, self.labels, self.group)
        self.here = box_labels(self.index, self.labels, self.group, *self.boxes_here)

    @property
    def row(self) -> list[int]:
        """`Member` of rounds.cu."""
        lists = self.questions, self.asked.data.ptr, self.may_ask.data.ptr, self.answers.data.ptr, self.found
        others = self.here.data.ptr, *self.member.numbering, *self.first, len(self.here), self.room
        return [self.index.rows.data.ptr, self.labels.data.ptr, *lists, *others]

    def ask(self, members: cupy.ndarray) -> None:
        """List the points that ask the others. `members` holds the `row` of every member."""
        index, T, most = self.index, self.index.T, multiprocessors() * BLOCKS_AN_SM * BLOCK
        longest, base = max(map(len, (self.label, self.weight, self.boxes))), self.first[0]
        args = self.home.given, self.copy, self.near, base, np.int32(len(members))
        launch(PATH, f"begin_round<{T}>", min(longest, most), *args)
        lists = self.listed, self.room
        launch(PATH, f"list_asking<{T}>", min(index.n, most), self.copy, self.near, self.all, *lists)
        points = *lists, self.labels, base, index.rows, *index.shape, index.metric.norm
        name = f"ask_others<{T}, {index.metric.number}>"
        launch(PATH, name, most, self.copy, *points, self.outline, self.questions)

    def answer(self, members: cupy.ndarray) -> None:
        """Find nearest points of other components for the points that ask, and the first edge of every component."""
        index, block, count = self.index, 32 * WALK_WARPS, len(self.weight)
        mrd = "false" if index.core is None else "true"
        given = self.copy, members, np.int32(len(members)), np.int32(self.number)
        points = index.rows, self.labels, len(self.member.least), index.hierarchy, index.nodes, index.metric.norm
        room = self.room_of_answers
        threads = min(room, multiprocessors() * BLOCKS_AN_SM * block)
        args = *given, *points, self.words, room, self.answers
        launch(PATH, f"answer_others<{index.template}, {mrd}>", threads, *args, block=block)
        firsts = *scratch((count, np.uint64), (count, np.uint32)), self.found, *zeros((MEETING_WORDS, np.uint32))
        blocks = -(-max(room, count) // (EACH * BLOCK))
        args = self.copy, self.words, self.answers, *firsts
        launch_resident(PATH, f"first_answers<{index.T}>", blocks, *args, block=BLOCK)
