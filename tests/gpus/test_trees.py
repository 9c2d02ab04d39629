"""Trees over several GPUs are those of one device, bit for bit."""

import functools
import gc
import sys
import threading

import numpy as np
import pandas as pd
import pytest
from helpers import to_device, to_host
from threads import Threads, chunks_of

import emst
from emst.cli import main
from emst.distances.metrics import tree_metric_of
from emst.gpus import inputs, memory, tree
from emst.gpus.engine import GPUThreads
from emst.inputs.points import check_points
from emst.partitions import certain, rounds
from emst.partitions.records import Local, Partition, Request
from emst.partitions.spanning import fitted_tree
from emst.progress import Progress

RNG = np.random.default_rng(5)
SETS = {
    "uniform, float32": RNG.random((3000, 3)).astype(np.float32),
    "uniform, float64": RNG.random((2500, 2)),
    "lattice of ties": RNG.integers(0, 12, (2000, 2)).astype(float),
    "lattice of ties, float32": RNG.integers(0, 12, (2000, 3)).astype(np.float32),
    "heavy tails": RNG.lognormal(0, 3, (800, 2)),
    "runs of duplicates": RNG.permutation(np.repeat(RNG.random((20, 2)), [1] * 15 + [200] * 5, axis=0)),
    "all equal": np.ones((300, 2)),
}
PAIRS = [(name, k) for i, name in enumerate(SETS) for k in (1, (2, 5, 30)[i % 3])]


def assert_same(found, wanted):
    for name in ("edges", "weights", "core_distances"):
        ours, theirs = getattr(found, name), getattr(wanted, name)
        if theirs is None:
            assert ours is None
            continue
        ours, theirs = to_host(ours), to_host(theirs)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs, err_msg=name)


@pytest.mark.parametrize(("name", "k"), PAIRS)
def test_the_bits_of_one_device(ops, gpus, name, k):
    X = SETS[name]
    found = emst.minimum_spanning_tree(X, min_samples=k, device_ids=gpus)
    assert_same(found, emst.minimum_spanning_tree(X, min_samples=k, device=ops.name))
    assert isinstance(found.edges, np.ndarray)


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("name", ["uniform, float32", "lattice of ties"])
def test_more_partitions_than_gpus(ops, gpus, monkeypatch, name, k):
    """What a partition is asked, and what it is answered, are parts of arrays then, which begin anywhere."""
    monkeypatch.setattr(inputs, "checked_gpus", lambda device_ids, device: list(device_ids))
    found = emst.minimum_spanning_tree(SETS[name], min_samples=k, device_ids=3 * gpus)
    assert_same(found, emst.minimum_spanning_tree(SETS[name], min_samples=k, device=ops.name))


@pytest.mark.parametrize("ops", [pytest.param("cuda", marks=pytest.mark.gpu)], indirect=True)
@pytest.mark.parametrize("k", [1, 5])
def test_rounds_of_gpus_that_cannot_read_each_other(ops, gpus, monkeypatch, k):
    """They are tasks."""
    from emst.cuda.partitions import rounds as at_once

    monkeypatch.setattr(at_once, "are_readable", lambda arrays, gpus: False)
    X = SETS["uniform, float32"]
    found = emst.minimum_spanning_tree(X, min_samples=k, device_ids=gpus)
    assert_same(found, emst.minimum_spanning_tree(X, min_samples=k, device=ops.name))


@pytest.mark.parametrize(
    ("metric", "params"),
    [("manhattan", None), ("minkowski", {"p": 3}), ("cosine", None), ("haversine", {"degrees": True})],
)
def test_metrics(ops, gpus, metric, params):
    X, options = RNG.random((1500, 2)) + 1, {"min_samples": 3, "metric": metric, "metric_params": params}
    found = emst.minimum_spanning_tree(X, device_ids=gpus, **options)
    assert_same(found, emst.minimum_spanning_tree(X, device=ops.name, **options))


@pytest.mark.parametrize("sizes", [[3000], [1500, 1500], [0, 10, 2990], [2000, 0, 1, 999]])
def test_a_list_of_arrays(ops, gpus, sizes):
    """Rows number through; values of all rows are a list."""
    X = SETS["uniform, float32"]
    pieces = [to_device(ops, piece) for piece in np.split(X, np.cumsum(sizes)[:-1])]
    found = emst.minimum_spanning_tree(pieces, min_samples=4, device_ids=gpus)
    wanted = emst.minimum_spanning_tree(X, min_samples=4, device=ops.name)
    assert [len(part) for part in found.core_distances] == sizes
    assert all(type(part) is type(pieces[0]) for part in (*found.core_distances, found.edges))
    np.testing.assert_array_equal(np.concatenate(list(map(to_host, found.core_distances))), wanted.core_distances)
    np.testing.assert_array_equal(to_host(found.edges), wanted.edges)
    np.testing.assert_array_equal(to_host(found.weights), wanted.weights)


