"""Norms as kernels know them, and the code of a distance's power.

Distances are compared as powers of the norm (see `emst.backend.records.Norm`). A kernel takes a `space`: a named tuple
whose class is the norm. The class is part of the type that a kernel is compiled for, so the code of the power is chosen
then, and no loop tests which norm it is. The same functions write the code for vectors and for single numbers, so both
give the same bits.

All operations round to the nearest number, and none is fused. Except for `AnyPower`, rounding is monotone: if every
difference of a box is at most that of a point inside, so is the box's power. The power of `AnyPower` may be off by a
few units in the last place either way, so the power of a box is lowered by more than that.

In a periodic box of length L, the difference of two coordinates is min(t, L - t) with t = |x - y|. Of all points y of a
box, let the nearest have the difference n and the farthest f, without wrapping. The box's difference is min(n, L - f).
As n <= t <= f, and as differences and rounding are monotone, n <= t and L - f <= L - t also after rounding. So this is
never above min(t, L - t), and it is equal for a box of one point.

The first field of every tuple is the dimension d.
"""

from __future__ import annotations

import math
import struct
from typing import NamedTuple

import numpy as np
from llvmlite import ir

from emst.backend.records import EXP2_SERIES, LOG2_SERIES
from emst.cpu.runtime.lanes import WORD, address, greater, lesser, loop, spread

SQRT_HALF = struct.unpack("<q", struct.pack("<d", math.sqrt(0.5)))[0]  # its bits
ROUNDING = 1.5 * 2**52  # x + ROUNDING has no bits below the point: x is rounded to a whole number
BELOW = 1 - 2.0**-40  # factor that lowers a box's power


class Euclidean(NamedTuple):
    """The power is the square. Loops over the dimensions are unrolled if `dims` is a tuple of d zeros: its length is
    part of its type. If it is empty, they run over the number `d`."""

    d: int
    dims: tuple


class Manhattan(NamedTuple):
    """The power is the distance itself."""

    d: int


class Chebyshev(NamedTuple):
    """The power is the distance itself, the greatest difference."""

    d: int


class WholePowers(NamedTuple):
    """The degree is `whole`."""

    d: int
    whole: int


class HalfPowers(NamedTuple):
    """The degree is `whole` and a half."""

    d: int
    whole: int


class AnyPower(NamedTuple):
    """The degree is `p`, also split into numbers of few bits: `high` times an exponent is exact."""

    d: int
    p: float
    high: float
    low: float


class Periodic(NamedTuple):
    """A norm in a periodic box."""

    d: int
    norm: tuple  # one of the above
    period: np.ndarray  # T[d]: see `Norm.lengths`


def space_of(norm, d, dtype):
    """The tuple that kernels take for points of dimension d and of this dtype."""
    if norm.period is None:
        return _open_space(norm, d, (2, 3))
    assert len(norm.period) == d, "a period is settled by `Metric.of_columns` before it is searched with"
    return Periodic(d, _open_space(norm, d, ()), norm.lengths(dtype))


def _open_space(norm, d, unrolled):
    """The tuple of a norm without its period.

    Only the Euclidean norm in an open box has separate kernels for two and three dimensions, those that are `unrolled`.
    They save a few percent of the time, and each takes seconds to compile."""
    if norm.kind == "euclidean":
        return Euclidean(d, (0,) * d if d in unrolled else ())
    if norm.kind in ("manhattan", "chebyshev"):
        return Manhattan(d) if norm.kind == "manhattan" else Chebyshev(d)
    if norm.kind == "any power":
        return AnyPower(d, norm.degree, *norm.parts)
    whole = int(norm.degree)
    return WholePowers(d, whole) if norm.degree == whole else HalfPowers(d, whole)


def for_few(space):
    """The space for kernels that work on few points: the same norm, but loops over the dimensions are not unrolled. One
    kernel then serves all dimensions. Compiling more of them takes longer than unrolled loops could save."""
    return Euclidean(space.d, ()) if isinstance(space, Euclidean) else space


