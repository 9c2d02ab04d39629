"""The code of |t|^p on the CPU: vectors and single numbers have the bits of the same operations in numpy."""

import math

import numpy as np
import pytest

from emst.backend.records import EXP2_SERIES, LOG2_SERIES, Norm
from emst.cpu.points.distances import distance_power, point_mask
from emst.cpu.points.norms import BELOW, space_of
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.lanes import LANES

ROUNDING = 1.5 * 2.0**52
EXACT = [
    Norm("euclidean", 2.0),
    Norm("manhattan", 1.0),
    Norm("chebyshev", 1.0),
    *(Norm("powers", p) for p in (0.5, 1.5, 2.5, 3.0, 7.0, 32.0)),
]
ANY = [Norm("any power", p) for p in (0.01, 0.3, 1.01, 1.3, math.pi, 7.7, 31.9)]


@kernel
def _powers(blocks, space, far, vectors, numbers):
    """Power of the distance from point 0 to all others, both ways."""
    for leaf in range(len(blocks) // LANES):
        at = leaf * LANES
        point_mask(space, blocks, 0, blocks, at, far, vectors[at : at + LANES])
    for i in range(len(blocks)):
        numbers[i] = distance_power(blocks, space, 0, i)


def powers(x, norm):
    """|x|^p of float64 or float32 numbers, as the kernels compute it."""
    blocks = np.zeros(-(-(len(x) + 1) // LANES) * LANES, x.dtype)  # one dimension: point i is blocks[i]
    blocks[1 : len(x) + 1] = x
    vectors, numbers = np.empty_like(blocks), np.empty_like(blocks)
    _powers(blocks, space_of(norm, 1, x.dtype), np.finfo(x.dtype).max, vectors, numbers)
    np.testing.assert_array_equal(vectors.view(np.uint8), numbers.view(np.uint8))
    return vectors[1 : len(x) + 1]


def rounded(x):
    return (x + ROUNDING) - ROUNDING


def series(coefficients, x):
    total = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total * x + coefficient
    return total


def any_power(x, p):
    """The definition, operation for operation, in numpy: x^p = 2^(p log2 x)."""
    bits = x.view(np.int64)
    e = (bits - np.float64(math.sqrt(0.5)).view(np.int64)) >> 52
    m = (bits - (e << 52)).view(np.float64)
    f = (m - 1) / (m + 1)
    logarithm = series(LOG2_SERIES, f * f) * f
    high = float((np.float64(p).view(np.int64) & np.int64(-1 << 13)).view(np.float64))
    y = high * e
    whole = rounded(y)
    r = ((y - whole) + (p - high) * e) + p * logarithm
    more = rounded(r)
    whole, r = whole + more, r - more
    result = np.ldexp(series(EXP2_SERIES, r), np.clip(whole, -1000, 1023).astype(np.int32))
    return np.where((x < 2.0**-1000) | (whole < -1000), 0.0, result)


def exact_power(x, norm):
    """Multiplications from the left, then one by the root."""
    if norm.kind != "powers":
        return x * x if norm.degree == 2 else x
    result = np.ones_like(x)
    for _ in range(int(norm.degree)):
        result = result * x
    return result * np.sqrt(x) if norm.degree % 1 else result


def numbers(p):
    """All sizes whose power is finite, and the places where the definition branches."""
    g = np.random.default_rng(round(1000 * p))
    sizes = np.ldexp(g.uniform(0.5, 1, 20_000), g.integers(-1074, int(min(1020, 1020 / p)), 20_000))
    near_one = g.uniform(0.5, 2, 20_000)
    places = np.array([2.0**-1000, 2.0 ** (-1000 / p), math.sqrt(0.5), 1, 2.0**0.5, 2.0, 0.5])
    return np.concatenate([[0.0, 5e-324], sizes, near_one, places, np.nextafter(places, 0), np.nextafter(places, 9)])


@pytest.mark.parametrize("norm", ANY, ids=str)
def test_any_power_is_its_definition(norm):
    x = numbers(norm.degree)
    expected = any_power(x, norm.degree)
    np.testing.assert_array_equal(powers(x, norm), expected)
    np.testing.assert_array_equal(powers(-x, norm), expected)


@pytest.mark.parametrize("norm", ANY, ids=str)
def test_any_power_is_near_the_true_one(norm):
    """Numpy's power is right to the last bit or two. Ours is off by p units in the last place of a logarithm as well,
    which the root divides by p."""
    x = numbers(norm.degree)
    true = x**norm.degree
    seen = (x >= 2.0**-1000) & (true >= 2.0**-999)
    np.testing.assert_allclose(powers(x, norm)[seen], true[seen], rtol=1e-15 * max(2, norm.degree / 8))


@pytest.mark.parametrize("norm", ANY, ids=str)
def test_any_power_falls_by_less_than_a_box_is_lowered(norm):
    x = np.sort(numbers(norm.degree))
    power = powers(x, norm)
    assert (power[1:] >= power[:-1] * BELOW).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("norm", EXACT, ids=str)
def test_exact_powers(norm, dtype):
    x = np.random.default_rng(0).standard_normal(1000).astype(dtype)
    np.testing.assert_array_equal(powers(x, norm), exact_power(abs(x), norm))
    assert not np.signbit(powers(np.array([0.0, -0.0], dtype), norm)).any()


@pytest.mark.parametrize("norm", [*EXACT, *ANY], ids=str)
def test_lanes_without_a_point_are_infinitely_far(norm):
    assert powers(np.array([np.inf]), norm)[0] == np.inf
