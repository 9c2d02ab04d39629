"""Elements at given places of an array, read by all threads, or written."""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.numbers import lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for
from emst.cpu.runtime.prefetch import prefetch

FEW = 1 << 16  # elements: NumPy reads so few before other threads begin
AHEAD = 16  # elements that are prefetched


def take(array, places):
    """See `emst.backend.operations`."""
    n = len(places)
    if n <= FEW or array.ndim > 1 or not array.flags.c_contiguous:
        return array[places]
    out, word = empty(n, array.dtype), f"u{array.itemsize}"  # one kernel for all dtypes of a width
    for_chunks(_take, n, grain_for(n, FEW), array.view(word), places, out.view(word))
    return out


def put(array, places, values):
    """See `emst.backend.operations`."""
    array[places] = values


@kernel
def _take(array, places, out, begin, end):
    for i in range(begin, end):
        prefetch(array, np.int64(places[lesser(i + AHEAD, end - 1)]))
        out[i] = array[places[i]]
