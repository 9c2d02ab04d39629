"""Atomic operations on elements of an array that several threads use at once.

To LLVM a plain load or store says that no other thread writes there: it may split it, repeat it, or keep the value in a
register for ever. So whatever one thread may write while another reads or writes it goes through here. All is
"monotonic": every element has one order of writes that all threads agree on, and nothing is said about other elements.
On x86 and ARM such loads and stores are ordinary instructions.
"""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

from emst.cpu.runtime.compile import part
from emst.cpu.runtime.lanes import address, load_shared
from emst.cpu.runtime.numbers import lesser


@intrinsic
def load(typingctx, array, at):
    """``array[at]``, which other threads may write."""

    def codegen(context, builder, signature, args):
        return load_shared(context, builder, signature.args[0], *args)

    return array.dtype(array, types.int64), codegen


@intrinsic
def store(typingctx, array, at, value):
    """Write `value` to ``array[at]``, which other threads may read or write."""

    def codegen(context, builder, signature, args):
        pointer = address(context, builder, signature.args[0], args[0], args[1])
        builder.store_atomic(args[2], pointer, "monotonic", align=context.get_abi_sizeof(args[2].type))
        return context.get_dummy_value()

    return types.void(array, types.int64, array.dtype), codegen


@intrinsic
def compare_and_swap(typingctx, array, at, expected, value):
    """Write `value` to ``array[at]`` if `expected` stands there, in one step; returns what stood there."""

    def codegen(context, builder, signature, args):
        pointer = address(context, builder, signature.args[0], args[0], args[1])
        swapped = builder.cmpxchg(pointer, args[2], args[3], "monotonic", "monotonic")
        return builder.extract_value(swapped, 0)

    return array.dtype(array, types.int64, array.dtype, array.dtype), codegen


@intrinsic
def _minimum(typingctx, array, at, value):
    """Lower ``array[at]``, an unsigned integer, to `value`, in one step."""

    def codegen(context, builder, signature, args):
        pointer = address(context, builder, signature.args[0], args[0], args[1])
        builder.atomic_rmw("umin", pointer, args[2], "monotonic")
        return context.get_dummy_value()

    return types.void(array, types.int64, array.dtype), codegen


@part
def lower(array, at, value):
    """Make ``array[at]``, an unsigned integer, the lesser of itself and `value`. The least value stays, whatever the
    order of the threads. Most values are no less, and a load is cheaper than an atomic minimum."""
    if value < load(array, at):
        _minimum(array, at, value)


@part
def lower_bound(array, at, value):
    """Lower an upper bound of any type. An update may get lost: if two threads lower it at the same moment, the greater
    value may stay."""
    store(array, at, lesser(load(array, at), value))
