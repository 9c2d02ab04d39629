"""Stable radix sort of 64-bit keys, least digit first."""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.arrays import empties
from emst.cpu.runtime.compile import compiled, kernel, part
from emst.cpu.runtime.parallel import for_chunks, thread_count

FEW = 1 << 12  # keys that one call sorts sooner than it takes to call the kernels of all passes
SHORT = 32  # keys that are sorted by insertion sooner than it takes to count digits
BYTE = 256  # values of a digit where keys are few: all counters stay in the first level cache
SHORTEST, LONGEST = 1 << 13, 1 << 20  # keys of a part: counting digits pays; interrupts are served after each part
DIGIT = 11  # bits sorted in one pass: 2048 counters stay in the first level cache


def sort_order(codes):
    """See `emst.backend.operations`."""
    return radix_order(codes)[1]


def radix_order(keys, values=None):
    """uint64 keys in ascending order, and their values int32[n] in that order, by default indices. Equal keys stay in
    order (least digit first). The arguments stay as they are, but may be returned."""
    n = len(keys)
    if n < FEW:
        keys, order = keys.copy(), np.arange(n, dtype=np.int32) if values is None else values.copy()
        sort_few(keys, order, *empties(*few_scratch(n)))
        return keys, order
    order = np.arange(n, dtype=np.int32) if values is None else values
    parts = max(min(thread_count(), n // SHORTEST), -(-n // LONGEST))
    grain = -(-n // parts)
    parts = -(-n // grain)
    bits = np.empty((parts, 2), np.uint64)
    for_chunks(_bits_of, n, grain, keys, bits, grain)
    differing = int(np.bitwise_or.reduce(bits[:, 0]) ^ np.bitwise_and.reduce(bits[:, 1]))
    counts = np.empty((parts + 1, 1 << DIGIT), np.int64)
    other = None
    for shift in range(0, 64, DIGIT):
        if (differing >> shift) & ((1 << DIGIT) - 1) == 0:
            continue  # all keys have the same digit
        for_chunks(_count_digits, n, grain, keys, shift, counts, grain)
        _start(counts)
        new_keys, new_order = other or (np.empty_like(keys), np.empty_like(order))
        for_chunks(_scatter_digits, n, grain, keys, order, shift, counts, new_keys, new_order, grain)
        other = (keys, order) if other else (np.empty_like(keys), np.empty_like(order))  # the caller's stay
        keys, order = new_keys, new_order
    return keys, order


def few_scratch(most):
    """Sizes and types of the scratch of `sort_few` for up to `most` keys."""
    return (most, np.uint64), (most, np.int32), (8 * BYTE, np.int64)


@compiled
def sort_few(keys, values, spare_keys, spare_values, counts):
    """Sort keys, and values with them, in place and stably, on one thread. The digits of all passes are counted at
    once."""
    n = len(keys)
    if n <= SHORT:
        _insert(keys, values)
        return
    counts[:] = 0
    for i in range(n):
        for digit in range(8):
            counts[digit * BYTE + _byte(keys[i], digit)] += 1
    swapped = False
    for digit in range(8):
        place = counts[digit * BYTE : (digit + 1) * BYTE]
        if place[_byte(keys[0], digit)] == n:
            continue  # all keys have the same digit
        total = np.int64(0)
        for value in range(BYTE):
            count = place[value]
            place[value] = total
            total += count
        for i in range(n):
            value = _byte(keys[i], digit)
            at = place[value]
            place[value] = at + 1
            spare_keys[at], spare_values[at] = keys[i], values[i]
        keys, values, spare_keys, spare_values = spare_keys, spare_values, keys, values
        swapped = not swapped
    if swapped:
        for i in range(n):
            spare_keys[i], spare_values[i] = keys[i], values[i]


@part
def _byte(key, digit):
    return np.int64((key >> np.uint64(8 * digit)) & np.uint64(BYTE - 1))


@part
def _insert(keys, values):
    for i in range(1, len(keys)):
        key, value, to = keys[i], values[i], i
        while to > 0 and keys[to - 1] > key:
            keys[to], values[to] = keys[to - 1], values[to - 1]
            to -= 1
        keys[to], values[to] = key, value


@kernel
def _bits_of(keys, bits, grain, begin, end):
    """The bits that any key has, and those that all have."""
    some, every = np.uint64(0), ~np.uint64(0)
    for i in range(begin, end):
        some |= keys[i]
        every &= keys[i]
    bits[begin // grain, 0], bits[begin // grain, 1] = some, every


@kernel
def _count_digits(keys, shift, counts, grain, begin, end):
    mine = counts[begin // grain]
    mine[:] = 0
    for i in range(begin, end):
        mine[(keys[i] >> np.uint64(shift)) & np.uint64((1 << DIGIT) - 1)] += 1


@kernel
def _start(counts):
    """Replace the counts of every part by the places where its keys go: after those of lesser digits, and after equal
    digits of the parts before. The last row is scratch."""
    parts, digits = len(counts) - 1, counts.shape[1]
    for share in range(1, parts):
        for digit in range(digits):
            counts[share, digit] += counts[share - 1, digit]
    first = counts[parts]
    place = 0
    for digit in range(digits):
        first[digit] = place
        place += counts[parts - 1, digit]
    for share in range(parts - 1, 0, -1):
        for digit in range(digits):
            counts[share, digit] = first[digit] + counts[share - 1, digit]
    for digit in range(digits):
        counts[0, digit] = first[digit]


@kernel
def _scatter_digits(keys, order, shift, places, new_keys, new_order, grain, begin, end):
    place = places[begin // grain]
    for i in range(begin, end):
        digit = (keys[i] >> np.uint64(shift)) & np.uint64((1 << DIGIT) - 1)
        at = place[digit]
        place[digit] = at + 1
        new_keys[at] = keys[i]
        new_order[at] = order[i]
