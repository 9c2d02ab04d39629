"""What `device_ids` may be, which GPU gets which rows, and what is said where it cannot work."""

import types

import numpy as np
import pytest
from gpu_stand_ins import machine_with

import emst
from emst.distances.metrics import tree_metric_of
from emst.gpus import devices, inputs, memory
from emst.gpus.devices import checked_gpus
from emst.gpus.inputs import GivenPoints
from emst.progress import Lines, Progress

KEPT = (np.asarray, np.asarray)  # what gives results to the caller
EUCLIDEAN = tree_metric_of("euclidean", None)
POINTS = np.random.default_rng(1).random((40, 2))


@pytest.mark.parametrize(
    ("device_ids", "error", "said"),
    [
        ([], ValueError, "device_ids is empty"),
        ([0, 1, 0], ValueError, "device_ids names a GPU twice: 0, 1, 0"),
        ([0, 2], ValueError, "device_ids holds 2, but the GPUs of this machine are 0, 1"),
        ([-1], ValueError, "device_ids holds -1"),
        ("0,1", ValueError, "device_ids must be 'all', None or a list of numbers of GPUs; got '0,1'"),
        (2, ValueError, "got 2"),
        ([True], ValueError, r"got \[True\]"),
        ([0.5], ValueError, r"got \[0.5\]"),
    ],
)
def test_numbers_that_name_no_gpus(monkeypatch, device_ids, error, said):
    machine_with(monkeypatch, 2)
    with pytest.raises(error, match=said):
        checked_gpus(device_ids, "auto")


def test_all_and_lists(monkeypatch):
    machine_with(monkeypatch, 3)
    assert checked_gpus("all", "auto") == [0, 1, 2]
    assert checked_gpus((2, 0), "cuda") == [2, 0]
    assert checked_gpus(np.array([1]).tolist(), "cuda") == [1]


@pytest.mark.parametrize("make", [emst.EMST, emst.HDBSCANGPU])
def test_the_cpu_has_no_gpus(make):
    with pytest.raises(ValueError, match="device_ids names GPUs, but device is 'cpu': leave one of them out"):
        make(device="cpu", device_ids=[0]).fit(POINTS)


def test_without_a_gpu():
    pytest.importorskip("cupy")
    import cupy

    try:
        if cupy.cuda.runtime.getDeviceCount():
            pytest.skip("there is a GPU")
    except cupy.cuda.runtime.CUDARuntimeError:
        pass
    with pytest.raises(RuntimeError, match="device='cuda' found no usable GPU"):
        emst.EMST(device_ids="all").fit(POINTS)


def test_gpus_that_cannot_read_each_other(monkeypatch, capsys):
    machine_with(monkeypatch, 3, peers={(0, 1), (1, 0)})
    assert devices.without_peers([0, 1, 2]) == [(0, 2), (1, 2)]
    monkeypatch.setattr(memory, "WORTH", 2)
    given = GivenPoints([POINTS], POINTS.dtype, [0, 2], *KEPT)
    assert memory.worth_several(given, EUCLIDEAN, None, 1, Lines())
    assert "GPUs 0 and 2 cannot read each other's memory: their data goes through the host" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ranges", "gpus", "homes"),
    [
        ([(None, 10), (None, 10)], [0, 1], [0, 1]),
        ([(1, 10), (0, 10)], [0, 1], [1, 0]),
        ([(0, 10), (0, 10)], [0, 1], [0, 1]),
        ([(5, 10), (5, 9)], [0, 1], [0, 1]),
        ([(None, 7), (None, 7), (None, 6)], [3, 1, 2], [0, 1, 2]),
    ],
)
def test_rows_stay_where_they_are_as_far_as_shares_allow(ranges, gpus, homes):
    assert inputs._homes(ranges, gpus) == homes


def test_ranges_cover_all_rows():
    pieces = [np.empty((m, 2)) for m in (100, 0, 3, 50)]
    ranges = inputs._ranges(pieces, 3)
    for i, piece in enumerate(pieces):
        rows = [row for j, (start, end) in ranges if j == i for row in range(start, end)]
        assert rows == list(range(len(piece)))
    assert max(end - start for _, (start, end) in ranges) <= 51


