"""Results on the workers as dask arrays, and rows back in the chunks of the input."""

import time

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from emst.dask.engine import DaskEngine
from emst.dask.inputs import chunks_of
from emst.dask.outputs import dask_array
from emst.partitions.chunks import scatter_rows

N = 1000
POINTS = np.random.default_rng(5).standard_normal((N, 3))


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def cluster(request, client):
    return DaskEngine(client, request.param)


@pytest.fixture(params=["in one place", "in packets"])
def way(request, cluster, monkeypatch):
    """Both ways of bringing rows back, on the same workers."""
    if request.param == "in one place":
        monkeypatch.setattr(cluster, "home", lambda partition: cluster.workers[0])
    return request.param


def placed(ops, array):
    return ops.asarray(array)


def partitions(cluster, values, parts=5, n=N):
    """Values of all rows in partitions that hold the rows in any order; the last one is empty."""
    order = np.random.default_rng(1).permutation(n)
    pieces = [*np.array_split(order, parts), order[:0]]
    return (
        [cluster.submit(placed, values[rows]) for rows in pieces],
        [cluster.submit(placed, rows.astype(np.int64)) for rows in pieces],
    )


def kept(client):
    """Keys in the workers' memory."""
    return {key for keys in client.run(lambda dask_worker: list(dask_worker.data)).values() for key in keys}


