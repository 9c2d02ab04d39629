"""Stable radix sort on the GPU. Kernels: sort.cu."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.constants import (
    COUNTER_WORDS,
    DIGIT_BITS,
    FEW,
    LEAST_PASSES,
    MOST_PASSES,
    PACKED_ITEMS,
    PAIRS_ITEMS_32,
    PAIRS_ITEMS_64,
    PAIRS_ITEMS_64_AT_ONCE,
    SAMPLE_THREADS,
    SORT_RESIDENT,
    SORT_SAMPLE,
    SORT_THREADS,
)
from emst.cuda.runtime.launch import all_resident, launch, launch_resident, multiprocessors
from emst.cuda.runtime.memory import cleared, empties, part_of, scratch

DIGITS = 1 << DIGIT_BITS
COUNTING = 512  # blocks at most


def sort_pairs(
    keys: cupy.ndarray | Address,
    values: cupy.ndarray | Address | None = None,
    bits: int | None = None,
    lowest: int = 0,
    spoil: bool = False,
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Keys uint32[n] or uint64[n] in ascending order and their values int32[n], by default indices; equal keys stay in
    order. Keys are less than 2**bits: higher digits are not sorted by. The caller's keys and values stay. If `values`
    are given, `spoil` lets the sort write over both, so that it takes less memory.

    If keys have values, those that differ only below bit `lowest` may come in any order, which takes less time.
    """
    n, word = len(keys), np.dtype(f"u{keys.dtype.itemsize}")
    name, bits = f"u{8 * word.itemsize}", 8 * word.itemsize if bits is None else bits
    if few(n):
        sorted_keys, sorted_values = empties((n, word), (n, np.int32))
        launch("runtime/sort", f"rank_keys<{name}>", 32 * n, keys, values, n, sorted_keys, sorted_values)
        return sorted_keys, sorted_values
    if values is None and word.itemsize == 8 and bits + index_bits(n) <= 64:
        return _sort_indexed(keys, bits)
    shifts = range(lowest, bits, DIGIT_BITS)
    at_once = lowest == 0 and _all_resident(f"sort_passes<{name}>", _pair_tiles(n, word, at_once=True))
    tiles = _pair_tiles(n, word, at_once)
    counts, words, arrived = _counts(tiles, len(shifts))
    counting = (keys, n, np.int32(lowest), np.int32(len(shifts)), counts)
    out: Any = (cupy.empty(n, word), cupy.empty(n, np.int32))
    spare: Any = (None, None)
    if spoil and isinstance(keys, cupy.ndarray) and isinstance(values, cupy.ndarray) and not at_once:
        spare = keys.view(word), values
        if len(shifts) % 2 == 0:  # the first pass reads these
            out, spare = spare, out
    elif len(shifts) > 1:
        spare = scratch((n, word), (n, np.int32))
    if at_once:
        args = (keys, values, n, np.int32(len(shifts)), counts, *spare, *out, words, arrived)
        launch_resident("runtime/sort", f"sort_passes<{name}>", tiles, *args, block=SORT_THREADS)
        return out
    launch("runtime/sort", f"count_digits<{name}>", min(tiles, COUNTING) * DIGITS, *counting, block=DIGITS)
    launch("runtime/sort", "digit_starts", len(counts), counts, block=DIGITS)
    for digit, shift in enumerate(shifts):
        to = out if (len(shifts) - digit) % 2 else spare
        starts = part_of(counts, digit * DIGITS)
        args = (keys, values, n, np.int32(shift), starts, *to, words, np.uint32(digit + 1))
        launch("runtime/sort", f"sort_pass<{name}>", tiles * SORT_THREADS, *args, block=SORT_THREADS)
        keys, values = to
    return out


def _sort_indexed(keys: cupy.ndarray, bits: int) -> tuple[cupy.ndarray, cupy.ndarray]:
    """As `sort_pairs`, with indices that fit above so many bits of the keys."""
    n, shifts, tiles = len(keys), range(0, bits, DIGIT_BITS), _packed_tiles(len(keys))
    counts, words, _ = _counts(tiles, len(shifts))
    counting = (keys, n, np.int32(0), np.int32(len(shifts)), counts)
    launch("runtime/sort", "count_digits<u64>", min(tiles, COUNTING) * DIGITS, *counting, block=DIGITS)
    launch("runtime/sort", "digit_starts", len(counts), counts, block=DIGITS)
    source, out, values = None, cupy.empty(n, np.uint64), cupy.empty(n, np.int32)
    spare = cupy.empty(n, np.uint64) if len(shifts) > 1 else None
    for digit, shift in enumerate(shifts):
        to = (out, None, None) if shift != shifts[-1] else (None, out, values)
        sizes = (n, np.int32(index_bits(n)), np.int32(shift))
        args = (keys, source, *sizes, part_of(counts, digit * DIGITS), *to, words, np.uint32(digit + 1))
        launch("runtime/sort", "indexed_pass", tiles * SORT_THREADS, *args, block=SORT_THREADS)
        source, out, spare = out, spare, out
    return source, values


