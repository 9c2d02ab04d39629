"""Elements at given places, read and written."""

import numpy as np
import pytest
from helpers import to_device, to_host


@pytest.mark.parametrize("places", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.bool_, np.int16, np.float32, np.float64, np.int64])
@pytest.mark.parametrize("k", [0, 1, 100, 200_003])
def test_take(ops, k, dtype, places):
    g = np.random.default_rng(k)
    array, at = g.integers(0, 2**15, 70_000).astype(dtype), g.integers(0, 70_000, k).astype(places)
    taken = ops.take(to_device(ops, array), to_device(ops, at))
    assert taken.dtype == dtype
    np.testing.assert_array_equal(to_host(taken), array[at])


def test_take_every_other():
    from emst.cpu import take

    array, at = np.arange(400_000)[::2], np.arange(200_000)[::-1]
    np.testing.assert_array_equal(take(array, at), array[at])


@pytest.mark.parametrize("places", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("k", [0, 1, 50_000])
def test_put(ops, k, dtype, places):
    g = np.random.default_rng(k)
    array, values = g.integers(0, 2**15, 70_000).astype(dtype), g.integers(0, 2**15, k).astype(dtype)
    at, changed = g.permutation(70_000)[:k].astype(places), to_device(ops, array)
    ops.put(changed, to_device(ops, at), to_device(ops, values))
    array[at] = values
    np.testing.assert_array_equal(to_host(changed), array)