def test_too_little_memory_names_the_gpu_and_both_figures(monkeypatch):
    free = iter([10**10, 3 * 10**8])
    ops = types.SimpleNamespace(tree_bytes=lambda n, d, dtype, k: 1300 * n, bytes_free=lambda: next(free))
    monkeypatch.setattr(memory, "backend_of", lambda _: ops)
    monkeypatch.setattr(memory, "on_gpu", lambda gpu: memoryview(b""))
    given = GivenPoints([np.empty((10**6, 2))], np.dtype(float), [4, 7], *KEPT)
    said = r"1,000,000 points .* over 2 GPUs needs 0.7 GB more memory on GPU 7; 0.3 GB are free; emst\.dask "
    with pytest.raises(MemoryError, match=said):
        memory.require_memory(given, EUCLIDEAN, None, 1)


@pytest.mark.parametrize(("n", "free", "several"), [(100, 10**6, False), (100, 1000, True), (2000, 10**9, True)])
def test_several_take_many_points_and_those_that_one_cannot_hold(monkeypatch, n, free, several):
    ops = types.SimpleNamespace(tree_bytes=lambda n, d, dtype, k: 100 * n, bytes_free=lambda: free)
    monkeypatch.setattr(memory, "backend_of", lambda _: ops)
    monkeypatch.setattr(memory, "on_gpu", lambda gpu: memoryview(b""))
    monkeypatch.setattr(memory, "without_peers", lambda gpus: [])
    monkeypatch.setattr(memory, "WORTH", 1000)
    given = GivenPoints([np.empty((n, 2))], np.dtype(float), [0, 1], *KEPT)
    assert memory.worth_several(given, EUCLIDEAN, None, 1, Progress()) == several


def test_labels_need_more_than_a_tree(monkeypatch):
    """On the first GPU. A list needs no more than one array: its rows are put together when something reads them."""
    ops = types.SimpleNamespace(tree_bytes=lambda n, d, dtype, k: 0, bytes_free=lambda: 110 * 10**6)
    monkeypatch.setattr(memory, "backend_of", lambda _: ops)
    monkeypatch.setattr(memory, "on_gpu", lambda gpu: memoryview(b""))
    points = np.empty((10**6, 2), np.float32)
    for pieces in ([points], [points[:10], points[10:]]):
        given = GivenPoints(pieces, points.dtype, [0, 1], *KEPT)
        memory.require_memory(given, EUCLIDEAN, None, 1)
        with pytest.raises(MemoryError, match=r"needs 0.2 GB more memory on GPU 0; 0.1 GB are free"):
            memory.require_memory(given, EUCLIDEAN, None, 1, labels=True)


def test_fewer_points_than_gpus_need_little_memory(monkeypatch):
    ops = types.SimpleNamespace(tree_bytes=lambda n, d, dtype, k: 100 * n, bytes_free=lambda: 10**4)
    monkeypatch.setattr(memory, "backend_of", lambda _: ops)
    monkeypatch.setattr(memory, "on_gpu", lambda gpu: memoryview(b""))
    given = GivenPoints([np.empty((2, 3))], np.dtype(float), [0, 1, 2], *KEPT)
    memory.require_memory(given, EUCLIDEAN, None, 1, labels=True)


@pytest.mark.parametrize(
    ("n", "d", "gpus", "least", "most"), [(10**9, 3, 2, 0, 1), (10**6, 16, 2, 250, 300), (10**6, 16, 8, 800, 1000)]
)
def test_partitions_ask_much_in_many_dimensions(n, d, gpus, least, most):
    """Bytes a point, in float32: in space hardly any."""
    assert least <= memory._asked(n, d, 4, 5, gpus) <= most


@pytest.mark.parametrize(("metric", "searched"), [("euclidean", "f4"), ("cosine", "f8"), ("haversine", "f8")])
def test_memory_is_that_of_the_dtype_that_is_searched(monkeypatch, metric, searched):
    """Some metrics search float32 points in float64."""
    asked = []
    ops = types.SimpleNamespace(tree_bytes=lambda n, d, dtype, k: asked.append(dtype) or 0, bytes_free=lambda: 10**9)
    monkeypatch.setattr(memory, "backend_of", lambda _: ops)
    monkeypatch.setattr(memory, "on_gpu", lambda gpu: memoryview(b""))
    given, chosen = (
        GivenPoints([np.empty((99, 2), np.float32)], np.dtype("f4"), [0, 1], *KEPT),
        tree_metric_of(metric, None),
    )
    memory.require_memory(given, chosen, None, 1)
    memory.worth_several(given, chosen, None, 1, Progress())
    assert asked == [np.dtype(searched)] * 2


def test_more_points_than_ids(monkeypatch):
    machine_with(monkeypatch, 2)
    monkeypatch.setattr(inputs, "MAX_POINTS", 60)
    with pytest.raises(ValueError, match="X has 80 points; ids are 32-bit"):
        inputs.given_points([POINTS, POINTS], [0, 1])
