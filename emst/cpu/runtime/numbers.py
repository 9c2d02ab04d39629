"""The lesser and the greater of two numbers, the greatest finite number, and the bits of a number, as intrinsics that
compile fast.

`min`, `max` and `np.finfo` work in kernels too, but each use takes a twentieth of a second to compile;
an intrinsic is two instructions and costs nothing.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _common(a, b):
    """The wider of two types of one kind."""
    a, b = types.unliteral(a), types.unliteral(b)
    return a if a.bitwidth >= b.bitwidth else b


def _chosen(kind, sign):
    """Code of ``second if second SIGN first else first``, as Python's `min` and `max` do."""

    def codegen(context, builder, signature, values):
        first, second = values
        if isinstance(kind, types.Float):
            other = builder.fcmp_ordered(sign, second, first)
        elif kind.signed:
            other = builder.icmp_signed(sign, second, first)
        else:
            other = builder.icmp_unsigned(sign, second, first)
        return builder.select(other, second, first)

    return codegen


@intrinsic
def lesser(typingctx, a, b):
    """``min(a, b)`` of two integers or two floating-point numbers."""
    kind = _common(a, b)
    return kind(kind, kind), _chosen(kind, "<")


@intrinsic
def greater(typingctx, a, b):
    """``max(a, b)`` of two integers or two floating-point numbers."""
    kind = _common(a, b)
    return kind(kind, kind), _chosen(kind, ">")


@intrinsic
def greatest_finite(typingctx, array):
    """The greatest finite number of an array's type."""

    def codegen(context, builder, signature, values):
        kind = {32: np.float32, 64: np.float64}[array.dtype.bitwidth]
        return ir.Constant(context.get_value_type(array.dtype), float(np.finfo(kind).max))

    return array.dtype(array), codegen


@intrinsic
def bits_of(typingctx, value):
    """The bits of a float64 as an unsigned integer."""

    def codegen(context, builder, signature, values):
        return builder.bitcast(values[0], ir.IntType(64))

    return types.uint64(types.float64), codegen
