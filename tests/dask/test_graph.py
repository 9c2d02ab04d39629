"""`emst.dask.graph_msf`: for every way to cut a graph into chunks, the forest of `emst.graph_msf`."""

import gc
import threading
import time
import uuid

import dask
import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp
from distributed import Client, LocalCluster
from distributed.comm import CommClosedError
from graph_reference import GRAPHS

import emst
from emst.dask import edges
from emst.dask.faults import TRIES, LostInput
from emst.dask.graph import FAN_IN, graph_msf

pytestmark = pytest.mark.filterwarnings("ignore:Sending large graph")
NAMES = ("source", "target", "weight", "edge_id", "component_labels")
DTYPES = ["int32", "int64", "uint64", "int8", "bool", "float16", "float32", "float64"]


def edges_of(n=200, m=1500, dtype="float32", seed=0, kinds=5):
    """Entries in any direction with many ties, parallel edges, pairs of both directions, and loops."""
    g = np.random.default_rng(seed)
    source, target = g.integers(0, n, (2, m), dtype=np.int32)
    target[::50] = source[::50]
    source[1::9], target[1::9] = target[:-1:9][: len(source[1::9])], source[:-1:9][: len(source[1::9])]
    return source, target, (g.integers(0, kinds, m) - (kinds // 2 if np.dtype(dtype).kind in "if" else 0)).astype(dtype)


class Coordinates:
    """A matrix in coordinates whose weights have any dtype."""

    format = "coo"

    def __init__(self, source, target, weight, n):
        self.row, self.col, self.data, self.shape = source, target, weight, (n, n)


def whole(arrays, n):
    return emst.graph_msf(Coordinates(*arrays, n), device="cpu", symmetric="min", return_labels=True)


def assert_same(found, expected):
    for name in NAMES:
        a, b = getattr(found, name), getattr(expected, name)
        assert type(a) is np.ndarray and a.dtype == b.dtype, name
        np.testing.assert_array_equal(a, b, name)
    for name in ("n_vertices", "n_components", "total_weight"):
        assert getattr(found, name) == getattr(expected, name), name


def lazy(arrays, chunks):
    return tuple(da.from_array(array, chunks=chunks) for array in arrays)


def unknown(arrays, chunks):
    """The same arrays with chunks of unknown size."""
    return tuple(
        array[da.from_array(np.ones(len(a), bool), chunks=chunks)] for a, array in zip(arrays, lazy(arrays, chunks))
    )


# ---- the same forest -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunks", [1500, 750, 1500 // FAN_IN + 1, 100, 37])
@pytest.mark.parametrize("make", [lazy, unknown])
def test_the_forest_of_one_device_for_any_chunks(client, ops, make, chunks):
    arrays = edges_of()
    found = graph_msf(make(arrays, chunks), n_vertices=200, device=ops.name, return_labels=True)
    assert_same(found, whole(arrays, 200))
    assert found.device == ops.name


@pytest.mark.parametrize("dtype", DTYPES)
def test_weights_of_any_dtype_keep_it(client, ops, dtype):
    arrays = edges_of(dtype=dtype, kinds=2)
    found = graph_msf(lazy(arrays, 211), n_vertices=200, device=ops.name, return_labels=True)
    assert found.weight.dtype == dtype
    assert_same(found, whole(arrays, 200))


@pytest.mark.parametrize("name", GRAPHS)
def test_special_graphs(client, ops, name):
    n, rows, columns = GRAPHS[name]
    weight = np.random.default_rng(1).integers(0, 4, len(rows))
    found = graph_msf((rows, columns, weight), n_vertices=n, device=ops.name, return_labels=True)
    assert_same(found, whole((rows, columns, weight), n))


@pytest.mark.parametrize("labels", [False, True])
def test_few_edges_of_many_vertices(client, ops, labels):
    """Chunks are solved on the vertices that they touch; ties are as before."""
    source, target, weight = edges_of(n=60, m=400)
    arrays = source * 10_007, target * 10_007, weight
    n = 61 * 10_007
    found = graph_msf(lazy(arrays, 100), n_vertices=n, device=ops.name, return_labels=labels)
    near = whole((source, target, weight), 60)
    np.testing.assert_array_equal(found.edge_id, near.edge_id)
    np.testing.assert_array_equal(found.source, near.source * 10_007)
    np.testing.assert_array_equal(found.target, near.target * 10_007)
    assert (found.n_vertices, found.n_components) == (n, n - len(near.edge_id))
    assert (found.component_labels is not None) == labels
    if labels:
        assert found.component_labels.max() == found.n_components - 1


def test_infinite_weights_and_signed_zeros(client):
    source, target, weight = edges_of(dtype="float64")
    weight[::2] *= -1.0  # half of the zeros become -0.0
    weight[np.abs(weight) == 2] *= np.inf
    assert len({np.signbit(w) for w in weight[weight == 0]}) == 2
    found = graph_msf(lazy((source, target, weight), 100), n_vertices=200, device="cpu", return_labels=True)
    expected = whole((source, target, weight), 200)
    np.testing.assert_array_equal(np.signbit(found.weight), np.signbit(expected.weight))
    np.testing.assert_array_equal(found.edge_id, expected.edge_id)


def test_ties_across_chunks_go_to_the_first_position(client):
    """One pair of vertices, once in every chunk and in changing directions."""
    source, target = np.array([0, 1] * 50), np.array([1, 0] * 50)
    weight = np.full(100, 7)
    weight[:40] = 8
    found = graph_msf(lazy((source, target, weight), 3), device="cpu")
    assert (found.edge_id.tolist(), found.source.tolist(), found.target.tolist()) == ([40], [0], [1])


def test_the_greatest_end_decides_how_many_vertices_there_are(client):
    """Also where only a loop has it."""
    arrays = np.array([0, 5, 9]), np.array([1, 2, 9]), np.array([1, 2, 3])
    found = graph_msf(lazy(arrays, 1), device="cpu")
    assert (found.n_vertices, found.n_components, found.component_labels) == (10, 8, None)


@pytest.mark.parametrize("m", [0, 3])
@pytest.mark.parametrize("n", [None, 12])
def test_no_edges(client, m, n):
    """Nothing at all, or loops only."""
    ends = np.full(m, 4)
    found = graph_msf((ends, ends, np.zeros(m, np.float32)), n_vertices=n, device="cpu", return_labels=True)
    expected = n if n is not None else 5 if m else 0
    assert (found.n_vertices, found.n_components, len(found.source)) == (expected, expected, 0)
    assert found.component_labels.tolist() == list(range(expected))
    assert (found.weight.dtype, found.total_weight) == (np.float32, 0)


@pytest.mark.parametrize("make", [lazy, unknown])
def test_empty_chunks(client, make):
    arrays = edges_of()
    sizes = (0, 700, 0, 0, 0, 0, 0, 0, 1, 799, 0)
    found = graph_msf(make(arrays, (sizes,)), n_vertices=200, device="cpu", return_labels=True)
    assert_same(found, whole(arrays, 200))


# ---- every kind of input -------------------------------------------------------------------------------------------


def pandas_frame(arrays):
    import pandas

    source, target, weight = arrays
    return pandas.DataFrame({"weight": weight, "name": "x", "target": target, "source": source})


def test_plain_arrays_are_cut(client, monkeypatch):
    monkeypatch.setattr(edges, "PIECE", 64)
    arrays = edges_of()
    for graph in (arrays, [a.tolist() for a in arrays[:2]] + [arrays[2]], pandas_frame(arrays)):
        assert_same(graph_msf(graph, n_vertices=200, device="cpu", return_labels=True), whole(arrays, 200))


def test_data_frames(client):
    frames = pytest.importorskip("dask.dataframe")
    arrays = edges_of()
    frame = frames.from_pandas(pandas_frame(arrays), npartitions=7)
    for part in (frame, frame[frame.weight > -9]):
        assert_same(graph_msf(part, n_vertices=200, device="cpu", return_labels=True), whole(arrays, 200))
    heavy = frame[frame.weight > 100]
    assert graph_msf(heavy, n_vertices=3, device="cpu").n_components == 3
    kept = arrays[2] == -2
    expected = whole([array[kept] for array in arrays], 200)
    assert_same(graph_msf(frame[frame.weight == -2], n_vertices=200, device="cpu", return_labels=True), expected)


def test_an_empty_part_of_a_frame_has_no_dtype(client):
    frames = pytest.importorskip("dask.dataframe")
    arrays = edges_of(dtype="float32")
    parts = [pandas_frame(arrays), pandas_frame(arrays).iloc[:0].astype(object)]
    meta = parts[0].iloc[:0]
    for order in ([0, 1], [1, 0]):
        frame = frames.from_delayed([dask.delayed(parts[i]) for i in order], meta=meta, verify_meta=False)
        assert_same(graph_msf(frame, n_vertices=200, device="cpu", return_labels=True), whole(arrays, 200))


def test_paths(client, tmp_path):
    """Files of all formats side by side; positions count on from file to file."""
    source, target, weight = arrays = edges_of(dtype="int32")
    cuts = [slice(0, 300), slice(300, 600), slice(600, 900), slice(900, 1200), slice(1200, 1500)]
    npz, parquet, gr, matrix, rows = (tmp_path / name for name in ("a.npz", "b.parquet", "c.gr", "d.npz", "e.npz"))
    np.savez(npz, source=source[cuts[0]], target=target[cuts[0]], weight=weight[cuts[0]])
    pandas_frame([array[cuts[1]] for array in arrays]).to_parquet(parquet)
    arcs = [f"a {u + 1} {v + 1} {w}\n" for u, v, w in zip(*(array[cuts[2]] for array in arrays))]
    gr.write_text(f"p sp 230 {len(arcs)}\n" + "".join(arcs))
    sp.save_npz(matrix, sp.coo_array((weight[cuts[3]], (source[cuts[3]], target[cuts[3]])), shape=(210, 210)))
    csr = sp.csr_array(np.triu(np.random.default_rng(2).integers(0, 3, (200, 200)).astype(np.int32)))
    sp.save_npz(rows, csr)
    last = csr.tocoo()
    both = [np.concatenate([a[:1200], b]) for a, b in zip(arrays, (last.row, last.col, last.data))]
    paths = [npz, str(parquet), gr, matrix, rows]
    found = graph_msf(paths, device="cpu", return_labels=True)
    assert_same(found, whole(both, 230))  # as many vertices as the .gr announces
    assert graph_msf(npz, device="cpu").edge_id.max() < 300
    assert graph_msf(tuple(paths[:3]), n_vertices=1000, device="cpu").n_vertices == 1000


def test_int32_and_int64_of_text_files_give_int64(client, tmp_path):
    for name, weight in (("a.gr", 5), ("b.gr", 2**40), ("c.gr", -5)):
        (tmp_path / name).write_text(f"p sp 4 1\na 1 {'abc'.index(name[0]) + 2} {weight}\n")
    found = graph_msf([tmp_path / f"{name}.gr" for name in "abc"], device="cpu")
    assert (found.weight.dtype, found.weight.tolist()) == (np.int64, [5, 2**40, -5])


def test_tasks_that_arrays_share_run_once(client, tmp_path):
    """`table[:, 0]` and `table[:, 1]` come from one reading of the table."""
    table = np.stack(edges_of(dtype="int32"), axis=1)

    def block(block_info=None):
        (begin, end), _ = block_info[None]["array-location"]
        (tmp_path / f"{begin}-{uuid.uuid4()}").touch()
        return table[begin:end]

    lazy_table = da.map_blocks(block, chunks=((500, 500, 500), (3,)), dtype=np.int32)
    found = graph_msf(tuple(lazy_table.T), n_vertices=200, device="cpu", return_labels=True)
    assert_same(found, whole(table.T, 200))
    assert sorted(int(path.name.partition("-")[0]) for path in tmp_path.iterdir()) == [0, 500, 1000]


@pytest.mark.parametrize("n", [200, 100_000])
def test_chunks_where_the_work_is_done(client, ops, n):
    """Chunks may lie on a GPU already; the forest comes back to the host."""
    arrays = edges_of()
    there = tuple(a.map_blocks(ops.asarray, dtype=a.dtype, meta=ops.asarray(a._meta)) for a in lazy(arrays, 400))
    for graph in (there, tuple(map(ops.asarray, arrays))):
        found = graph_msf(graph, n_vertices=n, device=ops.name, return_labels=True)
        assert_same(found, whole(arrays, n))


# ---- faults of the input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [lazy, unknown])
def test_the_first_faulty_entry_is_named_by_its_position_and_chunk(client, make):
    source, target, weight = edges_of()
    weight[[333, 777, 1499]] = np.nan
    joins = f"joins {source[333]} and {target[333]}"
    with pytest.raises(ValueError, match=rf"NaN; the edge at position 333 \(chunk 3, entry 33 of it\) .* {joins}"):
        graph_msf(make((source, target, weight), 100), device="cpu")
    source[208], target[1205] = -1, 200
    with pytest.raises(
        ValueError, match=r"0 and 199 in a graph of 200 .* position 208 \(chunk 2, entry 8 .*joins -1 and"
    ):
        graph_msf(make((source, target, weight), 100), n_vertices=200, device="cpu")
    source[208] = 0
    weight[:] = 1
    with pytest.raises(ValueError, match=r"position 1,205 \(chunk 12, entry 5 of it\) joins \d+ and 200"):
        graph_msf(make((source, target, weight), 100), n_vertices=200, device="cpu")


def test_ends_beyond_32_bits(client):
    arrays = np.array([0, 2**31 - 1]), np.array([1, 0]), np.ones(2)
    with pytest.raises(
        ValueError, match=r"between 0 and 2,147,483,646; the edge at position 1 .* joins 2,147,483,647 and 0"
    ):
        graph_msf(lazy(arrays, 1), device="cpu")
    wide = np.array([0, 2**64 - 1], np.uint64), np.array([1, 0]), np.ones(2)
    with pytest.raises(ValueError, match=r"position 1 .* joins 18,446,744,073,709,551,615 and 0"):
        graph_msf(lazy(wide, 1), n_vertices=9, device="cpu")


def test_arrays_that_do_not_fit_together(client):
    source, target, weight = edges_of()
    with pytest.raises(ValueError, match=r"same chunks; they have \(800, 700\), \(800, 700\), \(700, 800\)"):
        graph_msf(
            (*lazy((source, target), (((800, 700),),)[0]), da.from_array(weight, chunks=((700, 800),))), device="cpu"
        )
    with pytest.raises(ValueError, match="same chunks; they have 2, 2, 3 of them"):
        graph_msf((*unknown((source, target), 750), *lazy((weight,), 500)), device="cpu")
    with pytest.raises(
        ValueError, match="chunk 1: source, target and weight must have the same length; got 750, 750, 700"
    ):
        graph_msf((*unknown((source, target), 750), da.from_array(weight[:1450], chunks=750)), device="cpu")
    with pytest.raises(ValueError, match="row 0 has 9007199254740993"):  # no type holds both numbers exactly
        graph_msf(([0, 0], [1, 2], [2**53 + 1, 0.5]), device="cpu")
    with pytest.raises(ValueError, match="must have the same length; got 1,500, 1,500, 7"):
        graph_msf((source, target, weight[:7]), device="cpu")


@pytest.mark.parametrize("form", [lambda arrays, chunks: arrays, lazy])
def test_dtypes_and_dimensions_are_checked_before_the_work(client, form):
    source, target, weight = edges_of()
    for graph, kind, message in (
        ((source, target.astype(float), weight), TypeError, "target must hold integers; got dtype float64"),
        (
            (source, target, weight + 1j),
            ValueError,
            "weights must be real numbers of at most 64 bits; got dtype complex",
        ),
        ((source[:, None], target, weight), ValueError, r"source must have one dimension; its shape is \(1500, 1\)"),
    ):
        with pytest.raises(kind, match=f"^{message}"):
            graph_msf(form(graph, 500), device="cpu")


def test_chunks_of_another_dtype_than_announced(client):
    """A fault of the caller's function; the chunk is named."""
    source, target, weight = lazy(edges_of(), 100)
    other = weight.map_blocks(
        lambda w, block_id: w.astype("f8" if block_id[0] == 6 else "f4"), dtype="f4", meta=weight._meta
    )
    with pytest.raises(
        ValueError, match="same dtype in all chunks; they have float32 in chunk 4 and float64 in chunk 6"
    ):
        graph_msf((source, target, other), device="cpu")
    ends = target.map_blocks(
        lambda t, block_id: t.astype("f4" if block_id[0] == 3 else "i4"), dtype="i4", meta=target._meta
    )
    with pytest.raises(TypeError, match="chunk 3: target must hold integers; got dtype float32"):
        graph_msf((source, ends, weight), device="cpu")


def test_what_is_no_graph(client):
    source, target, weight = edges_of()
    for graph, message in (
        (None, "got NoneType"),
        ([], "got an empty list"),
        ((source, target), "got 2 objects"),
        (sp.eye_array(3, format="csr"), "got csr_array"),
        ((*lazy((source, target), 500), weight), "not some of each"),
        ((dask.delayed(1),) * 3, "source is Delayed"),
        (dask.delayed(1), "got Delayed"),
    ):
        with pytest.raises(TypeError, match=message):
            graph_msf(graph, device="cpu")
    for n, kind in ((2.0, TypeError), (True, TypeError), (-1, ValueError), (2**31, ValueError)):
        with pytest.raises(kind, match="n_vertices must"):
            graph_msf((source, target, weight), n_vertices=n, device="cpu")


def test_missing_columns_and_files(client, tmp_path):
    frames = pytest.importorskip("dask.dataframe")
    arrays = edges_of()
    frame = pandas_frame(arrays).drop(columns="target")
    for either in (frame, frames.from_pandas(frame, npartitions=2)):
        with pytest.raises(ValueError, match="needs columns source, target, weight; it has weight, name, source"):
            graph_msf(either, device="cpu")
    frame.to_parquet(tmp_path / "no_target.parquet")
    np.savez(tmp_path / "a.npz", source=arrays[0], target=arrays[1], weight=arrays[2])
    with pytest.raises(ValueError, match=r"no_target.parquet has weight, name, source"):
        graph_msf([tmp_path / "a.npz", tmp_path / "no_target.parquet"], device="cpu")
    with pytest.raises(FileNotFoundError, match=r"1 of 2 files missing, first .*b\.npz"):
        graph_msf([tmp_path / "a.npz", tmp_path / "b.npz"], device="cpu")


def test_a_file_that_vanishes_is_named(client, tmp_path, monkeypatch):
    monkeypatch.setattr(edges, "_missing", lambda ops, paths: [])
    with pytest.raises(FileNotFoundError, match=r"gone\.npz"):
        graph_msf([tmp_path / "gone.npz"], device="cpu")


# ---- faults of the cluster -----------------------------------------------------------------------------------------


@pytest.fixture
def doomed():
    """Three workers, of which a test may close some. The others soon give up to connect to it; by default, in 30 s."""
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        LocalCluster(
            n_workers=3, threads_per_worker=1, processes=False, dashboard_address=None, memory_limit=0
        ) as local,
        Client(local) as client,
    ):
        yield client


def close_one(client):
    worker = next(iter(client.cluster.workers.values()))
    client.cluster.sync(worker.close, timeout=1, executor_wait=False, nanny=False)


@pytest.mark.parametrize("seed", range(3))
def test_a_worker_that_dies_costs_nothing_but_time(doomed, seed, tmp_path):
    """It dies when a random chunk of 30 is read, with the forests that it holds."""
    source, target, weight = arrays = edges_of(seed=seed)
    last = int(np.random.default_rng(seed).integers(5, 28))

    def block(values, block_id):
        time.sleep(0.02)
        if block_id[0] == last:
            (tmp_path / "reached").touch()
        return values

    slow = da.from_array(weight, chunks=50).map_blocks(block, dtype=weight.dtype, meta=weight[:0])
    found = []
    run = threading.Thread(
        target=lambda: found.append(
            graph_msf(
                (*lazy((source, target), 50), slow), n_vertices=200, client=doomed, device="cpu", return_labels=True
            )
        )
    )
    run.start()
    end = time.monotonic() + 30
    while not (tmp_path / "reached").exists():
        assert time.monotonic() < end
        time.sleep(0.005)
    close_one(doomed)
    run.join(60)
    assert len(doomed.cluster.scheduler.workers) == 2
    assert_same(found[0], whole(arrays, 200))


@pytest.mark.parametrize("dies", ["while data is sent to it", "with the data"])
def test_plain_arrays_that_are_lost_are_sent_again(doomed, monkeypatch, dies):
    arrays = edges_of()
    sent = []

    def lossy(*args, **options):
        held = scatter(*args, **options)
        sent.append(len(held))
        if len(sent) == 1:
            close_one(doomed)
            if dies == "while data is sent to it":
                raise CommClosedError("stream is closed")
        return held

    scatter = doomed.scatter
    monkeypatch.setattr(doomed, "scatter", lossy)
    found = graph_msf(arrays, n_vertices=200, client=doomed, device="cpu", return_labels=True)
    assert_same(found, whole(arrays, 200))
    assert len(sent) == 2


def test_arrays_that_are_lost_again_and_again_end_in_an_error(client, monkeypatch):
    sent = []

    def lost(*args, **options):
        held = scatter(*args, **options)
        sent.append(len(held))
        client.cancel(held, force=True)
        return held

    scatter = client.scatter
    monkeypatch.setattr(client, "scatter", lost)
    with pytest.raises(LostInput, match="data was lost"):
        graph_msf(edges_of(), n_vertices=200, client=client, device="cpu")
    assert len(sent) == TRIES


def on_workers(client):
    """Names of the results that workers hold."""
    return {name for held in client.run(lambda dask_worker: list(dask_worker.data)).values() for name in held}


@pytest.fixture
def no_collection():
    """Python's collection of circles is off."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_nothing_stays_on_the_workers(client, no_collection):
    """Also after a wait of more than a second, and after an error."""
    source, target, weight = arrays = edges_of()
    before = on_workers(client)  # of other tests

    def slowly(values):
        time.sleep(1.5)
        return values

    slow = da.from_array(weight, chunks=750).map_blocks(slowly, dtype=weight.dtype, meta=weight[:0])
    graph_msf((*lazy((source, target), 750), slow), n_vertices=200, device="cpu")
    graph_msf(arrays, n_vertices=200, device="cpu")
    with pytest.raises(ValueError, match="ends must"):
        graph_msf(lazy(arrays, 100), n_vertices=20, device="cpu")
    end = time.monotonic() + 10
    while held := on_workers(client) - before:  # workers are told a bit later
        assert time.monotonic() < end, held
        time.sleep(0.01)
