"""Vertices that leave their cluster together: closed subtrees of a partition's dendrogram, by one pass up and one down.

A partition is the work of one thread, so the kernel takes all of it in one chunk.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks


def closed_groups(linkage, leaves, merges, least):
    """See `emst.backend.partition_operations`."""
    m = len(linkage.size)
    closed, highest, group = np.empty(m, np.bool_), np.full(m, -1, np.int32), np.full(leaves, -1, np.int32)
    for_chunks(_close, 1, 1, linkage.child, linkage.size, leaves, merges, least, closed, highest, group)
    return group, closed[:merges]


@kernel
def _close(child, size, leaves, merges, least, closed, highest, group, begin, end):
    m = len(size)
    for i in range(m):  # clusters come before those that contain them
        whole = i < merges and size[i] < least
        for c in child[i]:
            whole = whole and (closed[c] if c >= 0 else c + m + 1 < leaves)
        closed[i] = whole
    for i in range(m - 1, -1, -1):
        if not closed[i]:
            continue
        if highest[i] < 0:
            highest[i] = i
        for c in child[i]:
            if c >= 0:
                highest[c] = highest[i]
            else:
                group[c + m + 1] = highest[i]
    count = 0
    for i in range(m):
        if highest[i] == i:  # from here on it is the number of the group
            highest[i] = count
            count += 1
    for v in range(leaves):
        if group[v] >= 0:
            group[v] = highest[group[v]]
        else:
            group[v] = count
            count += 1
