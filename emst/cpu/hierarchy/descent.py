"""From the last merge down: every merge takes a value from its nearest ancestor that has one, at any depth."""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.atomics import load, store
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for


def parents(linkage):
    """The parent of every merge, which joins the cluster that the merge made: int32[n - 1]. The last is its own."""
    parent = linkage.scratch
    if parent is None:
        m = len(linkage.size)
        parent = np.empty(m, np.int32)
        for_chunks(find_parents, m, grain_for(m, 1 << 15), linkage.child, parent)
        linkage.scratch = parent  # only now that it is complete: another thread may read it
    return parent


@kernel
def find_parents(child, parent, begin, end):
    for e in range(begin, end):
        for i in range(2):
            if child[e, i] >= 0:
                parent[child[e, i]] = e
    if end == len(parent):
        parent[end - 1] = end - 1


def inherit(values, parent):
    """Give every merge without a value (-1) the value of its nearest ancestor that has one, in place. The last merge
    must have one.

    First every chunk for itself: a merge whose ancestor lies in another chunk gets a reference to it (-2 - ancestor).
    Then references are followed, from the last merge down, so that most lead straight to a value; a path has at most
    one reference a chunk. Another thread may replace a reference by the value it leads to at the same time, which does
    not change where a path ends.
    """
    m = len(values)
    grain = grain_for(m, 1 << 15)
    for_chunks(inherit_in_chunk, m, grain, values, parent)
    for_chunks(follow, m, grain, values)


@kernel
def inherit_in_chunk(values, parent, begin, end):
    for e in range(end - 1, begin - 1, -1):
        if values[e] < 0:
            values[e] = values[parent[e]] if parent[e] < end else -2 - parent[e]


@kernel
def follow(values, begin, end):
    last = len(values) - 1
    for i in range(begin, end):
        value = load(values, last - i)
        while value < 0:
            value = load(values, -2 - value)
        store(values, last - i, value)
