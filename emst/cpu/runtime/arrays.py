"""Arrays that begin on a cache line, and share none with other arrays.

NumPy aligns to 16 bytes. There a load of a whole vector touches two lines, and the scratch arrays of two threads may
lie on one line, which both would then write to in turns.
"""

import numpy as np

LINE = 64  # bytes


def empty(size: int, dtype) -> np.ndarray:
    """Uninitialised array of one dimension."""
    dtype = np.dtype(dtype)
    room = np.empty(size * dtype.itemsize + 2 * LINE, np.uint8)
    start = -room.ctypes.data % LINE
    return room[start : start + size * dtype.itemsize].view(dtype)


def full(size: int, value, dtype) -> np.ndarray:
    """Array of one dimension, filled with a value."""
    array = empty(size, dtype)
    array.fill(value)
    return array