def power_of_distance(context, builder, space, values, kind, difference):
    """Code of the power of a distance, from ``difference(i)`` of every coordinate, in their order. `kind` is the type
    of a number or of a vector; `space` is the tuple's type, `values` its fields."""
    if space.instance_class is not Periodic:
        return _power(builder, space, values, kind, difference)
    length = _lengths(context, builder, space, values, kind)

    def wrapped(i):
        apart = _call(builder, "fabs", difference(i))
        return lesser(builder, builder.fsub(length(i), apart), apart)

    return _power(builder, *_without_period(builder, space, values), kind, wrapped)


def power_without_wrapping(builder, space, values, kind, difference):
    """The same of differences as they are, also in a periodic box."""
    if space.instance_class is Periodic:
        space, values = _without_period(builder, space, values)
    return _power(builder, space, values, kind, difference)


def _without_period(builder, space, values):
    """Type and fields of the tuple inside a periodic one."""
    return space.types[1], builder.extract_value(values, 1)


def _lengths(context, builder, space, values, kind):
    """A function of i that writes the code of the period in coordinate i."""
    period = builder.extract_value(values, 2)

    def length(i):
        scalar = builder.load(address(context, builder, space.types[2], period, i))
        return spread(builder, scalar, kind) if isinstance(kind, ir.VectorType) else scalar

    return length


def _power(builder, space, values, kind, difference):
    """`power_of_distance` of differences that are wrapped already, or of a norm without a period."""
    norm = space.instance_class
    unrolled = len(space.types[1]) if norm is Euclidean else 0
    d, *parameters = (builder.extract_value(values, i) for i in range(1 if norm is Euclidean else len(space.types)))
    add = _greater_of_two if norm is Chebyshev else _sum_of_two

    def term(i):
        return TERMS[norm](builder, difference(i), kind, *parameters)

    total = term(WORD(0))
    for i in range(1, unrolled):
        total = add(builder, total, term(WORD(i)))
    if not unrolled:
        (total,) = loop(builder, WORD(1), d, [total], lambda i, so_far: [add(builder, so_far[0], term(i))])
    return total


def power_of_box(context, builder, space, values, kind, sides, flat=None):
    """Code of the power of the distance to a box, which is never above that to a point inside.

    ``sides(i)`` are two differences of coordinate i: how far the box's low side lies above the query, and how far the
    query lies above the box's high side. Of two boxes, the nearest sides are compared.

    ``flat(i)`` says whether the box has no extent in a dimension. If it has none in any, all its points are equal, and
    its power is exactly theirs. So a search for strictly nearer points skips the box once it has found one of them. A
    lowered power would make it compare all of them."""
    if space.instance_class is Periodic:
        length = _lengths(context, builder, space, values, kind)
        space, values = _without_period(builder, space, values)

        def difference(i):
            below, above = sides(i)
            around = builder.fadd(length(i), lesser(builder, below, above))
            return lesser(builder, around, _gap(builder, below, above))
    else:

        def difference(i):
            return _gap(builder, *sides(i))

    total = _power(builder, space, values, kind, difference)
    if space.instance_class is not AnyPower:
        return total
    lowered = builder.fmul(total, number(kind, BELOW))
    if flat is None:
        return lowered
    yes, d = ir.Constant(ir.IntType(1), 1), builder.extract_value(values, 0)
    (point,) = loop(builder, WORD(0), d, [yes], lambda i, so_far: [builder.and_(so_far[0], flat(i))])
    return builder.select(point, total, lowered)


def _gap(builder, below, above):
    """How far one lies outside the other: the greatest of both differences and 0."""
    return greater(builder, greater(builder, below, above), number(below.type, 0.0))


def number(kind, value):
    """A constant, in all lanes if `kind` is a vector."""
    return ir.Constant(kind, [value] * kind.count if isinstance(kind, ir.VectorType) else value)


def _sum_of_two(builder, a, b):
    return builder.fadd(a, b)


