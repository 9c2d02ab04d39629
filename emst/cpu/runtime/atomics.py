"""Atomic operations on elements of an array, for threads that claim vertices or share minima."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

from emst.cpu.runtime.compile import part
from emst.cpu.runtime.lanes import address


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
    """Make ``array[at]``, an unsigned integer, the lesser of itself and `value`: whatever the order in which threads
    come by, the least value stays. Most offers are no better, and a look is cheaper than an atomic operation."""
    if value < array[at]:
        _minimum(array, at, value)
