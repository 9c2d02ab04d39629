"""Arrays one after the other, from the host, this device or another one."""

import numpy as np
import pytest
from helpers import DTYPES, to_device, to_host


@pytest.mark.parametrize("dtype", [*DTYPES, np.int32, np.int64])
@pytest.mark.parametrize("lengths", [[3], [0], [0, 0], [0, 5, 0], [4, 0, 70_001, 1]])
def test_parts_are_in_order(ops, lengths, dtype):
    g = np.random.default_rng(1)
    for shape in ((), (3,)):
        parts = [g.integers(0, 1_000, (length, *shape)).astype(dtype) for length in lengths]
        for given in (parts, [to_device(ops, part) for part in parts], [to_device(ops, parts[0]), *parts[1:]]):
            joined = ops.concatenated(given)
            assert isinstance(joined, ops.xp.ndarray) and joined.dtype == dtype and joined.flags.c_contiguous
            np.testing.assert_array_equal(to_host(joined), np.concatenate(parts))


@pytest.mark.parametrize("dtype", [*DTYPES, np.int32, np.bool_])
@pytest.mark.parametrize("shape", [(0,), (7,), (1_000, 3)])
def test_copied(ops, dtype, shape):
    """Also of an array with gaps; what is written to the copy is not in the array."""
    array = to_device(ops, np.random.default_rng(2).integers(0, 2, shape).astype(dtype))
    for given in (array, array[::2]):
        copy, before = ops.copied(given), to_host(given).copy()
        assert copy.dtype == dtype
        np.testing.assert_array_equal(to_host(copy), before)
        copy[...] = 1
        np.testing.assert_array_equal(to_host(given), before)


def test_the_only_part_is_not_copied(ops):
    part = to_device(ops, np.arange(7.0))
    assert ops.concatenated([part[:0], part, part[7:]]) is part


@pytest.mark.gpu
@pytest.mark.parametrize("settled", [False, True])
def test_parts_of_two_gpus(settled):
    cupy = pytest.importorskip("cupy")
    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("needs two GPUs, and there is one")
    import contextlib

    from emst import cuda

    parts = [np.random.default_rng(i).random((1_000 * i, 3)) for i in range(4)]
    given = []
    for i, part in enumerate(parts):
        with cupy.cuda.Device(i % 2):
            given.append(cupy.asarray(part) if i < 3 else part)
            cupy.cuda.get_current_stream().synchronize()
    for gpu in (0, 1):
        with cupy.cuda.Device(gpu), cuda.settled() if settled else contextlib.nullcontext():
            joined = cuda.concatenated(given)
            assert joined.device.id == gpu
            np.testing.assert_array_equal(to_host(joined), np.concatenate(parts))
            alone = cuda.concatenated([given[1]])
            assert alone.device.id == gpu
            np.testing.assert_array_equal(to_host(alone), parts[1])
