"""Stable radix sort on the GPU. Kernels: sort.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.runtime.constants import (
    COUNTER_WORDS,
    DIGIT_BITS,
    FEW,
    LEAST_PASSES,
    MOST_PASSES,
    PACKED_ITEMS,
    SAMPLE_THREADS,
    SORT_BYTES,
    SORT_SAMPLE,
    SORT_THREADS,
)
from emst.cuda.runtime.launch import launch

DIGITS = 1 << DIGIT_BITS
COUNTING = 512  # blocks at most


def sort_pairs(
    keys: cupy.ndarray, values: cupy.ndarray | None = None, bits: int | None = None, lowest: int = 0
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Keys uint32[n] or uint64[n] in ascending order and their values int32[n], by default indices; equal keys stay in
    order. Keys are less than 2**bits: higher digits are not sorted by; nor are the `lowest` bits, unless the keys are
    few.
    """
    n, word = len(keys), np.dtype(f"u{keys.dtype.itemsize}")
    name = f"u{8 * word.itemsize}"
    passes = -(-((8 * word.itemsize if bits is None else bits) - lowest) // DIGIT_BITS)
    if few(n):
        out = cupy.empty(n, word), cupy.empty(n, np.int32)
        launch("runtime/sort", f"rank_keys<{name}>", 32 * n, keys, values, n, *out)
        return out
    tiles = -(-n * word.itemsize // SORT_BYTES)
    counts, words = _counts(tiles, passes)
    counting = (keys, n, np.int32(lowest), np.int32(passes), counts)
    launch("runtime/sort", f"count_digits<{name}>", min(tiles, COUNTING) * DIGITS, *counting, block=DIGITS)
    launch("runtime/sort", "digit_starts", passes * DIGITS, counts, block=DIGITS)
    buffers = [(cupy.empty(n, word), cupy.empty(n, np.int32)) for _ in range(2)]  # the caller's keys stay
    for digit in range(passes):
        out = buffers[digit % 2]
        args = (keys, values, n, np.int32(lowest + DIGIT_BITS * digit), counts[digit * DIGITS :], *out)
        epoch = np.uint32(digit + 1)
        launch("runtime/sort", f"sort_pass<{name}>", tiles * SORT_THREADS, *args, words, epoch, block=SORT_THREADS)
        keys, values = out
    return keys, values


def sort_packed(keys: cupy.ndarray, many: cupy.ndarray) -> cupy.ndarray:
    """Packed keys uint64[n] (packed.cuh) in the order of their highest bits; equal ones stay in order.

    `many` is that of `sample_ties`. If all numbers of passes would leave many ties, nothing is sorted."""
    n, tiles = len(keys), -(-len(keys) // (PACKED_ITEMS * SORT_THREADS))
    counts, words = _counts(tiles, MOST_PASSES)
    launch("runtime/sort", "count_packed", min(tiles, COUNTING) * DIGITS, keys, n, many, counts, block=DIGITS)
    launch("runtime/sort", "digit_starts", MOST_PASSES * DIGITS, counts, block=DIGITS)
    last, out = cupy.empty(n, np.uint64), cupy.empty(n, np.uint64)
    for digit in range(MOST_PASSES):
        shift, starts = np.int32(64 - DIGIT_BITS * (MOST_PASSES - digit)), counts[digit * DIGITS :]
        args = (keys, last, n, shift, starts, out, many, words, np.uint32(digit + 1))
        launch("runtime/sort", "packed_pass", tiles * SORT_THREADS, *args, block=SORT_THREADS)
        last, out = out, last
    return last


def sample_ties(keys: cupy.ndarray, least: int, sure: int, run: int) -> cupy.ndarray:
    """int32[MOST_PASSES - LEAST_PASSES + 1] on the device: whether a sort of packed keys uint64[n] by so many passes
    would leave many ties, which is that keys are shared by about `run` or more others, as a sample shows.

    Fewer than `least` passes leave many, and `sure` or more do not.
    """
    n, many = len(keys), cupy.empty(MOST_PASSES - LEAST_PASSES + 1, np.int32)
    taken = min(n, SORT_SAMPLE)
    most = np.int32(min(taken**2 * run // (2 * n), taken // 2))
    args = (keys, n, np.int32(least), np.int32(sure), most, many)
    launch("runtime/sort", "sample_ties", len(many) * SAMPLE_THREADS, *args, block=SAMPLE_THREADS)
    return many


def few(n: int) -> bool:
    """Whether so few keys are ranked instead of sorted."""
    return n <= FEW


def index_bits(n: int) -> int:
    """Of a packed key, the bits that its index below n takes."""
    return max((n - 1).bit_length(), 1)


def _counts(tiles: int, passes: int) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Counts of all digits, and what tiles publish."""
    return cupy.zeros(passes * DIGITS, np.uint64), cupy.zeros(COUNTER_WORDS + tiles * DIGITS, np.uint64)


def sort_order(codes: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    return sort_pairs(codes)[1]
