"""Powers of distances between points and boxes, compared with radii: 16 at once, or of one pair.

Most of the time is spent here. The class of `space` says what a power is: see `norms`.
"""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

from emst.cpu.points.norms import power_of_box, power_of_distance, power_without_wrapping
from emst.cpu.runtime.compile import part
from emst.cpu.runtime.lanes import LANES, WORD, address, as_word, load, spread, store, vector


@intrinsic
def point_mask(typingctx, space, queries, query, blocks, leaf, radius, out):
    """Which points of the block at ``blocks[leaf]`` lie within `radius` of the point whose coordinates begin at
    ``queries[query]``, 16 apart; the powers of all 16 distances go to `out`."""

    def codegen(context, builder, signature, values):
        norm, asking, query, points, leaf, radius, out = values
        kind = vector(context, blocks.dtype)

        def difference(i):
            step = builder.mul(i, WORD(LANES))
            coordinate = builder.load(address(context, builder, queries, asking, builder.add(query, step)))
            there = load(context, builder, blocks, points, builder.add(leaf, step))
            return builder.fsub(spread(builder, coordinate, kind), there)

        total = power_of_distance(context, builder, space, norm, kind, difference)
        store(context, builder, total, signature.args[6], out, WORD(0))
        return as_word(builder, builder.fcmp_ordered("<=", total, spread(builder, radius, kind)))

    at = types.int64
    return types.int64(space, queries, at, blocks, at, blocks.dtype, out), codegen


@intrinsic
def box_mask(typingctx, space, blocks, packet, low, high, node, radii):
    """Which of the 16 points at ``blocks[packet]`` have box `node` within their radius."""

    def codegen(context, builder, signature, values):
        norm, points, packet, lows, highs, node, reach = values
        kind = vector(context, blocks.dtype)

        def corners(i):
            at = builder.add(node, builder.mul(i, WORD(LANES)))
            a, b = address(context, builder, low, lows, at), address(context, builder, high, highs, at)
            return builder.load(a), builder.load(b)

        def sides(i):
            x = load(context, builder, blocks, points, builder.add(packet, builder.mul(i, WORD(LANES))))
            a, b = (spread(builder, corner, kind) for corner in corners(i))
            return builder.fsub(a, x), builder.fsub(x, b)

        def flat(i):
            return builder.fcmp_ordered("==", *corners(i))

        total = power_of_box(context, builder, space, norm, kind, sides, flat)
        return as_word(builder, builder.fcmp_ordered("<=", total, load(context, builder, radii, reach, WORD(0))))

    at = types.int64
    return types.int64(space, blocks, at, low, high, at, radii), codegen


@intrinsic
def children_mask(typingctx, space, low, high, group, box, reach, out):
    """Which of the 16 boxes at ``low[group]`` come within `reach` of the box whose corners are the first and second
    d entries of `box`; the powers of all 16 distances go to `out`."""

    def codegen(context, builder, signature, values):
        norm, lows, highs, group, corners, reach, out = values
        kind = vector(context, low.dtype)
        d = builder.extract_value(norm, 0)

        def sides(i):
            at = builder.add(group, builder.mul(i, WORD(LANES)))
            a = load(context, builder, low, lows, at)
            b = load(context, builder, high, highs, at)
            c = spread(builder, builder.load(address(context, builder, box, corners, i)), kind)
            e = spread(builder, builder.load(address(context, builder, box, corners, builder.add(i, d))), kind)
            return builder.fsub(a, e), builder.fsub(c, b)

        total = power_of_box(context, builder, space, norm, kind, sides)
        store(context, builder, total, signature.args[6], out, WORD(0))
        return as_word(builder, builder.fcmp_ordered("<=", total, spread(builder, reach, kind)))

    at = types.int64
    return types.int64(space, low, high, at, box, low.dtype, out), codegen


@intrinsic
def box_power(typingctx, space, low, high, node, query_low, query_high, query):
    """Power of the distance between the box whose d coordinates begin at ``low[node]`` and ``high[node]``, and the one
    whose coordinates begin at ``query_low[query]`` and ``query_high[query]``. That of two points is exact."""

    def codegen(context, builder, signature, values):
        norm, lows, highs, node, query_lows, query_highs, query = values

        def read(array, at, i):
            return builder.load(address(context, builder, low, array, builder.add(at, i)))

        def sides(i):
            below = builder.fsub(read(lows, node, i), read(query_highs, query, i))
            return below, builder.fsub(read(query_lows, query, i), read(highs, node, i))

        def flat(i):
            both = ((lows, highs, node), (query_lows, query_highs, query))
            return builder.and_(*(builder.fcmp_ordered("==", read(a, at, i), read(b, at, i)) for a, b, at in both))

        return power_of_box(context, builder, space, norm, context.get_value_type(low.dtype), sides, flat)

    at = types.int64
    return low.dtype(space, low, high, at, query_low, query_high, at), codegen


@intrinsic
def box_width(typingctx, space, low, high):
    """Power of the vector from `low` to `high`, the corners of a box; a periodic box changes nothing."""

    def codegen(context, builder, signature, values):
        norm, lows, highs = values

        def difference(i):
            a, b = (address(context, builder, low, corner, i) for corner in (lows, highs))
            return builder.fsub(builder.load(b), builder.load(a))

        return power_without_wrapping(builder, space, norm, context.get_value_type(low.dtype), difference)

    return low.dtype(space, low, high), codegen


@intrinsic
def _power_between(typingctx, space, blocks, first, second):
    """Power of the distance of the points whose coordinates begin at ``blocks[first]`` and ``blocks[second]``."""

    def codegen(context, builder, signature, values):
        norm, points, first, second = values

        def difference(i):
            step = builder.mul(i, WORD(LANES))
            a, b = (address(context, builder, blocks, points, builder.add(at, step)) for at in (first, second))
            return builder.fsub(builder.load(a), builder.load(b))

        return power_of_distance(context, builder, space, norm, context.get_value_type(blocks.dtype), difference)

    at = types.int64
    return blocks.dtype(space, blocks, at, at), codegen


@part
def distance_power(blocks, space, i, j):
    """Power of the distance of two points."""
    d = space.d
    return _power_between(space, blocks, (i >> 4) * d * LANES + (i & 15), (j >> 4) * d * LANES + (j & 15))