@pytest.mark.parametrize("ops", [pytest.param("cuda", marks=pytest.mark.gpu)], indirect=True)
def test_every_array_of_a_list_gets_results_of_its_own_kind(ops, gpus):
    X = SETS["uniform, float32"]
    pieces = [X[:0], to_device(ops, X[:2000]), X[2000:2001], to_device(ops, X[:0]), X[2001:]]
    found = emst.minimum_spanning_tree(pieces, min_samples=4, device_ids=gpus)
    assert [type(part) for part in found.core_distances] == [type(piece) for piece in pieces]


def test_few_points_take_one_gpu(ops, gpus, monkeypatch, capsys):
    monkeypatch.setattr(memory, "WORTH", 10_000)
    on_one_device = functools.partial(check_points, device=ops.name)
    monkeypatch.setattr(inputs.GivenPoints, "on_home", lambda self: on_one_device(self.whole()))
    X = SETS["uniform, float32"]
    found = emst.minimum_spanning_tree(X, device_ids=gpus, verbose=True)
    assert_same(found, emst.minimum_spanning_tree(X, device=ops.name))
    assert "GPU 0 alone: below 10,000 points it is faster than several" in capsys.readouterr().err


def test_the_estimator(ops, gpus):
    X = SETS["uniform, float64"]
    found = emst.EMST(min_samples=3, device_ids=gpus).fit(np.array_split(X, 3) if ops.name == "cpu" else X)
    wanted = emst.EMST(min_samples=3, device=ops.name).fit(X)
    assert found.n_features_in_ == 2 and found.total_weight_ == wanted.total_weight_
    np.testing.assert_array_equal(found.cut(0.05), wanted.cut(0.05))
    assert found.plot() is not None


def test_reports_rounds_and_stages(ops, gpus, capsys):
    rounds = []
    emst.minimum_spanning_tree(
        SETS["uniform, float32"], device_ids=gpus, report=lambda *given: rounds.append(given), verbose=True
    )
    assert rounds[-1][1] == 1 and [number for number, _ in rounds] == list(range(1, len(rounds) + 1))
    assert "local trees and rounds" in capsys.readouterr().err


def test_bad_rows_are_named(gpus):
    X = SETS["uniform, float64"].copy()
    X[[1700, 2100]] = np.nan
    with pytest.raises(ValueError, match="NaN or infinity in 2 rows, first in row 1700"):
        emst.minimum_spanning_tree(X, device_ids=gpus)


@pytest.mark.parametrize("as_list", [False, True])
def test_numbers_beyond_the_range_of_the_dtype(gpus, as_list):
    n = 3000
    X = np.random.default_rng(0).random((n, 2))
    X[n - 7] = 1e300
    given = [X[: n // 3], X[n // 3 :]] if as_list else X
    message = f"X holds numbers beyond the range of float32 in 1 row, first in row {n - 7};"
    for fit in (emst.minimum_spanning_tree, lambda X, **given: emst.HDBSCANGPU(**given).fit(X)):
        with pytest.raises(ValueError, match=message):
            fit(given, device_ids=gpus, dtype=np.float32)


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ([np.ones((3, 2)), np.ones((4, 3))], r"X\[1\] has 3 columns, but X\[0\] has 2 columns"),
        ([np.ones((3, 2)), np.ones((4, 2), np.float32)], r"X\[1\] is float32, but X\[0\] is float64"),
        ([np.ones((3, 2)), np.ones((4, 2), complex)], r"X\[1\]: X must hold real numbers"),
        ([np.ones((0, 2)), np.ones((0, 2))], "its arrays have no rows"),
        ([np.ones((0, 5)), np.ones((4, 2))], r"X\[0\] has 5 columns, but X\[1\] has 2 columns"),
        (
            [pd.DataFrame(np.ones((3, 2)), columns=list("xy")), pd.DataFrame(np.ones((3, 2)), columns=list("yx"))],
            r"X\[1\] has the columns y, x, but X\[0\] has x, y",
        ),
    ],
)
def test_lists_that_do_not_fit(gpus, pieces, said):
    with pytest.raises(ValueError, match=said):
        emst.minimum_spanning_tree(pieces, device_ids=gpus)


def partitions():
    """All that are held; other tests hold some."""
    gc.collect()
    return [one for one in gc.get_objects() if isinstance(one, Partition)]


@pytest.mark.parametrize("k", [1, 5])
def test_lists_are_merged_where_nothing_else_of_a_partition_is_left(gpus, monkeypatch, k):
    """But for its points. Merges need the memory."""

    def locals_at_home():
        return {id(one) for one in gc.get_objects() if isinstance(one, Local) and one.place.number == 0}

    def watched(ops, *lists):
        left.append(locals_at_home() - known)
        return merged(ops, *lists)

    merged, left, known = tree.merged, [], locals_at_home()
    monkeypatch.setattr(tree, "merged", watched)
    emst.minimum_spanning_tree(SETS["uniform, float32"], min_samples=k, device_ids=gpus)
    assert left == [set()]


