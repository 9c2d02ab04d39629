"""The questions that other partitions ask a partition in a round, on the GPU. Kernel: questions.cu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np

from emst.backend.partition_records import GatheredQuestions, Questions
from emst.backend.records import Norm
from emst.cuda.points.bvh import padded, unwritten_queries
from emst.cuda.runtime.arguments import as_bytes
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import MOST_SENDERS
from emst.cuda.runtime.copies import readable
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.memory import empties

AT_ONCE = MOST_SENDERS  # whose questions one launch gathers


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
        launch("partitions/questions", f"gather_questions<{ctype(dtype)}>", (end - first) * d, *args)
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
