"""Vectors of 16 lanes, written as LLVM vectors: the few operations that all searches spend their time in.

The auto-vectoriser gives up on loops this short, or spills them to memory. These intrinsics emit `<16 x T>` directly;
LLVM splits them into whatever the machine has (two AVX-512, four AVX2, eight NEON registers).

Arrays are flat: dimension i of a block of 16 begins at ``at + 16 * i``. Results are bit masks, lane 0 lowest.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from emst.cpu.runtime.numba_internals import data_pointer

LANES = 16
WORD = ir.IntType(64)
MASK = ir.IntType(LANES)


def vector(context, element):
    return ir.VectorType(context.get_value_type(element), LANES)


def address(context, builder, array_type, array, at):
    """Pointer to ``array[at]`` of a contiguous array."""
    return builder.gep(data_pointer(context, builder, array_type, array), [at])


def load_shared(context, builder, array_type, array, at):
    """``array[at]``, which other threads may write: see `atomics`."""
    pointer = address(context, builder, array_type, array, at)
    size = context.get_abi_sizeof(context.get_value_type(array_type.dtype))
    return builder.load_atomic(pointer, "monotonic", align=size)


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


def lesser(builder, a, b):
    return builder.select(builder.fcmp_ordered("<", a, b), a, b)


def as_word(builder, lanes):
    """16 comparisons as an integer."""
    return builder.zext(builder.bitcast(lanes, MASK), WORD)


def loop(builder, start, stop, values, body):
    """For i from `start` on, while it is less than `stop`: ``values = body(i, values)``. Returns the last values."""
    before = builder.block
    top, inside, after = (builder.append_basic_block(name) for name in ("loop", "body", "done"))
    builder.branch(top)
    builder.position_at_end(top)
    i, *current = (builder.phi(value.type) for value in (start, *values))
    builder.cbranch(builder.icmp_signed("<", i, stop), inside, after)
    builder.position_at_end(inside)
    following = (builder.add(i, i.type(1)), *body(i, current))
    for phi, first, later in zip((i, *current), (start, *values), following, strict=True):
        phi.add_incoming(first, before)
        phi.add_incoming(later, builder.block)
    builder.branch(top)
    builder.position_at_end(after)
    return current


@intrinsic
def unequal_mask(typingctx, array, at, value):
    """Which of the 16 integers from `at` on differ from `value`."""

    def codegen(context, builder, signature, values):
        ints, at, value = values
        lanes = load(context, builder, array, ints, at)
        return as_word(builder, builder.icmp_signed("!=", lanes, spread(builder, value, lanes.type)))

    return types.int64(array, types.int64, array.dtype), codegen


@intrinsic
def changes_mask(typingctx, array, at):
    """Which of the 16 integers from `at` on differ from the one after them."""

    def codegen(context, builder, signature, values):
        ints, at = values
        lanes = load(context, builder, array, ints, at)
        after = load(context, builder, array, ints, builder.add(at, WORD(1)))
        return as_word(builder, builder.icmp_signed("!=", lanes, after))

    return types.int64(array, types.int64), codegen


def load_unshared(context, builder, array_type, array, at):
    """``array[at]``, which no other thread writes."""
    return builder.load(address(context, builder, array_type, array, at))


def gather(context, builder, array_type, array, indices, load_one=load_unshared):
    """``array[index]`` in every lane; a negative index reads the first entry."""
    lanes = ir.Constant(vector(context, array_type.dtype), ir.Undefined)
    zero = ir.Constant(indices.type, None)
    indices = builder.select(builder.icmp_signed("<", indices, zero), zero, indices)
    for j in range(LANES):
        lane = ir.Constant(ir.IntType(32), j)
        index = builder.sext(builder.extract_element(indices, lane), WORD)
        lanes = builder.insert_element(lanes, load_one(context, builder, array_type, array, index), lane)
    return lanes


@intrinsic
def within_best_mask(typingctx, bound, labels, at, best):
    """Which of the 16 points from `at` on may hold their component's lightest edge: their lower bound is at most its
    `best`, which other threads may lower."""

    def codegen(context, builder, signature, values):
        bounds, names, at, bests = values
        lower = load(context, builder, bound, bounds, at)
        there = gather(context, builder, best, bests, load(context, builder, labels, names, at), load_shared)
        return as_word(builder, builder.fcmp_ordered("<=", lower, there))

    return types.int64(bound, labels, types.int64, best), codegen


@intrinsic
def cached_mask(typingctx, nearest, labels, at):
    """Which of the 16 points from `at` on have a cached neighbour in another component."""

    def codegen(context, builder, signature, values):
        neighbours, names, at = values
        ids = load(context, builder, nearest, neighbours, at)
        label = load(context, builder, labels, names, at)
        there = gather(context, builder, labels, names, ids)
        cached = builder.icmp_signed(">=", ids, ir.Constant(ids.type, None))
        return as_word(builder, builder.and_(cached, builder.icmp_signed("!=", label, there)))

    return types.int64(nearest, labels, types.int64), codegen


@intrinsic
def at_most_mask(typingctx, array, at, value):
    """Which of the 16 numbers from `at` on are at most `value`."""

    def codegen(context, builder, signature, values):
        numbers, at, value = values
        lanes = load(context, builder, array, numbers, at)
        return as_word(builder, builder.fcmp_ordered("<=", lanes, spread(builder, value, lanes.type)))

    return types.int64(array, types.int64, array.dtype), codegen


@intrinsic
def below_mask(typingctx, array, at, value):
    """Which of the 16 integers from `at` on are less than `value`."""

    def codegen(context, builder, signature, values):
        ints, at, value = values
        wide = builder.sext(load(context, builder, array, ints, at), ir.VectorType(WORD, LANES))
        return as_word(builder, builder.icmp_signed("<", wide, spread(builder, value, wide.type)))

    return types.int64(array, types.int64, types.int64), codegen


@intrinsic
def less_mask(typingctx, first, second):
    """Which of the first 16 numbers of an array are less than those of another."""

    def codegen(context, builder, signature, values):
        a, b = (load(context, builder, array, one, WORD(0)) for array, one in zip((first, second), values))
        return as_word(builder, builder.fcmp_ordered("<", a, b))

    return types.int64(first, second), codegen


def fold(builder, lanes, choose):
    """One of the lanes, chosen in rounds between two halves."""
    undefined = ir.Constant(lanes.type, ir.Undefined)
    half = LANES // 2
    while half:
        order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [(i + half) % LANES for i in range(LANES)])
        lanes = choose(builder, lanes, builder.shuffle_vector(lanes, undefined, order))
        half //= 2
    return builder.extract_element(lanes, ir.Constant(ir.IntType(32), 0))


@intrinsic
def greatest(typingctx, array, at):
    """The greatest of the 16 numbers from `at` on (none a NaN)."""

    def codegen(context, builder, signature, values):
        return fold(builder, load(context, builder, array, *values), greater)

    return array.dtype(array, types.int64), codegen


@intrinsic
def least(typingctx, array, at):
    """The least of the 16 numbers from `at` on (none a NaN)."""

    def codegen(context, builder, signature, values):
        return fold(builder, load(context, builder, array, *values), lesser)

    return array.dtype(array, types.int64), codegen


@intrinsic
def just_below(typingctx, value):
    """The number before one that is not negative; -1 before 0."""

    def codegen(context, builder, signature, values):
        kind = values[0].type
        whole = ir.IntType(8 * context.get_abi_sizeof(kind))
        before = builder.bitcast(builder.sub(builder.bitcast(values[0], whole), whole(1)), kind)
        return builder.select(builder.fcmp_ordered(">", values[0], kind(0.0)), before, kind(-1.0))

    return value(value), codegen


@intrinsic
def just_above(typingctx, value):
    """The number after one that is finite and not negative."""

    def codegen(context, builder, signature, values):
        kind = values[0].type
        whole = ir.IntType(8 * context.get_abi_sizeof(kind))
        return builder.bitcast(builder.add(builder.bitcast(values[0], whole), whole(1)), kind)

    return value(value), codegen


@intrinsic
def lowest_bit(typingctx, mask):
    """Number of the lowest bit that is set in a mask that is not 0."""

    def codegen(context, builder, signature, values):
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen
