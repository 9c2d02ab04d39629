"""Points from everywhere, as chunks on workers: the same values and rows, and one sentence for what is no input."""

import contextlib
import time

import dask
import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from distributed import Client, LocalCluster

from emst.dask.engine import DaskEngine
from emst.dask.faults import read_again
from emst.dask.inputs import chunks_of
from emst.inputs.devices import to_host

zarr = pytest.importorskip("zarr", reason="reads and writes zarr arrays")

N = 1000
POINTS = np.random.default_rng(3).standard_normal((N, 3))


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def cluster(request, client):
    return DaskEngine(client, request.param)


@pytest.fixture
def cpu(client):
    return DaskEngine(client, "cpu")


def delayed(*blocks):
    return [dask.delayed(np.array)(block) for block in blocks]


def from_blocks(*blocks, dtype=float, d=3):
    """A dask array of these blocks, with unknown sizes."""
    return da.concatenate([da.from_delayed(one, (np.nan, d), dtype) for one in delayed(*blocks)])


def by_chunk_size(X):
    return da.from_array(X, chunks=(300, -1))


def of_unknown_sizes(X):
    return from_blocks(X[:300], X[300:300], X[300:], dtype=X.dtype)


def frame(X):
    return dd.from_pandas(pd.DataFrame(X, columns=list("xyz")), npartitions=3)


def frame_of_unknown_sizes(X):
    table = pd.DataFrame(X, columns=list("xyz"))
    far = table.copy()
    far["x"] = X.dtype.type(10_000)
    frame = dd.concat([dd.from_pandas(one, npartitions=2) for one in (far, table, far)])
    return frame[frame.x < 10_000]  # its first and last partitions are empty


def torch_tensor(X):
    return pytest.importorskip("torch").from_numpy(X.copy())


KINDS = {
    "dask array": by_chunk_size,
    "dask array, unknown sizes": of_unknown_sizes,
    "dask frame": frame,
    "dask frame, unknown sizes": frame_of_unknown_sizes,
    "delayed": lambda X: delayed(X[:10], X[10:]),
    "one delayed": lambda X: delayed(X)[0],
    "delayed frames": lambda X: [dask.delayed(pd.DataFrame)(X[:10]), dask.delayed(pd.DataFrame)(X[10:])],
    "numpy": lambda X: X,
    "numpy, other strides": lambda X: np.repeat(X, 2, axis=0)[::2],
    "numpy, Fortran order": np.asfortranarray,
    "pandas": pd.DataFrame,
    "list": lambda X: X.tolist(),
    "torch": torch_tensor,
}


def check(chunks, cluster, X=POINTS, dtype=None):
    """What every input must become."""
    found = cluster.gather(chunks.futures)
    assert [len(one) for one in found] == chunks.sizes
    assert all(type(one) is cluster_array(cluster) and one.flags.c_contiguous for one in found)
    assert {one.dtype for one in found} == {chunks.dtype} == {np.dtype(dtype or X.dtype)}
    assert all(one.shape[1] == chunks.d == 3 for one in found)
    assert np.array_equal(np.concatenate([to_host(one) for one in found]), X.astype(chunks.dtype))
    assert chunks.n == len(X)
    assert chunks.offsets.dtype == np.int64 and chunks.offsets.tolist() == [0, *np.cumsum(chunks.sizes)]


def cluster_array(cluster):
    return np.ndarray if cluster.device == "cpu" else pytest.importorskip("cupy").ndarray


@pytest.mark.parametrize("wanted", [None, np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
def test_values(cluster, kind, wanted):
    check(chunks_of(KINDS[kind](POINTS), cluster, wanted), cluster, POINTS, wanted)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "list"])
@pytest.mark.parametrize(
    ("given", "computed"),
    [("float32", "float32"), (">f4", "float32"), ("float16", "float32"), ("int16", "float64")],
)
def test_dtypes(cpu, kind, given, computed):
    X = (100 * POINTS).astype(given)
    if kind == "torch" and given == ">f4":
        pytest.skip("torch has the machine's byte order only")
    if "frame" in kind and given == ">f4":
        pytest.skip("Arrow has the machine's byte order only")
    check(chunks_of(KINDS[kind](X), cpu), cpu, X, computed)


def test_futures(cluster, client):
    blocks = [client.submit(np.array, POINTS[:10], pure=False), client.submit(np.array, POINTS[10:], pure=False)]
    check(chunks_of(blocks, cluster), cluster)


@pytest.mark.gpu
def test_arrays_of_a_gpu(cluster):
    cupy = pytest.importorskip("cupy")
    check(chunks_of(cupy.asarray(POINTS), cluster), cluster)


def test_plain_arrays_have_a_chunk_for_every_worker(cpu):
    chunks = chunks_of(POINTS, cpu)
    assert chunks.sizes == [500, 500]
    assert chunks_of(POINTS[:1], cpu).sizes == [1]


def test_plain_arrays_are_not_copied_in_one_process(cpu):
    chunks = chunks_of(POINTS, cpu)
    assert all(np.shares_memory(one, POINTS) for one in cpu.gather(chunks.futures))


def test_plain_arrays_are_cut(cpu, monkeypatch):
    monkeypatch.setattr("emst.dask.inputs.PIECE_BYTES", 100 * 3 * 4)
    chunks = chunks_of(POINTS.astype(np.float32), cpu)
    assert chunks.sizes == [100] * 10
    check(chunks, cpu, POINTS.astype(np.float32))


def test_chunks_of_results(cpu):
    assert chunks_of(by_chunk_size(POINTS), cpu).row_chunks == [300, 300, 300, 100]
    assert np.isnan(chunks_of(of_unknown_sizes(POINTS), cpu).row_chunks).tolist() == [True] * 3
    assert chunks_of(frame_of_unknown_sizes(POINTS), cpu).row_chunks == [0, 0, 500, 500, 0, 0]


def test_names_of_columns(cpu):
    assert list(chunks_of(frame(POINTS), cpu).header.columns) == ["x", "y", "z"]
    assert list(chunks_of(pd.DataFrame(POINTS, columns=list("abc")), cpu).header.columns) == ["a", "b", "c"]
    assert not hasattr(chunks_of(POINTS, cpu).header, "columns")


def test_nullable_columns(cpu):
    table = pd.DataFrame(POINTS, columns=list("xyz")).astype("Float64")
    table.loc[5, "y"] = pd.NA
    wanted = POINTS.copy()
    wanted[5, 1] = np.nan
    chunks = chunks_of(dd.from_pandas(table, npartitions=2), cpu)
    assert np.array_equal(np.concatenate(cpu.gather(chunks.futures)), wanted, equal_nan=True)


def test_where(cpu):
    chunks = chunks_of(of_unknown_sizes(POINTS), cpu)
    assert chunks.where(299) == "row 299 (chunk 0, row 299 of it)"
    assert chunks.where(300) == "row 300 (chunk 2, row 0 of it)"  # chunk 1 is empty
    assert chunks_of(POINTS, cpu).where(7) == "row 7"


def test_empty_chunks_of_any_shape_and_dtype(cluster):
    X = POINTS.astype(np.float32)
    empty = [np.empty(0), np.empty((0, 3), object), np.empty((0, 7), np.float64)]
    check(chunks_of(delayed(empty[0], X[:10], empty[1], X[10:], empty[2]), cluster), cluster, X)


