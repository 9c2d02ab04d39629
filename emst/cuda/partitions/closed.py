"""Vertices that leave their cluster together: closed subtrees of a dendrogram, on the GPU. Kernels: closed.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Linkage
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.compile import number_type
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.memory import empties, scratch


def closed_groups(linkage: Linkage, leaves: int, merges: int, least: int) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.partition_operations`."""
    child, size, m = linkage.child, linkage.size, len(linkage.size)
    closed, group = empties((m, np.bool_), (leaves, np.int32))
    parent, highest, number, above, count = scratch(*3 * ((m, np.int32),), (m + 1, np.int32), (1, np.int32))
    name = f"find_parents<{number_type(size.dtype)}>"
    launch("partitions/closed", name, m, child, size, m, merges, least, parent, above, closed)
    launch("partitions/closed", "open_phantoms", m + 1 - leaves, above, leaves, m + 1, parent, closed)
    launch("partitions/closed", "begin_climb", m, parent, closed, m, highest)
    for _ in range(min(least, m).bit_length()):  # fewer than `least` closed merges lie above one
        launch("partitions/closed", "climb_on", m, highest, closed, m)
    groups = highest, closed, above, m, m + leaves, number, group, count
    Compaction(m + leaves).launch("partitions/closed", "number_groups", m + leaves, *groups)
    launch("partitions/closed", "group_leaves", leaves, highest, closed, above, number, leaves, group)
    return group, closed[:merges]
