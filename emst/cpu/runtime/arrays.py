"""Arrays that begin on a cache line, and share none with other arrays.

NumPy aligns to 16 bytes. There a load of a whole vector touches two lines, and the scratch arrays of two threads may
lie on one line, which both would then write to in turns.
"""

import ctypes
import functools

import numpy as np

from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for

LINE = 64  # bytes
FEW = 1 << 17  # elements: NumPy fills so few before other threads begin


def empty(size: int, dtype) -> np.ndarray:
    """Uninitialised array of one dimension."""
    dtype = np.dtype(dtype)
    memory = np.empty(size * dtype.itemsize + LINE, np.uint8)
    return np.ndarray(size, dtype, memory, -_address(memory) % LINE)


def empties(*kinds) -> list[np.ndarray]:
    """Uninitialised arrays of one dimension, given by size and type, in one piece of memory: for the small arrays of a
    kernel, asking for memory and its address costs more than the kernel's use of it."""
    places, total = _layout(kinds)
    memory = np.empty(total + LINE, np.uint8)
    first = -_address(memory) % LINE
    return [np.ndarray(size, dtype, memory, first + at) for size, dtype, at in places]


@functools.lru_cache
def _layout(kinds):
    """Size, type and place of every array, and the bytes of all."""
    places, total = [], 0
    for size, kind in kinds:
        dtype = np.dtype(kind)
        places.append((size, dtype, total))
        total += -(-size * dtype.itemsize // LINE) * LINE
    return places, total


def _address(memory: np.ndarray) -> int:
    """Where an array of bytes begins; ``memory.ctypes.data`` takes several times as long."""
    return ctypes.addressof(ctypes.c_char.from_buffer(memory.data))


def full(size: int, value, dtype) -> np.ndarray:
    """Array of one dimension, filled with a value. The threads that fill it are the first to touch its memory, which
    takes longer than to fill it."""
    return fill(empty(size, dtype), value)


def fill(array: np.ndarray, value) -> np.ndarray:
    """The array, of one dimension, filled with a value."""
    if array.size <= FEW:
        array.fill(value)
    else:
        words = array.view(f"u{array.itemsize}")  # one kernel for all dtypes of a width
        for_chunks(
            _fill, array.size, grain_for(array.size, FEW), words, np.full(1, value, array.dtype).view(words.dtype)
        )
    return array


@kernel
def _fill(words, value, begin, end):
    words[begin:end] = value[0]
