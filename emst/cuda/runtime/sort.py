"""Stable radix sort on the GPU. Kernels: sort.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.runtime.constants import (
    COUNTER_WORDS,
    DIGIT_BITS,
    FEW,
    SAMPLE_THREADS,
    SORT_BYTES,
    SORT_SAMPLE,
    SORT_THREADS,
)
from emst.cuda.runtime.launch import launch

DIGITS = 1 << DIGIT_BITS
COUNTING = 512  # blocks at most


def sort_pairs(
    keys: cupy.ndarray,
    values: cupy.ndarray | None = None,
    bits: int | None = None,
    unwanted: cupy.ndarray | None = None,
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Keys uint32[n] or uint64[n] in ascending order and their values int32[n], by default indices; equal keys stay in
    order.

    Keys are less than 2**bits: higher digits are not sorted by. If `unwanted`, int32[1], is not 0, nothing is sorted.
    """
    n, word = len(keys), np.dtype(f"u{keys.dtype.itemsize}")
    name = f"u{8 * word.itemsize}"
    passes = -(-(8 * word.itemsize if bits is None else bits) // DIGIT_BITS)
    if n <= FEW:
        out = cupy.empty(n, word), cupy.empty(n, np.int32)
        launch("runtime/sort", f"rank_keys<{name}>", 32 * n, keys, values, n, *out)
        return out
    tiles = -(-n * word.itemsize // SORT_BYTES)
    counts = cupy.zeros(passes * DIGITS, np.uint64)
    words = cupy.zeros(COUNTER_WORDS + tiles * DIGITS, np.uint64)
    counting = (keys, n, np.int32(passes), counts, unwanted)
    launch("runtime/sort", f"count_digits<{name}>", min(tiles, COUNTING) * DIGITS, *counting, block=DIGITS)
    launch("runtime/sort", "digit_starts", passes * DIGITS, counts, block=DIGITS)
    buffers = [(cupy.empty(n, word), cupy.empty(n, np.int32)) for _ in range(2)]  # the caller's keys stay
    for digit in range(passes):
        out = buffers[digit % 2]
        args = (keys, values, n, np.int32(DIGIT_BITS * digit), counts[digit * DIGITS :], *out, unwanted)
        epoch = np.uint32(digit + 1)
        launch("runtime/sort", f"sort_pass<{name}>", tiles * SORT_THREADS, *args, words, epoch, block=SORT_THREADS)
        keys, values = out
    return keys, values


def many_ties(keys: cupy.ndarray, run: int) -> cupy.ndarray:
    """int32[1] on the device: 1 if keys uint32[n] are shared by about `run` or more others, as a sample shows; else 0.

    Few keys have no sample.
    """
    many, n = cupy.zeros(1, np.int32), len(keys)
    if n > FEW:
        most = np.int32(min(SORT_SAMPLE**2 * run // (2 * n), SORT_SAMPLE // 2))
        launch("runtime/sort", "sample_ties", SAMPLE_THREADS, keys, n, most, many, block=SAMPLE_THREADS)
    return many


def sort_order(codes: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    return sort_pairs(codes)[1]