BAD = {
    "columns": (lambda: da.from_array(POINTS, chunks=(300, 2)), r"2 chunks along .* X\.rechunk\(\{1: -1\}\)"),
    "1-D": (lambda: da.from_array(POINTS[:, 0], chunks=300), "Expected 2D array"),
    "3-D": (lambda: da.from_array(POINTS[:, None], chunks=300), "Expected 2D array"),
    "plain 1-D": (lambda: POINTS[:, 0], "Expected 2D array"),
    "1-D blocks": (lambda: delayed(POINTS, POINTS[:, 0]), "chunk 1: Expected 2D array"),
    "no rows": (lambda: da.zeros((0, 3)), r"at least one point .* \(0, 3\)"),
    "no rows, unknown sizes": (lambda: from_blocks(POINTS[:0], POINTS[:0]), "X has no rows"),
    "no columns": (lambda: da.zeros((5, 0)), r"at least one point and one dimension; got shape \(5, 0\)"),
    "no columns, blocks": (lambda: delayed(POINTS[:, :0]), "chunk 0: .*0 feature"),
    "plain, no rows": (lambda: POINTS[:0], "0 sample"),
    "complex": (lambda: by_chunk_size(POINTS * 1j), "real numbers; got dtype complex128"),
    "plain complex": (lambda: POINTS * 1j, "real numbers; got dtype complex128"),
    "complex blocks": (lambda: delayed(POINTS, POINTS * 1j), "chunk 1: .*complex128"),
    "objects": (lambda: by_chunk_size(POINTS.astype(object)), "real numbers; got dtype object"),
    "words": (lambda: delayed(POINTS, [["a", "b", "c"]]), "chunk 1: "),
    "text column": (
        lambda: dd.from_pandas(pd.DataFrame({"x": [1.0, 2.0], "city": ["a", "b"]}), npartitions=1),
        "column 'city' holds str",
    ),
    "series": (lambda: frame(POINTS)["x"], "a dask series"),
    "dtypes": (
        lambda: delayed(POINTS, POINTS[:0], POINTS.astype(np.float32)),
        "chunk 2 is float32, but chunk 0 is float64; choose one with dtype=",
    ),
    "widths": (lambda: delayed(POINTS, POINTS[:, :2]), "chunk 1 has 2 columns, but chunk 0 has 3"),
    "masked": (lambda: delayed(POINTS) + [dask.delayed(np.ma.masked_less)(POINTS, 0)], "chunk 1: X is masked"),
    "plain masked": (lambda: np.ma.masked_less(POINTS, 0), "X is masked"),
    "structured": (lambda: np.zeros(5, [("x", float), ("y", float)]), "structured array"),
    "wrong sizes": (
        lambda: da.from_delayed(delayed(POINTS)[0], (N + 1, 3), float),
        f"chunk 0 has {N} rows, but X.chunks says {N + 1}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_bad_values(cpu, kind):
    make, message = BAD[kind]
    with pytest.raises(ValueError, match=message) as caught:
        chunks_of(make(), cpu)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (np.asarray, "X holds numbers beyond the range of float32 in 1 row, first in row 700; compute in float64"),
        (lambda X: delayed(X[:300], X[300:]), "chunk 1: X holds numbers beyond the range of float32 .* in row 400;"),
    ],
)
def test_numbers_beyond_the_range_of_the_dtype(cluster, kind, message):
    X = POINTS.copy()
    X[700] = 1e300
    with pytest.raises(ValueError, match=message):
        cluster.gather(chunks_of(kind(X), cluster, np.float32).futures)
    queries = cluster.gather(chunks_of(kind(X), cluster, np.float32, queries=True).futures)
    assert np.isinf(to_host(queries[-1])).any()


def test_blocks_with_names(cpu):
    def parts(*columns):
        return [dask.delayed(pd.DataFrame)(X, columns=list(c)) for X, c in zip((POINTS[:9], POINTS[9:]), columns)]

    assert list(chunks_of(parts("abc", "abc"), cpu).header.columns) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="chunk 1 has the columns b, a, c, but chunk 0 has a, b, c"):
        chunks_of(parts("abc", "bac"), cpu)
    tables = [dask.delayed(pa.table)({"x": X[:, 0], "y": X[:, 1]}) for X in (POINTS[:9], POINTS[9:])]
    assert chunks_of(tables, cpu).header.column_names == ["x", "y"]


