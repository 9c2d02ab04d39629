"""Stable radix sort on the GPU. Kernels: sort.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.runtime.constants import COUNTER_WORDS, DIGIT_BITS, FEW, SORT_TILE
from emst.cuda.runtime.launch import launch

DIGITS = 1 << DIGIT_BITS  # and threads of a block


def sort_pairs(
    keys: cupy.ndarray, values: cupy.ndarray | None = None, bits: int = 64
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Keys uint64[n] in ascending order and their values int32[n], by default indices; equal keys stay in order.

    Keys are less than 2**bits: higher digits are not sorted by.
    """
    n, passes = len(keys), -(-bits // DIGIT_BITS)
    if n <= FEW:
        out = cupy.empty(n, np.uint64), cupy.empty(n, np.int32)
        launch("runtime/sort", "rank_keys", 32 * n, keys, values, n, *out)
        return out
    tiles = -(-n // SORT_TILE)
    counts = cupy.zeros(passes * DIGITS, np.uint64)
    words = cupy.zeros(COUNTER_WORDS + tiles * DIGITS, np.uint64)
    launch("runtime/sort", "count_digits", min(tiles, 512) * DIGITS, keys, n, np.int32(passes), counts, block=DIGITS)
    launch("runtime/sort", "digit_starts", passes * DIGITS, counts, block=DIGITS)
    buffers = [(cupy.empty(n, np.uint64), cupy.empty(n, np.int32)) for _ in range(2)]  # the caller's keys stay
    for digit in range(passes):
        out = buffers[digit % 2]
        starts, epoch = counts[digit * DIGITS :], np.uint32(digit + 1)
        launch(
            "runtime/sort",
            "sort_pass",
            tiles * DIGITS,
            keys,
            values,
            n,
            np.int32(DIGIT_BITS * digit),
            starts,
            *out,
            words,
            epoch,
            block=DIGITS,
        )
        keys, values = out
    return keys, values


def sort_order(codes: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    return sort_pairs(codes)[1]