def soon(condition, seconds=5.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


@pytest.mark.parametrize("shape", [(N,), (N, 2)])
@pytest.mark.parametrize("dtype", [np.int64, np.float32])
def test_rows_come_back(cluster, way, shape, dtype):
    values = np.random.default_rng(2).integers(0, 100, shape).astype(dtype)
    chunks = chunks_of(da.from_array(POINTS, chunks=(300, 3)), cluster)
    back = scatter_rows(cluster, *partitions(cluster, values), chunks)
    found = cluster.gather(back)
    assert [len(one) for one in found] == [300, 300, 300, 100]
    assert all(type(one) is np.ndarray and one.dtype == dtype for one in found)
    assert np.array_equal(np.concatenate(found), values)
    columns = shape[1] if len(shape) == 2 else None
    array = dask_array(back, chunks.row_chunks, dtype, columns)
    assert array.shape == shape and array.dtype == dtype and array.chunks[0] == (300, 300, 300, 100)
    assert np.array_equal(array.compute(), values)


def test_empty_chunks(cluster, way):
    X = da.from_array(POINTS, chunks=(200, 3))
    kept_rows = (np.arange(N) // 200) % 2  # of every second chunk nothing is left
    chunks = chunks_of(X[da.from_array(kept_rows == 1, chunks=200)], cluster)
    assert chunks.sizes == [0, 200, 0, 200, 0]
    values = np.arange(400, dtype=np.float32)
    found = cluster.gather(scatter_rows(cluster, *partitions(cluster, values, n=400), chunks))
    assert [len(one) for one in found] == chunks.sizes
    assert {one.dtype for one in found} == {np.dtype(np.float32)}
    assert np.array_equal(np.concatenate(found), values)


def test_only_packets_with_rows_travel(cluster, monkeypatch):
    """Between workers: partitions that are ranges of rows send to the chunks that they touch only."""
    chunks = chunks_of(da.from_array(POINTS, chunks=(100, 3)), cluster)
    pieces = np.array_split(np.arange(N), 10)
    names = []
    submit = cluster.submit
    monkeypatch.setattr(
        cluster, "submit", lambda function, *a, **k: (names.append(function.__name__), submit(function, *a, **k))[1]
    )
    rows = [submit(placed, piece) for piece in pieces]
    found = cluster.gather(scatter_rows(cluster, rows, rows, chunks))
    assert np.array_equal(np.concatenate(found), np.arange(N))
    assert names.count("_packet") == 10


@pytest.mark.parametrize("lost", ["missing", "twice"])
def test_rows_that_do_not_come_are_an_error(cluster, way, lost):
    chunks = chunks_of(POINTS, cluster)
    rows = np.arange(N - 1) if lost == "missing" else np.append(np.arange(N), 7)
    future = cluster.submit(placed, rows)
    with pytest.raises(RuntimeError, match=r"a chunk of 500 rows got (499|501) results"):
        cluster.gather(scatter_rows(cluster, [future], [future], chunks))


def test_results_go_with_an_array_of_unknown_chunks(cluster, way):
    X = da.from_array(POINTS, chunks=(300, 3))
    X = X[X[:, 0] > 0]
    chunks = chunks_of(X, cluster)
    labels = np.arange(chunks.n) % 3
    array = dask_array(scatter_rows(cluster, *partitions(cluster, labels, n=chunks.n), chunks), chunks.row_chunks, int)
    assert np.array_equal(X[array == 1].compute(), POINTS[POINTS[:, 0] > 0][labels == 1])


def from_pandas(folder, table):
    return dd.from_pandas(table, npartitions=3)


def from_files(folder, table):
    dd.from_pandas(table, npartitions=3).to_parquet(folder)
    return dd.read_parquet(folder)


def optimized(folder, table):
    """Without `optimize`, Dask joins the partitions only later, and cannot put the two together."""
    dd.from_pandas(table.assign(**{name: 0.0 for name in "abcdefghi"}), npartitions=6).to_parquet(folder)
    frame = dd.read_parquet(folder)
    frame = frame[frame.x > -1e9][list("xyz")].optimize()
    assert frame.npartitions < 6
    return frame


@pytest.mark.parametrize("make", [from_pandas, from_files, optimized])
def test_results_are_a_column_of_a_frame(cluster, way, tmp_path, make):
    table = pd.DataFrame(POINTS, columns=list("xyz"))
    X = make(tmp_path / "points", table)
    chunks = chunks_of(X, cluster)
    labels = np.arange(chunks.n)
    array = dask_array(scatter_rows(cluster, *partitions(cluster, labels, n=chunks.n), chunks), chunks.row_chunks, int)
    X.assign(label=array).to_parquet(tmp_path / "labels")
    found = pd.read_parquet(tmp_path / "labels")
    assert np.array_equal(found["label"], labels)
    assert np.array_equal(found[["x", "y", "z"]], table)


def test_results_leave_the_workers_with_the_array(cluster, way, client):
    before = kept(client)
    chunks = chunks_of(da.from_array(POINTS, chunks=(300, 3)), cluster)
    with cluster.releasing():
        array = dask_array(scatter_rows(cluster, *partitions(cluster, POINTS[:, 0]), chunks), chunks.row_chunks, float)
        array.sum().compute()
    del chunks
    assert soon(lambda: len(kept(client) - before) == 4)  # the four chunks, and nothing of their making
    other = array + 1
    del array
    assert np.array_equal(other.compute(), POINTS[:, 0] + 1)  # what derives from it holds the results as well
    del other
    assert soon(lambda: not kept(client) - before)


def test_lost_results_are_computed_again():
    options = {"threads_per_worker": 1, "processes": False, "dashboard_address": None, "memory_limit": 0}
    with LocalCluster(n_workers=3, **options) as local, Client(local, set_as_default=False) as client:
        cluster = DaskEngine(client, "cpu")
        chunks = chunks_of(da.from_array(POINTS, chunks=(100, 3)), cluster)
        array = dask_array(scatter_rows(cluster, *partitions(cluster, POINTS[:, 1]), chunks), chunks.row_chunks, float)
        with cluster.releasing():
            assert np.array_equal(client.compute(array).result(), POINTS[:, 1])
        worker = next(worker for worker in local.workers.values() if len(worker.data))
        local.sync(worker.close, timeout=1, executor_wait=False, nanny=False)
        assert np.array_equal(client.compute(array).result(timeout=30), POINTS[:, 1])


def test_a_dask_array_of_gpu_arrays_is_one_of_numpy_arrays(cluster):
    array = dask_array(
        [cluster.submit(placed, POINTS[:400]), cluster.submit(placed, POINTS[400:])], [400, 600], float, 3
    )
    assert isinstance(array[:5].compute(), np.ndarray)
    assert np.array_equal(array[390:410, 1].compute(), POINTS[390:410, 1])


def test_through_sockets():
    """Arrays, tasks and results can be sent to other processes."""
    options = {"threads_per_worker": 1, "processes": False, "protocol": "tcp://", "memory_limit": 0}
    with (
        LocalCluster(n_workers=2, dashboard_address=None, **options) as local,
        Client(local, set_as_default=False) as client,
    ):
        cluster = DaskEngine(client, "cpu")
        chunks = chunks_of(POINTS, cluster)
        assert not any(np.shares_memory(one, POINTS) for one in cluster.gather(chunks.futures))
        back = scatter_rows(cluster, *partitions(cluster, POINTS[:, 2]), chunks)
        array = dask_array(back, chunks.row_chunks, float)
        assert np.array_equal(client.compute(array).result(), POINTS[:, 2])
