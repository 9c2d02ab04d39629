"""One atomic operation on the CPU, for threads that take vertices from each other."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

from emst.cpu.lanes import address


@intrinsic
def compare_and_swap(typingctx, array, at, expected, value):
    """Write `value` to ``array[at]`` if `expected` stands there, in one step; returns what stood there."""

    def codegen(context, builder, signature, args):
        pointer = address(context, builder, signature.args[0], args[0], args[1])
        swapped = builder.cmpxchg(pointer, args[2], args[3], "monotonic", "monotonic")
        return builder.extract_value(swapped, 0)

    return array.dtype(array, types.int64, array.dtype, array.dtype), codegen
