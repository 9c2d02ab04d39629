"""Unsorted distances below a radius, for the walk: long lists of which only the k-th smallest entry is needed.

Every point of a packet has a row. Distances below the point's radius are appended. A full row keeps its k smallest
entries, and the radius becomes the number just below the k-th: only smaller distances can change it. A row has places
for 1.5 k entries, so the selection costs a few operations for every distance.

The k-th smallest is found by bisection. Distances are not negative, so they are in the order of their bits read as
integers. A step counts how many of them lie below the middle of an interval, 16 at once and without a branch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import part
from emst.cpu.runtime.lanes import LANES, WORD, fold, just_below, load, loop, lowest_bit, spread, vector


class Buffers(NamedTuple):
    """Rows of distances, one for every point of a packet."""

    values: np.ndarray  # T[16 * width], the width a multiple of 16
    bits: np.ndarray  # the same memory as integers
    size: np.ndarray  # int64[16]: entries of every row
    wanted: int  # k


def new_buffers(wanted, most, dtype):
    """Rows for the `wanted` smallest of at most `most` distances. A row has places for one more vector."""
    entries = min(wanted + wanted // 2, most)
    width = (-(-entries // LANES) + 1) * LANES
    values = empty(LANES * width, dtype)
    return Buffers(values, values.view(f"i{values.itemsize}"), empty(LANES, np.int64), wanted)


@part
def clear(buffers):
    """Empty the rows, if there are any."""
    if buffers is not None:
        buffers.size[:] = 0


@part
def append(buffers, q, distances, hits):
    """Add those of the 16 distances whose bits are set to row q. Returns whether the row must shrink."""
    width = len(buffers.values) // LANES
    begin = q * width
    end = begin + buffers.size[q]
    while hits:
        buffers.values[end] = distances[lowest_bit(hits)]
        hits &= hits - 1
        end += 1
    buffers.size[q] = end - begin
    return end - begin > width - LANES


@part
def shrink(buffers, q):
    """Keep the `wanted` smallest distances of row q. Returns the new radius, just below the greatest of them."""
    limit = kth_smallest(buffers, q)
    begin = q * (len(buffers.values) // LANES)
    end = begin
    for i in range(begin, begin + buffers.size[q]):
        value = buffers.values[i]
        buffers.values[end] = value
        end += value < limit
    for i in range(end, begin + buffers.wanted):
        buffers.values[i] = limit
    buffers.size[q] = buffers.wanted
    return just_below(limit)


@part
def kth_smallest(buffers, q):
    """The k-th smallest distance of row q, k = `wanted`. The row has at least k entries."""
    bits = buffers.bits
    begin = q * (len(bits) // LANES)
    end = begin + buffers.size[q]
    vectors = -(-buffers.size[q] // LANES)
    for i in range(end, begin + vectors * LANES):
        bits[i] = bits[begin]
    low, high = np.int64(_least_above(bits, begin, vectors, -1)) - 1, np.int64(_greatest(bits, begin, vectors))
    for i in range(end, begin + vectors * LANES):
        bits[i] = high + 1  # never counted
    while high - low > 1:  # fewer than `wanted` are at most `low`, at least `wanted` at most `high`
        middle = low + ((high - low) >> 1)
        count = _count_up_to(bits, begin, vectors, middle)
        if count >= buffers.wanted:
            high = middle
        elif count < buffers.wanted - 1:
            low = middle
        else:
            high = np.int64(_least_above(bits, begin, vectors, middle))
            low = high - 1
    first = bits[begin]
    bits[begin] = high
    limit = buffers.values[begin]
    bits[begin] = first
    return limit


def _folded(context, builder, array, args, first, step, choose):
    """Fold all vectors into one by ``step(lanes, so_far)``, which begins with `first`, and its lanes by `choose`."""
    numbers, at, vectors = args

    def body(i, so_far):
        there = builder.add(at, builder.mul(i, WORD(LANES)))
        return [step(load(context, builder, array, numbers, there), *so_far)]

    (lanes,) = loop(builder, WORD(0), vectors, [ir.Constant(vector(context, array.dtype), [first] * LANES)], body)
    return fold(builder, lanes, choose)


@intrinsic
def _count_up_to(typingctx, bits, at, vectors, value):
    """How many of the integers in `vectors` vectors from ``bits[at]`` on are at most `value`."""

    def codegen(context, builder, signature, args):
        limit = spread(builder, args[3], vector(context, bits.dtype))

        def step(lanes, so_far):
            return builder.sub(so_far, builder.sext(builder.icmp_signed("<=", lanes, limit), limit.type))

        return _folded(context, builder, bits, args[:3], 0, step, lambda builder, a, b: builder.add(a, b))

    return bits.dtype(bits, types.int64, types.int64, bits.dtype), codegen


@intrinsic
def _least_above(typingctx, bits, at, vectors, value):
    """The least of the integers in `vectors` vectors from ``bits[at]`` on that is greater than `value`."""

    def codegen(context, builder, signature, args):
        limit = spread(builder, args[3], vector(context, bits.dtype))

        def step(lanes, so_far):
            better = builder.and_(builder.icmp_signed(">", lanes, limit), builder.icmp_signed("<", lanes, so_far))
            return builder.select(better, lanes, so_far)

        return _folded(context, builder, bits, args[:3], bits.dtype.maxval, step, _lesser)

    return bits.dtype(bits, types.int64, types.int64, bits.dtype), codegen


@intrinsic
def _greatest(typingctx, bits, at, vectors):
    """The greatest of the integers in `vectors` vectors from ``bits[at]`` on, none of them negative."""

    def codegen(context, builder, signature, args):
        def step(lanes, so_far):
            return builder.select(builder.icmp_signed(">", lanes, so_far), lanes, so_far)

        return _folded(context, builder, bits, args, 0, step, lambda builder, a, b: step(a, b))

    return bits.dtype(bits, types.int64, types.int64), codegen


def _lesser(builder, a, b):
    return builder.select(builder.icmp_signed("<", a, b), a, b)
