"""Vectors of 16 lanes, written as LLVM vectors: the few operations that all searches spend their time in.

The auto-vectoriser gives up on loops this short, or spills them to memory. These intrinsics emit `<16 x T>` directly;
LLVM splits them into whatever the machine has (two AVX-512, four AVX2, eight NEON registers).

Arrays are flat: dimension i of a block of 16 begins at ``at + 16 * i``. `dims` is a tuple that carries the dimension
in its type, ``(0, 0, 0)`` unrolls for d = 3; the empty tuple asks for a loop over the number `d` instead.
Results are bit masks, lane 0 lowest. Distances are rounded as the law says: subtract, multiply, add; none is fused.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 16
WORD = ir.IntType(64)
MASK = ir.IntType(LANES)


def vector(context, element):
    return ir.VectorType(context.get_value_type(element), LANES)


def address(context, builder, array_type, array, at):
    """Pointer to ``array[at]`` of a contiguous array."""
    data = cgutils.create_struct_proxy(array_type)(context, builder, value=array).data
    return builder.gep(data, [at])


def load(context, builder, array_type, array, at):
    """16 consecutive elements from `at` on."""
    pointer = address(context, builder, array_type, array, at)
    kind = vector(context, array_type.dtype)
    return builder.load(builder.bitcast(pointer, kind.as_pointer()), align=context.get_abi_sizeof(kind.element))


def store(context, builder, value, array_type, array, at):
    pointer = address(context, builder, array_type, array, at)
    size = context.get_abi_sizeof(value.type.element)
    builder.store(value, builder.bitcast(pointer, value.type.as_pointer()), align=size)


def spread(builder, scalar, kind):
    """The same value in all lanes."""
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), lanes)


def greater(builder, a, b):
    """Lane by lane, one instruction where neither is a NaN."""
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def as_word(builder, lanes):
    """16 comparisons as an integer."""
    return builder.zext(builder.bitcast(lanes, MASK), WORD)


def sum_of_squares(builder, dims, d, kind, difference):
    """Sum over i of difference(i)^2, in the order of the law."""

    def square(i):
        t = difference(i)
        return builder.fmul(t, t)

    if len(dims):
        total = square(WORD(0))
        for i in range(1, len(dims)):
            total = builder.fadd(total, square(WORD(i)))
        return total
    slot = cgutils.alloca_once_value(builder, square(WORD(0)))
    with cgutils.for_range(builder, d, start=WORD(1), intp=WORD) as loop:
        builder.store(builder.fadd(builder.load(slot), square(loop.index)), slot)
    return builder.load(slot)


@intrinsic
def point_mask(typingctx, dims, d, blocks, query, leaf, radius, out):
    """Which points of the block at `leaf` lie within `radius` of the point whose coordinates begin at
    ``blocks[query]``, 16 apart; all 16 squared distances go to `out`."""

    def codegen(context, builder, signature, values):
        _, d, points, query, leaf, radius, out = values
        kind = vector(context, blocks.dtype)

        def difference(i):
            step = builder.mul(i, WORD(LANES))
            own = builder.load(address(context, builder, blocks, points, builder.add(query, step)))
            there = load(context, builder, blocks, points, builder.add(leaf, step))
            return builder.fsub(spread(builder, own, kind), there)

        total = sum_of_squares(builder, dims, d, kind, difference)
        store(context, builder, total, signature.args[6], out, WORD(0))
        return as_word(builder, builder.fcmp_ordered("<=", total, spread(builder, radius, kind)))

    at = types.int64
    return types.int64(dims, at, blocks, at, at, blocks.dtype, out), codegen


@intrinsic
def box_mask(typingctx, dims, d, blocks, packet, low, high, node, radii):
    """Which of the 16 points at ``blocks[packet]`` are within their own radius of box `node`."""

    def codegen(context, builder, signature, values):
        _, d, points, packet, lows, highs, node, reach = values
        kind = vector(context, blocks.dtype)

        def difference(i):
            step = builder.mul(i, WORD(LANES))
            own = load(context, builder, blocks, points, builder.add(packet, step))
            at = builder.add(node, step)
            a = spread(builder, builder.load(address(context, builder, low, lows, at)), kind)
            b = spread(builder, builder.load(address(context, builder, high, highs, at)), kind)
            return greater(builder, greater(builder, builder.fsub(a, own), builder.fsub(own, b)), ir.Constant(kind, None))

        total = sum_of_squares(builder, dims, d, kind, difference)
        return as_word(builder, builder.fcmp_ordered("<=", total, load(context, builder, radii, reach, WORD(0))))

    at = types.int64
    return types.int64(dims, at, blocks, at, low, high, at, radii), codegen


@intrinsic
def children_mask(typingctx, dims, d, low, high, group, box, reach, out):
    """Which of the 16 boxes at ``low[group]`` come within `reach` of the box whose corners are the first and second
    d entries of `box`; all 16 squared distances go to `out`."""

    def codegen(context, builder, signature, values):
        _, d, lows, highs, group, corners, reach, out = values
        kind = vector(context, low.dtype)

        def difference(i):
            at = builder.add(group, builder.mul(i, WORD(LANES)))
            a = load(context, builder, low, lows, at)
            b = load(context, builder, high, highs, at)
            c = spread(builder, builder.load(address(context, builder, box, corners, i)), kind)
            e = spread(builder, builder.load(address(context, builder, box, corners, builder.add(i, d))), kind)
            return greater(builder, greater(builder, builder.fsub(a, e), builder.fsub(c, b)), ir.Constant(kind, None))

        total = sum_of_squares(builder, dims, d, kind, difference)
        store(context, builder, total, signature.args[7], out, WORD(0))
        return as_word(builder, builder.fcmp_ordered("<=", total, spread(builder, reach, kind)))

    at = types.int64
    return types.int64(dims, at, low, high, at, box, low.dtype, out), codegen


@intrinsic
def unequal_mask(typingctx, array, at, value):
    """Which of the 16 integers from `at` on differ from `value`."""

    def codegen(context, builder, signature, values):
        ints, at, value = values
        lanes = load(context, builder, array, ints, at)
        return as_word(builder, builder.icmp_signed("!=", lanes, spread(builder, value, lanes.type)))

    return types.int64(array, types.int64, array.dtype), codegen


@intrinsic
def at_most_mask(typingctx, array, at, value):
    """Which of the 16 numbers from `at` on are at most `value`."""

    def codegen(context, builder, signature, values):
        numbers, at, value = values
        lanes = load(context, builder, array, numbers, at)
        return as_word(builder, builder.fcmp_ordered("<=", lanes, spread(builder, value, lanes.type)))

    return types.int64(array, types.int64, array.dtype), codegen


@intrinsic
def greatest(typingctx, array):
    """The greatest of the first 16 numbers (none a NaN)."""

    def codegen(context, builder, signature, values):
        lanes = load(context, builder, array, values[0], WORD(0))
        undefined = ir.Constant(lanes.type, ir.Undefined)
        half = LANES // 2
        while half:
            order = [(i + half) % LANES for i in range(LANES)]
            turned = builder.shuffle_vector(
                lanes, undefined, ir.Constant(ir.VectorType(ir.IntType(32), LANES), order)
            )
            lanes = greater(builder, lanes, turned)
            half //= 2
        return builder.extract_element(lanes, ir.Constant(ir.IntType(32), 0))

    return array.dtype(array), codegen


@intrinsic
def insert_sorted(typingctx, values, ids, at, value, name):
    """Insert a value, and its id, into the ascending row of 16 that begins at ``values[at]``; the last drops out."""

    def codegen(context, builder, signature, args):
        numbers, names, at, value, name = args
        row, row_ids = load(context, builder, values, numbers, at), load(context, builder, ids, names, at)
        value, name = spread(builder, value, row.type), spread(builder, name, row_ids.type)
        order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0, *range(LANES - 1)])
        moved = builder.shuffle_vector(row, ir.Constant(row.type, ir.Undefined), order)
        moved_ids = builder.shuffle_vector(row_ids, ir.Constant(row_ids.type, ir.Undefined), order)
        first = ir.Constant(ir.VectorType(ir.IntType(1), LANES), [1] + [0] * (LANES - 1))
        stays = builder.fcmp_ordered("<=", row, value)
        here = builder.or_(first, builder.fcmp_ordered("<=", moved, value))
        row = builder.select(stays, row, builder.select(here, value, moved))
        row_ids = builder.select(stays, row_ids, builder.select(here, name, moved_ids))
        store(context, builder, row, values, numbers, at)
        store(context, builder, row_ids, ids, names, at)
        return context.get_dummy_value()

    return types.void(values, ids, types.int64, values.dtype, ids.dtype), codegen


@intrinsic
def lowest_bit(typingctx, mask):
    """Number of the lowest bit that is set in a mask that is not 0."""

    def codegen(context, builder, signature, values):
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen
