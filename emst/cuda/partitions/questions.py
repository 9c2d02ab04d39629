"""What points of a partition ask others in a round, and what a partition is asked by others, on the GPU. Kernels:
questions.cu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import cupy
import numpy as np

from emst.backend.partition_records import Asking, GatheredQuestions, Numbering, Outline, Questions
from emst.backend.records import Norm
from emst.cuda.partitions.components import asking_by_value
from emst.cuda.partitions.outline import outline_by_value
from emst.cuda.points.bvh import SearchIndex, padded, unwritten_queries
from emst.cuda.runtime.arguments import as_bytes, as_struct
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import BITS_TILE, MOST_SENDERS
from emst.cuda.runtime.copies import readable
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.memory import empties, part_of, scratch
from emst.cuda.runtime.to_host import Written

PATH = "partitions/questions"
MOST_HITS = 2**31 - 1  # pairs of a point and a partition that one launch lists: it counts in 32 bits
AT_ONCE = MOST_SENDERS  # whose questions one launch gathers
NO_COLUMNS = as_struct([0] * 5, np.uint64)


def questions(
    index: SearchIndex, asking: Asking, base: int, numbering: Numbering, outline: Outline, home: int
) -> Callable[[], tuple[Questions, list[int]] | None]:
    """See `emst.backend.partition_operations`. The host waits once, for the numbers of questions."""
    partitions, words = len(outline.start) - 1, max(-(-len(asking.weight) // (32 * BITS_TILE)), 1) * BITS_TILE
    kept, given = asking_by_value(asking)
    boxes, others = outline_by_value(outline, home)
    rows = given, index.rows, *index.shape
    (hits,), groups = scratch((partitions * words, np.uint32)), _groups(partitions, 32 * words)
    told = Written(partitions + len(groups) + 1)
    exceeds = part_of(told.address, partitions + len(groups))
    template, place = f"<{index.T}, {index.metric.number}>", (words, hits, exceeds)
    launch(PATH, f"border_hits{template}", 32 * words, *rows, index.metric.norm, others, *place)
    of_each, name, lists = (np.int32(base), as_struct(numbering, np.int64)), f"list_questions<{index.T}>", []
    for number, (begin, end) in enumerate(groups):
        bits = (end - begin) * words
        lists.append((Compaction(bits, BITS_TILE), bits, part_of(hits, begin * words)))
        start = part_of(told.address, begin + number)
        args = *rows, *of_each, lists[-1][2], words, 0, NO_COLUMNS, start, part_of(start, end - begin)
        lists[-1][0].launch(PATH, name, bits, *args)
    told.launched()
    del boxes

    def listed() -> tuple[Questions, list[int]] | None:
        *numbers, exceeds = told.arrived()
        if exceeds:
            return None
        start, befores = [], [0]
        for number, (begin, end) in enumerate(groups):
            *starts, found = numbers[begin + number : end + number + 1]
            start += [befores[-1] + one for one in starts]
            befores.append(befores[-1] + found)
        asked, columns = _columns(index, befores[-1])
        if befores[-1]:
            (total,) = scratch((1, np.int32))  # is written again
            for before, (compaction, bits, hit) in zip(befores, lists):
                compaction.launch(PATH, name, bits, *rows, *of_each, hit, words, before, columns, None, total)
        kept.clear()
        return asked, [*start, befores[-1]]

    return listed


def _groups(partitions: int, points: int) -> list[tuple[int, int]]:
    """The first partition of each group that one launch lists, and the one after its last."""
    step = max(MOST_HITS // points, 1)
    return [(begin, min(begin + step, partitions)) for begin in range(0, partitions, step)]


def _columns(index: SearchIndex, count: int) -> tuple[Questions, np.ndarray]:
    """So many questions, to be written, and `Columns` of questions.cu."""
    kinds = ((count, index.d), index.dtype), (count, np.int32), (count, index.dtype), (count, np.int64)
    points, component, radius, ids, *core = empties(*kinds, *kinds[2:3] * (index.core is not None))
    asked = Questions(points, component, core[0] if core else None, radius, ids)
    return asked, as_struct([0 if column is None else column.data.ptr for column in asked], np.uint64)


def gathered_questions(packets: Sequence[Questions], label: cupy.ndarray, norm: Norm) -> GatheredQuestions:
    """See `emst.backend.partition_operations`."""
    m, d, dtype = sum(len(one.ids) for one in packets), packets[0].points.shape[1], packets[0].points.dtype
    queries, label = unwritten_queries(m, d, dtype, norm), readable(label)
    kinds = (m, np.int32), (m, np.int32), (m, dtype), (m, np.int64)
    now, component, radius, ids, *core = empties(*kinds, *kinds[2:3] * (packets[0].core is not None))
    found = GatheredQuestions(queries, now, component, core[0] if core else None, radius, ids)
    first = 0
    for at in range(0, len(packets), AT_ONCE):
        kept, senders, count = _senders(packets[at : at + AT_ONCE])
        end = padded(m) if at + AT_ONCE >= len(packets) else first + count
        args = senders, np.int32(len(kept)), first, end, *queries.shape, label, queries.rows, *found[1:]
        launch(PATH, f"gather_questions<{ctype(dtype)}>", (end - first) * d, *args)
        first += count
    return found


def _senders(packets: Sequence[Questions]) -> tuple[list[list[Any]], np.ndarray, int]:
    """The arrays of packets where kernels can read them, `Senders` of questions.cu, and how many questions these are.
    The arrays must live until the launch."""
    kept, table, count = [], np.zeros((MOST_SENDERS, 6), np.uint64), 0
    for row, packet in zip(table, packets):
        columns = [None if column is None else readable(column) for column in packet]
        count += len(packet.ids)
        row[:] = [*(0 if column is None else column.data.ptr for column in columns), count]
        kept.append(columns)
    return kept, as_bytes(table.reshape(-1)), count