def test_no_work_for_what_is_known_to_be_bad(cpu):
    def never(block):
        raise AssertionError("computed")

    for X in (da.from_array(POINTS, chunks=(300, 2)), by_chunk_size(POINTS * 1j), by_chunk_size(POINTS)[:, 0]):
        with pytest.raises(ValueError):
            chunks_of(X.map_blocks(never, dtype=X.dtype, meta=X._meta), cpu)


@pytest.mark.parametrize(
    "X",
    [
        scipy.sparse.eye_array(5).tocsr(),
        da.from_delayed(dask.delayed(scipy.sparse.csr_matrix)((5, 3)), (5, 3), meta=scipy.sparse.csr_matrix((0, 0))),
        [dask.delayed(scipy.sparse.csr_matrix)((5, 3))],
    ],
    ids=["plain", "dask array", "block"],
)
def test_sparse(cpu, X):
    with pytest.raises(TypeError, match="sparse"):
        chunks_of(X, cpu)


def test_other_collections(cpu):
    with pytest.raises(TypeError, match="a dask collection of type Bag; pass a dask array or a dask data frame"):
        chunks_of(db.from_sequence([1, 2]), cpu)


def test_one_dtype_for_mixed_chunks(cpu):
    chunks = chunks_of(delayed(POINTS[:10], POINTS[10:].astype(np.float32)), cpu, np.float64)
    assert chunks.dtype == np.float64


@contextlib.contextmanager
def two_workers():
    options = {"threads_per_worker": 1, "processes": False, "dashboard_address": None, "memory_limit": 0}
    with LocalCluster(n_workers=2, **options) as local, Client(local, set_as_default=False) as client:
        yield local, DaskEngine(client, "cpu")


def lose_one(local):
    """Closes a worker that holds chunks."""
    worker = next(worker for worker in local.workers.values() if len(worker.data))
    local.sync(worker.close, timeout=1, executor_wait=False, nanny=False)


@pytest.mark.parametrize("kind", ["dask array", "dask frame, unknown sizes", "delayed", ".npy", ".parquet", "zarr"])
def test_what_can_be_read_again_is_computed_again(tmp_path, kind):
    if kind == ".npy":
        X = tmp_path / "points.npy"
        np.save(X, POINTS)
    elif kind == ".parquet":
        X = tmp_path / "points.parquet"
        pd.DataFrame(POINTS, columns=list("xyz")).to_parquet(X)
    elif kind == "zarr":
        X = tmp_path / "points.zarr"
        zarr.create_array(X, data=POINTS, chunks=(100, 3))
    else:
        X = KINDS[kind](POINTS)
    with two_workers() as (local, cluster):
        chunks = chunks_of(X, cluster)
        lose_one(local)
        check(chunks, cluster)


def test_a_file_that_vanishes_is_named(tmp_path):
    np.save(tmp_path / "points.npy", POINTS)
    with two_workers() as (local, cluster):
        chunks = chunks_of(tmp_path / "points.npy", cluster)
        (tmp_path / "points.npy").unlink()
        lose_one(local)
        with pytest.raises(FileNotFoundError, match=r"points\.npy has vanished"):
            cluster.gather(chunks.futures)


def test_a_plain_array_is_sent_again():
    with two_workers() as (local, cluster):
        sent = []

        def work():
            chunks = chunks_of(POINTS, cluster)
            if not sent:
                lose_one(local)
            sent.append(chunks)
            check(chunks, cluster)

        read_again(POINTS, work)
        assert len(sent) == 2


def test_nothing_stays_on_the_workers():
    with two_workers() as (local, cluster):
        for kind in ("dask array", "dask frame", "delayed", "numpy"):
            chunks = chunks_of(KINDS[kind](POINTS), cluster)
            with cluster.releasing():
                cluster.gather(chunks.futures)
            del chunks
        assert emptied(local)


def emptied(local, seconds=5.0):
    """Whether the workers get rid of all data soon."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(len(worker.data) for worker in local.workers.values()):
            return True
        time.sleep(0.02)
    return False
