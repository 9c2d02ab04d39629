"""PointStatistics, Hilbert codes and their sort."""

import numpy as np
import pytest
import reference
from helpers import DIMENSIONS, DTYPES, KINDS, cloud, scaling_for, to_device, to_host

from emst.backend.records import Scaling
from emst.inputs.scaling import sample_rows, scaling_of


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 1023, 50_001])
@pytest.mark.parametrize("d", [1, 3, 20])
def test_statistics_finds_the_corners(ops, n, d, dtype):
    x = cloud(n, d, dtype, "uneven")
    statistics = ops.point_statistics(to_device(ops, x))
    assert (statistics.bad, statistics.first) == (0, -1)
    assert statistics.low.dtype == statistics.high.dtype == np.float64
    np.testing.assert_array_equal(statistics.low, x.min(axis=0))
    np.testing.assert_array_equal(statistics.high, x.max(axis=0))
    np.testing.assert_array_equal(statistics.sample, x[sample_rows(n)])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_statistics_counts_bad_rows_once(ops, value, dtype):
    x = cloud(20_000, 3, dtype)
    rows = [7, 4_000, 19_999]
    x[rows, [0, 1, 2]] = value
    x[7] = value  # three bad values, one bad row
    statistics = ops.point_statistics(to_device(ops, x))
    assert (statistics.bad, statistics.first) == (3, 7)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [*DIMENSIONS, 64, 65])
@pytest.mark.parametrize("kind", KINDS)
def test_codes_equal_the_twin(ops, d, kind, dtype):
    x = cloud(150, d, dtype, kind)
    scaling = scaling_for(x)
    codes = to_host(ops.curve_codes(to_device(ops, x), scaling))
    assert codes.dtype == np.uint64
    np.testing.assert_array_equal(codes, reference.curve_codes(x, scaling))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("extent", [1e-30, 1.0, 1e30])
def test_codes_do_not_depend_on_the_unit(ops, extent, dtype):
    x = (cloud(300, 2, np.float64) - 0.5).astype(dtype)
    power = dtype(2.0 ** round(np.log2(extent)))
    one, other = (to_host(ops.curve_codes(to_device(ops, y), scaling_for(y))) for y in (x, x * power))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", DTYPES)
def test_equal_points_have_code_zero(ops, dtype):
    x = np.full((100, 3), 7.5, dtype)
    assert not to_host(ops.curve_codes(to_device(ops, x), scaling_for(x))).any()


@pytest.mark.parametrize(("d", "side"), [(2, 64), (3, 16), (4, 8), (5, 4)])
def test_neighbours_on_the_curve_are_neighbours_in_space(ops, d, side):
    cells = np.indices((side,) * d).reshape(d, -1).T
    bits = min(32, 64 // d)
    scaling = Scaling(np.zeros(d), 1.0, bits, 2.0**bits / side)
    x = cells + 0.5  # centres of the coarse cells, so their order is that of the curve's first bits
    order = to_host(ops.sort_order(ops.curve_codes(to_device(ops, x), scaling)))
    steps = np.abs(np.diff(cells[order], axis=0)).sum(axis=1)
    assert (steps == 1).all()


@pytest.mark.parametrize("n", [1, 2, 3, 1_000, 70_001])
@pytest.mark.parametrize("highest", [0, 1, 255, 2**16, 2**40, 2**64 - 1])
def test_sort_is_stable(ops, n, highest):
    codes = np.random.default_rng(n).integers(0, highest, n, np.uint64, endpoint=True)
    order = to_host(ops.sort_order(to_device(ops, codes)))
    assert order.dtype == np.int32
    np.testing.assert_array_equal(order, np.argsort(codes, kind="stable"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("magnitude", [0.25, 1e-30, 1e30, "greatest"])
def test_scale_is_a_power_of_two_and_leaves_room_for_squares(magnitude, dtype):
    greatest = float(np.finfo(dtype).max) if magnitude == "greatest" else magnitude
    corner = np.full(70, greatest)
    scaling = scaling_of(-corner, corner, np.dtype(dtype))
    assert np.frexp(scaling.scale)[0] == 0.5
    diagonal = (corner * scaling.scale * 2).astype(dtype)
    with np.errstate(over="raise"):
        assert np.isfinite(reference.squared_distance(diagonal, np.zeros(70, dtype)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("far", [1e9, 1e30])
def test_a_few_far_points_do_not_blur_the_others(ops, far, dtype):
    x = cloud(20_000, 3, dtype)
    x[[3, 500, 19_000]] = [[far, 0, 0], [-far, far, 0], [0, 0, -far]]
    scaling = scaling_of(x.min(axis=0).astype(float), x.max(axis=0).astype(float), x.dtype, x[::20].astype(float))
    codes = to_host(ops.curve_codes(to_device(ops, x), scaling))
    np.testing.assert_array_equal(codes[:200], reference.curve_codes(x[:200], scaling))
    assert len(np.unique(codes)) > 19_000  # with the box around them all it would be 4


def test_without_outliers_the_frame_is_the_box():
    x = np.random.default_rng(0).normal(size=(20_000, 3))
    low, high = x.min(axis=0), x.max(axis=0)
    sampled, plain = scaling_of(low, high, x.dtype, x[::20]), scaling_of(low, high, x.dtype)
    np.testing.assert_array_equal(sampled.low, plain.low)
    assert sampled.factor == plain.factor
