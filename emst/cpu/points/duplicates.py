"""Equal points, joined before the first search."""

from __future__ import annotations

import numpy as np

from emst.backend.records import Forest
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.lanes import LANES
from emst.cpu.runtime.numbers import greater
from emst.cpu.runtime.parallel import for_chunks, grain_for


def join_duplicates(index):
    """See `emst.backend.operations`."""
    n = index.n
    start = np.ones(n, np.bool_)
    for_chunks(_starts, n, grain_for(n, 1 << 15), index.nodes.blocks, index.d, start)
    heads = np.flatnonzero(start).astype(np.int32)
    labels = np.repeat(heads, np.diff(heads, append=n))
    ids = np.arange(n, dtype=np.int32)
    joined = labels != ids
    core = index.core if index.core is not None else np.zeros(1, index.dtype)
    return Forest(
        labels=labels,
        components=heads,
        best=np.full(n, np.inf, index.dtype),
        edge_u=np.full(n, -1, np.int32),
        edge_v=np.full(n, -1, np.int32),
        source=np.where(joined, labels, np.int32(-1)),
        target=np.where(joined, ids, np.int32(-1)),
        weight=np.where(joined, core, core.dtype.type(0)),
    )


@kernel
def _starts(blocks, d, start, begin, end):
    """Which points differ from the one before them."""
    for i in range(greater(begin, 1), end):
        a, b = (i - 1) // LANES * d * LANES + (i - 1) % LANES, i // LANES * d * LANES + i % LANES
        same = True
        for k in range(d):
            same &= blocks[a + k * LANES] == blocks[b + k * LANES]
        start[i] = not same
