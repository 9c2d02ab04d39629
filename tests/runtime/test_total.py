"""Sums of numbers."""

import math

import numpy as np
import pytest
from helpers import to_device


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 255, 2049, 300_001, 2_500_000])
def test_total(ops, n, dtype):
    values = np.random.default_rng(n).random(n).astype(dtype)
    values[::7] = np.finfo(dtype).smallest_subnormal
    total = ops.total(to_device(ops, values))
    assert isinstance(total, float)
    assert total == pytest.approx(math.fsum(values.tolist()), rel=1e-12)
    assert ops.total(to_device(ops, np.repeat(values, 2))[::2]) == pytest.approx(total, rel=1e-12)


def test_subnormal_numbers_count(ops):
    values = np.full(1000, np.finfo(np.float32).smallest_subnormal)
    assert ops.total(to_device(ops, values)) == 1000 * float(values[0])


def test_infinite(ops):
    assert ops.total(to_device(ops, np.array([1.0, np.inf]))) == math.inf