def sort_packed(keys: cupy.ndarray, many: Address) -> cupy.ndarray:
    """Packed keys uint64[n] (packed.cuh) in the order of their highest bits; equal ones stay in order.

    `many` is that of `sample_ties`. If all numbers of passes would leave many ties, nothing is sorted."""
    n, tiles = len(keys), _packed_tiles(len(keys))
    counts, words, arrived = _counts(tiles, MOST_PASSES)
    (spare,), out = scratch((n, np.uint64)), cupy.empty(n, np.uint64)
    if _all_resident("packed_passes", tiles):
        room = (spare, out, words, arrived)
        launch_resident("runtime/sort", "packed_passes", tiles, keys, n, many, counts, *room, block=SORT_THREADS)
        return out
    launch("runtime/sort", "count_packed", min(tiles, COUNTING) * DIGITS, keys, n, many, counts, block=DIGITS)
    launch("runtime/sort", "digit_starts", len(counts), counts, block=DIGITS)
    for digit in range(MOST_PASSES):
        last, to = (spare, out) if (MOST_PASSES - digit) % 2 else (out, spare)
        shift, starts = np.int32(64 - DIGIT_BITS * (MOST_PASSES - digit)), part_of(counts, digit * DIGITS)
        args = (keys, last, n, shift, starts, to, many, words, np.uint32(digit + 1))
        launch("runtime/sort", "packed_pass", tiles * SORT_THREADS, *args, block=SORT_THREADS)
    return out


def takes_many_blocks(n: int) -> bool:
    """Whether some sort of n keys takes more blocks than the GPU holds: then each pass is a launch."""
    return _pair_tiles(n, np.dtype(np.uint64), at_once=True) > SORT_RESIDENT * multiprocessors()


def _all_resident(name: str, tiles: int) -> bool:
    """Whether a kernel that takes all passes can have a block for each tile. Some GPUs hold fewer than planned."""
    planned = SORT_RESIDENT * multiprocessors()
    return tiles <= planned and all_resident("runtime/sort", name, tiles, SORT_THREADS)


def sample_ties(
    keys: cupy.ndarray, least: int, sure: int, run: int, fewer: int = SORT_SAMPLE
) -> tuple[Address, Address]:
    """int32[MOST_PASSES - LEAST_PASSES + 1] on the device: whether a sort of packed keys uint64[n] by so many passes
    would leave many ties, which is that keys are shared by about `run` or more others, as a sample shows; of fewer than
    MOST_PASSES also that more than `fewer` keys of the sample are ties.

    Fewer than `least` passes leave many, and `sure` or more do not. Also returns a zero int32[1] for the state of what
    reads the sorted keys.
    """
    n, passes = len(keys), MOST_PASSES - LEAST_PASSES + 1
    (many,) = scratch((passes + 1, np.int32))
    taken = min(n, SORT_SAMPLE)
    most = min(taken**2 * run // (2 * n), taken // 2)
    args = (keys, n, np.int32(least), np.int32(sure), np.int32(most), np.int32(min(most, fewer)), many)
    launch("runtime/sort", "sample_ties", passes * SAMPLE_THREADS, *args, block=SAMPLE_THREADS)
    return many, part_of(many, passes)


def few(n: int) -> bool:
    """Whether so few keys are ranked instead of sorted."""
    return n <= FEW


def index_bits(n: int) -> int:
    """Of a packed key, the bits that its index below n takes."""
    return max((n - 1).bit_length(), 1)


def _pair_tiles(n: int, word: np.dtype, at_once: bool) -> int:
    """How many blocks n keys with values take."""
    items = PAIRS_ITEMS_32 if word.itemsize == 4 else PAIRS_ITEMS_64_AT_ONCE if at_once else PAIRS_ITEMS_64
    return -(-n // (items * SORT_THREADS))


def _packed_tiles(n: int) -> int:
    """How many blocks n packed keys take."""
    return -(-n // (PACKED_ITEMS * SORT_THREADS))


def _counts(tiles: int, passes: int) -> list[Address]:
    """Counts of all digits, what tiles publish, and a counter."""
    return cleared((passes * DIGITS, np.uint64), (COUNTER_WORDS + tiles * DIGITS, np.uint64), (1, np.uint32))


def sort_order(codes: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    return sort_pairs(codes)[1]