def _greater_of_two(builder, a, b):
    return greater(builder, a, b)


def _call(builder, name, x):
    """Code of an LLVM intrinsic, for every lane."""
    element = getattr(x.type, "element", x.type)
    lanes = f"v{x.type.count}" if isinstance(x.type, ir.VectorType) else ""
    function = ir.FunctionType(x.type, [x.type])
    name = f"llvm.{name}.{lanes}{element.intrinsic_name}"
    return builder.call(builder.module.declare_intrinsic(name, (), function), [x])


def _square(builder, t, kind):
    return builder.fmul(t, t)


def _absolute(builder, t, kind):
    return _call(builder, "fabs", t)


def _whole_power(builder, t, kind, whole):
    """Repeated multiplication, from the left."""
    t = _absolute(builder, t, kind)
    (power,) = loop(builder, WORD(0), whole, [number(kind, 1.0)], lambda i, so_far: [builder.fmul(so_far[0], t)])
    return power


def _half_power(builder, t, kind, whole):
    root = _call(builder, "sqrt", _absolute(builder, t, kind))
    return builder.fmul(_whole_power(builder, t, kind, whole), root)


def _any_power(builder, t, kind, p, high, low):
    """|t|^p = 2^(p log2 |t|). Both backends do these operations and no others: a library's power rounds differently.

    If |t| = m 2^e with m around 1, the exponent is p log2 m + p e. The product of `high` and e is exact; its whole
    part n is separated before rounded terms are added."""
    x = _absolute(builder, t, kind)
    word = WORD
    if isinstance(kind, ir.VectorType):
        word = ir.VectorType(WORD, kind.count)
        p, high, low = (spread(builder, value, kind) for value in (p, high, low))
    bits = builder.bitcast(x, word)
    e = builder.ashr(builder.sub(bits, number(word, SQRT_HALF)), number(word, 52))
    m = builder.bitcast(builder.sub(bits, builder.shl(e, number(word, 52))), kind)
    one = number(kind, 1.0)
    f = builder.fdiv(builder.fsub(m, one), builder.fadd(m, one))
    logarithm = builder.fmul(_series(builder, LOG2_SERIES, builder.fmul(f, f)), f)
    e = builder.sitofp(e, kind)
    exact = builder.fmul(high, e)
    n = _rounded(builder, exact)
    r = builder.fadd(builder.fsub(exact, n), builder.fmul(low, e))
    r = builder.fadd(r, builder.fmul(p, logarithm))
    more = _rounded(builder, r)
    n, r = builder.fadd(n, more), builder.fsub(r, more)
    # The last bits of n + ROUNDING are n as an integer.
    whole = builder.bitcast(builder.fadd(n, number(kind, ROUNDING)), word)
    two_to_n = builder.shl(builder.add(whole, number(word, 1023)), number(word, 52))
    power = builder.fmul(_series(builder, EXP2_SERIES, r), builder.bitcast(two_to_n, kind))
    vanishes = builder.or_(
        builder.fcmp_ordered("<", x, number(kind, 2.0**-1000)), builder.fcmp_ordered("<", n, number(kind, -1000.0))
    )
    power = builder.select(vanishes, number(kind, 0.0), power)
    infinity = number(kind, math.inf)  # lanes without a point
    return builder.select(builder.fcmp_ordered("==", x, infinity), infinity, power)


def _series(builder, coefficients, x):
    """Horner's scheme."""
    total = number(x.type, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = builder.fadd(builder.fmul(total, x), number(x.type, coefficient))
    return total


def _rounded(builder, x):
    """The nearest whole number; ties go to the even one."""
    shift = number(x.type, ROUNDING)
    return builder.fsub(builder.fadd(x, shift), shift)


TERMS = {  # the code of |t|^p
    Euclidean: _square,
    Manhattan: _absolute,
    Chebyshev: _absolute,
    WholePowers: _whole_power,
    HalfPowers: _half_power,
    AnyPower: _any_power,
}
