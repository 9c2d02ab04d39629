"""Statistics of the points: bounds, rows that are not finite, sampled rows."""

import numpy as np
import pytest
from helpers import DTYPES, cloud, to_device


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 1023, 50_001])
@pytest.mark.parametrize("d", [1, 3, 20])
def test_statistics_finds_the_corners(ops, n, d, dtype):
    x = cloud(n, d, dtype, "uneven")
    statistics = ops.point_statistics(to_device(ops, x))
    assert (statistics.bad, statistics.first) == (0, -1)
    assert statistics.box.low.dtype == statistics.box.high.dtype == np.float64
    np.testing.assert_array_equal(statistics.box.low, x.min(axis=0))
    np.testing.assert_array_equal(statistics.box.high, x.max(axis=0))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n", [5_000, 100_000])
def test_statistics_counts_bad_rows_once(ops, n, value, dtype):
    x = cloud(n, 3, dtype)
    rows = [7, 4_000, n - 1]  # of many points, in the first chunk and in the last
    x[rows, [0, 1, 2]] = value
    x[7] = value  # three bad values, one bad row
    statistics = ops.point_statistics(to_device(ops, x))
    assert (statistics.bad, statistics.first) == (3, 7)
