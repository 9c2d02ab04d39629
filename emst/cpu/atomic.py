"""A minimum that many threads lower at once: whatever the order in which they come by, the least value stays."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

from emst.cpu.kernels import part
from emst.cpu.lanes import address


@intrinsic
def atomic_min(typingctx, array, at, value):
    """Lower ``array[at]`` to `value`, in one step; `array` is contiguous, of unsigned integers."""

    def codegen(context, builder, signature, args):
        array, at, value = args
        builder.atomic_rmw("umin", address(context, builder, signature.args[0], array, at), value, "monotonic")
        return context.get_dummy_value()

    return types.void(array, types.int64, array.dtype), codegen


@part
def lower(array, at, value):
    """Lower ``array[at]`` to `value`: most offers are no better, and a look is cheaper than an atomic operation."""
    if value < array[at]:
        atomic_min(array, at, value)
