"""The questions that other partitions ask a partition in a round."""

from __future__ import annotations

from emst.backend.partition_records import GatheredQuestions
from emst.cpu.points.bvh import build_queries
from emst.cpu.runtime.copies import concatenated


def gathered_questions(packets, label, norm):
    """See `emst.backend.partition_operations`."""
    columns = zip(*packets)
    points, component, core, radius, ids = (None if parts[0] is None else concatenated(parts) for parts in columns)
    return GatheredQuestions(build_queries(points, norm), label[component], component, core, radius, ids)
