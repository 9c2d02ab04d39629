"""Prefetching: a loop that is going to read scattered places in memory starts to load them before it needs them."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from emst.cpu.runtime.lanes import address

FOR_WRITING, KEEP, DATA = (ir.Constant(ir.IntType(32), value) for value in (1, 3, 1))


@intrinsic
def prefetch(typingctx, array, at):
    """Begin to bring the line of ``array[at]`` into the cache; `array` is contiguous."""

    def codegen(context, builder, signature, args):
        byte = ir.IntType(8).as_pointer()
        pointer = builder.bitcast(address(context, builder, signature.args[0], *args), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte] + [FOR_WRITING.type] * 3)
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        builder.call(function, [pointer, FOR_WRITING, KEEP, DATA])
        return context.get_dummy_value()

    return types.void(array, types.int64), codegen
