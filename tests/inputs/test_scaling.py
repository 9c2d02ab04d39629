"""Scaling by a power of two, and the grid of the curve."""

import numpy as np
import pytest
import reference
from helpers import DTYPES, cloud, to_device, to_host

from emst.backend.records import PointStatistics
from emst.inputs.scaling import scaling_of


def statistics_of(x, sample=()):
    """Statistics of finite points, with these rows for a sample."""
    sample = np.asarray(sample, float).reshape(-1, x.shape[1])
    return PointStatistics(x.min(axis=0).astype(float), x.max(axis=0).astype(float), 0, -1, sample)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("magnitude", [0.25, 1e-30, 1e30, "greatest"])
def test_scale_is_a_power_of_two_and_leaves_room_for_squares(magnitude, dtype):
    greatest = float(np.finfo(dtype).max) if magnitude == "greatest" else magnitude
    corner = np.full(70, greatest)
    scaling = scaling_of(statistics_of(np.array([-corner, corner])), np.dtype(dtype))
    assert np.frexp(scaling.scale)[0] == 0.5
    diagonal = (corner * scaling.scale * 2).astype(dtype)
    with np.errstate(over="raise"):
        assert np.isfinite(reference.squared_distance(diagonal, np.zeros(70, dtype)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("far", [1e9, 1e30])
def test_a_few_far_points_do_not_blur_the_others(ops, far, dtype):
    x = cloud(20_000, 3, dtype)
    x[[3, 500, 19_000]] = [[far, 0, 0], [-far, far, 0], [0, 0, -far]]
    scaling = scaling_of(statistics_of(x, x[::20]), x.dtype)
    codes = to_host(ops.curve_codes(to_device(ops, x), scaling))
    np.testing.assert_array_equal(codes[:200], reference.curve_codes(x[:200], scaling))
    assert len(np.unique(codes)) > 19_000  # with the box around them all it would be 4


def test_without_outliers_the_grid_is_the_box():
    x = np.random.default_rng(0).normal(size=(20_000, 3))
    sampled, plain = scaling_of(statistics_of(x, x[::20]), x.dtype), scaling_of(statistics_of(x), x.dtype)
    np.testing.assert_array_equal(sampled.low, plain.low)
    assert sampled.factor == plain.factor