@pytest.mark.parametrize("where", [(certain, "local_tree"), (rounds, "at_once"), (rounds, "answer")])
@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_an_error_ends_all_threads(ops, gpus, monkeypatch, where, error):
    """Nothing stays: no new thread, no partition, no other pace of threads. The next tree is as if nothing had
    happened."""

    def fails(*_):
        raise error("in the middle")

    before, known = sys.getswitchinterval(), set(map(id, partitions()))
    threads = set(threading.enumerate())  # some wait for the next fit
    with monkeypatch.context() as patch:
        patch.setattr(rounds, "at_once", lambda ops, state, *_: state)  # so that rounds are tasks on a GPU, too
        patch.setattr(*where, fails)
        try:
            emst.minimum_spanning_tree(SETS["uniform, float32"], device_ids=gpus)
        except error as raised:
            assert str(raised) == "in the middle"
        else:
            raise AssertionError("no error")
    assert not [one.name for one in set(threading.enumerate()) - threads if one.name.startswith("emst-gpu")]
    assert not [one for one in partitions() if id(one) not in known]
    assert sys.getswitchinterval() == before
    assert_same(
        emst.minimum_spanning_tree(SETS["uniform, float32"], device_ids=gpus),
        emst.minimum_spanning_tree(SETS["uniform, float32"], device=ops.name),
    )


def test_threads_wait_for_the_next_fit(ops, gpus):
    """A new thread would prepare the first launch of every kernel again. Two fits at the same time share no thread."""

    def threads_of(engine):
        return [engine.submit(lambda ops: threading.get_ident(), at=number) for number in range(2)]

    with GPUThreads(gpus) as engine:
        first = engine.gather(threads_of(engine))
        with GPUThreads(gpus) as other:
            assert not set(first) & set(other.gather(threads_of(other)))
    with GPUThreads(gpus) as engine:
        again = engine.gather(threads_of(engine))
        assert len(set(first)) == 2 and set(again) <= {one.ident for one in threading.enumerate()}
    with pytest.raises(MemoryError), GPUThreads(gpus) as engine:
        raise MemoryError
    with GPUThreads(gpus) as engine:
        assert not set(again) & set(engine.gather(threads_of(engine)))


def test_engines_at_once_leave_the_pace_of_threads():
    before = sys.getswitchinterval()
    first, second = GPUThreads([0]), GPUThreads([0])
    first.__enter__()
    second.__enter__()
    first.__exit__()
    assert sys.getswitchinterval() != before
    second.__exit__()
    assert sys.getswitchinterval() == before


@pytest.mark.parametrize("command", ["tree", "cluster"])
def test_the_command_line(ops, gpus, monkeypatch, tmp_path, capsys, command):
    monkeypatch.chdir(tmp_path)
    X = SETS["uniform, float32"]
    np.save("points.npy", X)
    assert main([command, "points.npy", "-o", "out.npz", "--min-samples", "3", "--gpus", "0,1"]) == 0
    capsys.readouterr()
    with np.load("out.npz") as found:
        if command == "tree":
            wanted = emst.minimum_spanning_tree(X, min_samples=3, device=ops.name)
            np.testing.assert_array_equal(found["edges"], wanted.edges)
        else:
            wanted = emst.HDBSCANGPU(min_samples=3, device=ops.name).fit(X)
            np.testing.assert_array_equal(found["label"], wanted.labels_)


def test_the_command_line_names_bad_numbers(capsys):
    with pytest.raises(SystemExit):
        main(["tree", "points.npy", "-o", "out.npz", "--gpus", "0,x"])
    assert "'0,x' is neither 'all' nor a list of numbers like 0,1" in capsys.readouterr().err


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("partitions", [1, 2, 3, 5])
def test_points_that_are_left_out_have_ids(ops, partitions, k):
    """A partition that begins with many equal points lists its edges by the ids of all its points. Any number of lists
    is merged."""
    lattice = np.random.default_rng(0).integers(0, 16, (1200, 2)).astype(float)
    X = np.random.default_rng(1).permutation(np.concatenate([lattice, np.full((1500, 2), 5.0)]))
    with Threads(partitions, device=ops.name) as engine:
        request = Request(tree_metric_of("euclidean", None), k, partitions, lists=True)
        fitted = fitted_tree(chunks_of(np.array_split(X, partitions), engine), request, engine, Progress())
        parts = [local.partition for local in engine.gather(fitted.tree.locals)]
        found = tree.gathered(fitted, engine, ops)
    assert partitions == 1 or any(len(one.left_out) and len(one.rows) > one.kept for one in parts)
    wanted = emst.minimum_spanning_tree(X, min_samples=k, device=ops.name)
    for ours, theirs in zip(found, (wanted.edges, wanted.weights, wanted.core_distances)):
        np.testing.assert_array_equal(*((None, None) if theirs is None else map(to_host, (ours, theirs))))
