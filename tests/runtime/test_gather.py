"""Elements at given places, read and written."""

import numpy as np
import pytest
from helpers import to_device, to_host

from emst.cuda.runtime.constants import FEW


@pytest.mark.parametrize("places", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.bool_, np.int16, np.float32, np.float64, np.int64])
@pytest.mark.parametrize("k", [0, 1, 100, 200_003])
def test_take(ops, k, dtype, places):
    g = np.random.default_rng(k)
    array, at = g.integers(0, 2**15, 70_000).astype(dtype), g.integers(0, 70_000, k).astype(places)
    taken = ops.take(to_device(ops, array), to_device(ops, at))
    assert taken.dtype == dtype
    np.testing.assert_array_equal(to_host(taken), array[at])


@pytest.mark.parametrize("places", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize(("k", "d", "stride"), [(0, 3, 3), (1, 1, 1), (100, 3, 4), (100, 1, 4), (30_000, 40, 41)])
def test_take_rows(ops, k, d, stride, dtype, places):
    """There may be more columns in memory than the rows have, which begin at the first or a later one."""
    g = np.random.default_rng(k)
    array, at = g.integers(0, 2**15, (700, stride)).astype(dtype), g.integers(0, 700, k).astype(places)
    for columns in (slice(d), slice(stride - d, stride)):
        taken = ops.take(to_device(ops, array)[:, columns], to_device(ops, at))
        assert taken.dtype == dtype and taken.flags.c_contiguous
        np.testing.assert_array_equal(to_host(taken), array[:, columns][at])


@pytest.mark.parametrize("places", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("k", [0, 1, 100, 70_000])
def test_put(ops, k, dtype, places):
    """Values in order, and in a column of an array."""
    g = np.random.default_rng(k)
    array, values = g.random(70_000).astype(dtype), (1e6 * g.random((k, 3))).astype(dtype)
    at, expected = g.permutation(70_000)[:k].astype(places), array.copy()
    for given in (to_device(ops, values)[:, 2], to_device(ops, values[:, 2])):
        written = to_device(ops, array)
        ops.put(written, to_device(ops, at), given)
        expected[at] = values[:, 2]
        np.testing.assert_array_equal(to_host(written), expected)


def test_take_every_other():
    from emst.cpu import take

    array, at = np.arange(400_000)[::2], np.arange(200_000)[::-1]
    np.testing.assert_array_equal(take(array, at), array[at])


@pytest.mark.gpu
@pytest.mark.parametrize("share", [0.5, 1])
@pytest.mark.parametrize("n", [2, 200, FEW + 1, 300_001])
def test_put_in_two_passes(monkeypatch, n, share):
    """As many values: only the highest digit of their places is sorted by."""
    cupy = pytest.importorskip("cupy")
    from emst.cuda.runtime import gather

    passes, sort_pairs = [], gather.sort_pairs
    monkeypatch.setattr(gather, "FAR", 0)
    monkeypatch.setattr(gather, "sort_pairs", lambda *args, **more: passes.append(more) or sort_pairs(*args, **more))
    g = np.random.default_rng(n)
    array, places = g.random(n, np.float32), g.permutation(n)[: int(n * share)].astype(np.int32)
    values, written = g.random((len(places), 3), np.float32), cupy.asarray(array)
    gather.put(written, cupy.asarray(places), cupy.asarray(values)[:, 1])
    array[places] = values[:, 1]
    np.testing.assert_array_equal(written.get(), array)
    assert len(passes) == 1
