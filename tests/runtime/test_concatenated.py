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


@pytest.mark.parametrize("small", [True, False])
def test_columns(ops, small, monkeypatch):
    """More parts than one launch copies, none, one that is not copied, and parts with gaps; elements of any size."""
    if ops.name == "cuda" and not small:
        monkeypatch.setattr("emst.cuda.runtime.copies.SMALL", 40)
    g, T = np.random.default_rng(3), [np.float32, np.int64, np.bool_, np.float64, np.int32]
    columns = [
        [g.integers(0, 9, (g.integers(0, 9), *shape)).astype(dtype) for _ in range(parts)]
        for parts, shape, dtype in zip([70, 5, 9, 1, 30], [(), (3,), (), (2,), ()], T)
    ]
    given = [[to_device(ops, part) for part in parts] for parts in columns]
    given.append([to_device(ops, g.random((8, 3)))[:, 1:], to_device(ops, g.random((5, 2)))])
    columns.append([to_host(part) for part in given[-1]])
    for found, parts in zip(ops.concatenated_columns(given), columns):
        assert isinstance(found, ops.xp.ndarray) and found.flags.c_contiguous and found.dtype == parts[0].dtype
        np.testing.assert_array_equal(to_host(found), np.concatenate(parts))
    assert ops.concatenated_columns([]) == []
    alone = given[3][0]
    ours = ops.asarrays(None, alone, columns[1][0], None)
    assert ours[0] is None and ours[1] is alone and ours[3] is None
    np.testing.assert_array_equal(to_host(ours[2]), columns[1][0])


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
@pytest.mark.parametrize("small", [True, False])
def test_parts_of_two_gpus(settled, small, monkeypatch):
    cupy = pytest.importorskip("cupy")
    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("needs two GPUs, and there is one")
    import contextlib

    from emst import cuda
    from emst.cuda.runtime import copies

    if not small:
        monkeypatch.setattr(copies, "SMALL", 0)
    launched, launch = [], copies.launch
    monkeypatch.setattr(copies, "launch", lambda room, name, *args: launched.append(name) or launch(room, name, *args))
    parts = [np.random.default_rng(i).random((1_000 * i, 3)) for i in range(4)]
    given = []
    for i, part in enumerate(parts):
        with cupy.cuda.Device(i % 2):
            given.append(cupy.asarray(part) if i < 3 else part)
            cupy.cuda.get_current_stream().synchronize()
    for gpu in (0, 1):
        with cupy.cuda.Device(gpu), cuda.settled() if settled else contextlib.nullcontext():
            launched.clear()
            joined = cuda.concatenated(given)
            assert joined.device.id == gpu
            np.testing.assert_array_equal(to_host(joined), np.concatenate(parts))
            assert launched == ["copy_pieces"] * small
            launched.clear()
            columns = cuda.asarrays(given[1], given[2], None, given[1][:7])
            assert launched == ["copy_pieces"] * (small and settled)
            for found, part in zip(columns, (parts[1], parts[2], None, parts[1][:7])):
                assert (found is None) == (part is None)
                if found is not None:
                    assert found.device.id == gpu
                    np.testing.assert_array_equal(to_host(found), part)
            alone = cuda.concatenated([given[1]])
            assert alone.device.id == gpu
            np.testing.assert_array_equal(to_host(alone), parts[1])
