"""The stable radix sort."""

import numpy as np
import pytest
from helpers import to_device, to_host


@pytest.mark.parametrize("n", [1, 2, 3, 1_000, 8_192, 8_193, 70_001])
@pytest.mark.parametrize("highest", [0, 1, 255, 2**16, 2**40, 2**64 - 1])
def test_sort_is_stable(ops, n, highest):
    codes = np.random.default_rng(n).integers(0, highest, n, np.uint64, endpoint=True)
    order = to_host(ops.sort_order(to_device(ops, codes)))
    assert order.dtype == np.int32
    np.testing.assert_array_equal(order, np.argsort(codes, kind="stable"))
