"""What products of halves prove, one inequality of bounds.cuh after the other, in rational numbers."""

from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from helpers import DTYPES

pytestmark = pytest.mark.gpu
SAMPLES = 2_000
KERNEL = """
template <class T>
__global__ void evaluate(int n, const double *bounds, const double *s, const double *other_s, const float *rho,
                         const float *other_rho, const double *length, const T *power, const float *sum, float *found,
                         T *powers) {
  const i64 i = thread_id();
  if (i >= n) return;
  const Bounds b = {bounds[5 * i], bounds[5 * i + 1], bounds[5 * i + 2], bounds[5 * i + 3], bounds[5 * i + 4]};
  const Reach by_length = reach_of(b, length[i], s[i]),
              by_power = reach_of_power<T>(b, bits_of(power[i]), s[i], rho[i]),
              by_distance = reach_of_distance(b, narrowed_up(length[i]), s[i], rho[i]);
  float *const out = found + 8 * i;
  out[0] = by_length.reach;
  out[1] = by_length.above;
  out[2] = least_sum(by_length, other_rho[i]);
  out[3] = by_power.reach;
  out[4] = by_power.above;
  out[5] = by_distance.reach;
  out[6] = narrowed_up(length[i]);
  out[7] = distance_above(b, sum[i], s[i], other_s[i], other_rho[i]);
  powers[i] = value_of(power_above<T>(b, sum[i], s[i], rho[i], other_s[i], other_rho[i]));
}
"""


def root_below(number):
    """A square root, rounded down to a multiple of 2^-200."""
    return Fraction(isqrt(number.numerator * 2**400 // number.denominator), 2**200)


def samples(g, dtype):
    """Numbers as they occur: lengths of halves, distances from near 0 to all of them, and sums of nearby points."""
    d = g.integers(24, 1_000, SAMPLES)
    eps = 2.0 ** g.uniform(-20, -12, SAMPLES)
    grow, tiny = 1 + 2 * (d + 4) * float(np.finfo(dtype).epsneg), np.sqrt(d) * 2.0 ** g.uniform(-80, -60, SAMPLES)
    bounds = np.stack([2.0 ** g.integers(-20, 20, SAMPLES), eps, 1.01 * eps, grow, tiny], axis=1)
    s, other_s = (2.0 ** g.uniform(0, 40, SAMPLES) for _ in range(2))
    rho, other_rho = ((np.sqrt(s) * 2.0 ** g.uniform(-12, -8, SAMPLES)).astype(np.float32) for _ in range(2))
    length = np.sqrt(s) * 2.0 ** g.uniform(-12, 1, SAMPLES)
    power = ((length / bounds[:, 0]) ** 2).astype(dtype)
    sum_of_terms = (s * g.uniform(-0.5, 0.5, SAMPLES)).astype(np.float32)
    return bounds, s, other_s, rho, other_rho, length, power, sum_of_terms


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_bound_is_on_the_safe_side(dtype):
    cupy = pytest.importorskip("cupy")
    from emst.cuda.runtime.compile import OPTIONS, ctype, source

    values = samples(np.random.default_rng(0), dtype)
    found, powers = cupy.empty((SAMPLES, 8), np.float32), cupy.empty(SAMPLES, dtype)
    name = f"evaluate<{ctype(np.dtype(dtype))}>"
    module = cupy.RawModule(code=source("points/halves") + KERNEL, options=OPTIONS, name_expressions=(name,))
    args = (np.int32(SAMPLES), *map(cupy.asarray, values), found, powers)
    module.get_function(name)((-(-SAMPLES // 128),), (128,), args)
    results = [[Fraction(float(x)) for x in row] for row in np.column_stack([found.get(), powers.get()])]
    for i, result in enumerate(results):
        (scale, eps, c, grow, tiny), s, other_s, rho, other_rho, length, power, total = (
            [Fraction(float(x)) for x in value[i]] if np.ndim(value[i]) else Fraction(float(value[i]))
            for value in values
        )
        reach, above, least, power_reach, power_above, distance_reach, narrowed, halves_apart, upper = result

        def sum_at(distance, eps=eps, s=s):  # the least sum of a point whose halves are no farther
            return ((1 - eps) * s - distance**2) / 2

        assert reach >= length
        assert above <= sum_at(length)
        assert least <= sum_at(length + other_rho)
        of_power = (root_below(power) + tiny) * grow * scale + rho
        assert power_reach >= of_power
        assert power_above <= sum_at(of_power)
        computed = (narrowed + rho) * grow + 2 * tiny * scale
        assert distance_reach >= computed * grow + rho
        square = max((1 + eps) * s - 2 * total + 4 * c * other_s, Fraction(0))
        assert halves_apart >= root_below(square) + other_rho
        assert upper >= (((halves_apart + rho) / scale) * grow + tiny) ** 2


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_the_move_rounds_away_is_counted(dtype):
    """Whole numbers less a tiny centre are rounded to whole numbers, which halves hold."""
    cupy = pytest.importorskip("cupy")
    from emst.cuda.runtime.compile import ctype
    from emst.cuda.runtime.constants import PRODUCT_CHUNK, PRODUCT_TILE
    from emst.cuda.runtime.launch import launch

    n, d, centre = 100, 24, 2.0**-60
    points = np.zeros((n, d + 1), dtype)
    points[:, :d] = np.random.default_rng(0).integers(1, 9, (n, d))
    halves = cupy.empty((PRODUCT_TILE, PRODUCT_CHUNK), np.uint16)
    square, rho, *starts = (cupy.empty(PRODUCT_TILE, t) for t in (np.float64, np.float32, np.float32, np.float32))
    rows = (cupy.asarray(points), n, PRODUCT_TILE, np.int32(d), np.int32(d + 1), cupy.full(d, centre))
    results = (np.int32(PRODUCT_CHUNK), halves, square, rho, *starts)
    launch("points/halves", f"halve<{ctype(points.dtype)}>", 32 * PRODUCT_TILE, *rows, 1.0, 1e-4, *results)
    np.testing.assert_array_equal(halves.get()[:n, :d].view(np.float16), points[:, :d])
    moved = d * Fraction(centre) ** 2  # the square of the distance between a point and its halves
    assert all(Fraction(float(r)) ** 2 >= moved for r in rho.get()[:n])
