"""What dies costs time and no result; what cannot be computed ends in one sentence; nothing stays behind."""

import asyncio
import contextlib
import gc
import os
import signal
import threading
import time

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster, SchedulerPlugin
from distributed.core import Status

import emst
import emst.partitions.rounds
from emst.dask import minimum_spanning_tree
from emst.dask.engine import DaskEngine
from emst.dask.faults import LostInput, failed_before
from emst.dask.hdbscan import HDBSCAN

X = np.round(np.random.default_rng(5).random((1500, 2)), 2)


@contextlib.contextmanager
def workers(count, **options):
    """Workers of a test's own. They soon give up to connect to one that died; by default, in 30 s."""
    options = {"processes": False, "memory_limit": 0, "dashboard_address": ":0"} | options
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s", "distributed.scheduler.allowed-failures": 1}),
        LocalCluster(n_workers=count, threads_per_worker=1, **options) as local,
        Client(local, set_as_default=False) as client,
    ):
        client.wait_for_workers(count, timeout=60)
        yield client


@pytest.fixture
def doomed():
    with workers(3) as client:
        yield client


@pytest.fixture(scope="module")
def processes():
    """Two workers in processes of their own, which are started again when they die."""
    with workers(2, processes=True) as client:
        yield client


def close_one(client):
    """Closes the running worker that holds the most results."""
    local = client.cluster
    running = [worker for worker in local.workers.values() if worker.status is Status.running]  # closed ones keep data
    if running:
        worker = max(running, key=lambda worker: len(worker.data))
        with contextlib.suppress(OSError, asyncio.TimeoutError):  # on a busy machine, of saying good-bye
            local.sync(worker.close, timeout=1, executor_wait=False, nanny=False)


def assert_same(tree, k):
    wanted, found = emst.minimum_spanning_tree(X, min_samples=k, device="cpu"), tree.to_local()
    assert np.array_equal(found.edges, wanted.edges) and np.array_equal(found.weights, wanted.weights)
    assert k == 1 or np.array_equal(found.core_distances, wanted.core_distances)


class AfterTasks(SchedulerPlugin):
    """Sets `reached` when so many tasks have been done."""

    def __init__(self, count):
        self.left, self.reached = count, threading.Event()

    def transition(self, key, start, finish, *args, **kwargs):
        self.left -= finish == "memory"
        if self.left <= 0:
            self.reached.set()


@contextlib.contextmanager
def dying_after(client, count):
    """A worker dies when so many tasks have been done, or at the end."""
    plugin = AfterTasks(count)
    client.cluster.scheduler.add_plugin(plugin)

    def kill():
        plugin.reached.wait()
        close_one(client)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield plugin
    finally:
        plugin.reached.set()
        thread.join()


@pytest.mark.parametrize("seed", range(10))
def test_a_worker_that_dies_costs_nothing_but_time(doomed, seed):
    """Odd seeds: a plain array, whose pieces are lost and are sent again as long as the fit runs."""
    rng = np.random.default_rng(seed)
    k = 1 + 2 * int(rng.integers(2))
    with dying_after(doomed, int(rng.integers(1, 100))):
        given = X if seed % 2 else da.from_array(X, chunks=(200, 2))
        tree = minimum_spanning_tree(given, min_samples=k, partitions=5, client=doomed)
        assert_same(tree, k)
    assert_same(tree, k)  # the worker dies before or after the tree is complete


@pytest.mark.parametrize("seed", range(4))
def test_clusters_survive_a_worker(doomed, seed):
    rng = np.random.default_rng(100 + seed)
    wanted = emst.HDBSCAN(min_cluster_size=8, min_samples=3, device="cpu").fit(X)
    with dying_after(doomed, int(rng.integers(1, 250))):
        given = X if seed % 2 else da.from_array(X, chunks=(200, 2))
        found = HDBSCAN(min_cluster_size=8, min_samples=3, partitions=4, client=doomed).fit(given)
    labels, probabilities = found.to_local()
    assert np.array_equal(labels, wanted.labels_) and np.array_equal(probabilities, wanted.probabilities_)


def test_a_process_that_is_killed_in_a_round(processes):
    pids, rounds = list(processes.run(os.getpid).values()), []

    def report(number, left):
        rounds.append(number)
        if number == 1:
            os.kill(pids[0], signal.SIGKILL)

    given = da.from_array(X, chunks=(200, 2))
    tree = minimum_spanning_tree(given, min_samples=2, partitions=4, client=processes, report=report)
    assert_same(tree, 2)
    assert rounds[0] == 1
    assert pids[0] not in processes.run(os.getpid).values()


def deadly(block):
    os._exit(1)


def test_workers_that_die_of_a_task_end_it(processes):
    given = da.from_array(X, chunks=(500, 2)).map_blocks(deadly, dtype=float, meta=X[:0])
    with pytest.raises(RuntimeError, match="2 workers died while they computed the same task"):
        minimum_spanning_tree(given, client=processes)


def test_all_workers_gone(monkeypatch):
    monkeypatch.setattr("emst.dask.faults.NO_WORKERS_FOR", 2.0)
    with workers(2) as client:

        def report(number, left):
            close_one(client)
            close_one(client)

        begin = time.monotonic()
        with pytest.raises(RuntimeError, match="all workers have been gone for 2 seconds"):
            minimum_spanning_tree(da.from_array(X, chunks=(500, 2)), partitions=4, client=client, report=report)
        assert time.monotonic() - begin < 30


def test_the_scheduler_is_gone():
    with workers(2) as client:

        def report(number, left):
            client.cluster.sync(client.cluster.scheduler.close)

        begin = time.monotonic()
        with pytest.raises(RuntimeError, match="the client was closed, or the scheduler is gone"):
            minimum_spanning_tree(da.from_array(X, chunks=(500, 2)), partitions=4, client=client, report=report)
        assert time.monotonic() - begin < 30


def test_the_client_is_closed_in_between():
    with workers(2) as client, pytest.raises(RuntimeError, match="the client was closed, or the scheduler is gone"):
        minimum_spanning_tree(X, partitions=4, client=client, report=lambda number, left: client.close())


def test_a_file_that_is_gone_when_it_is_needed_again(doomed, tmp_path):
    for i in range(3):
        np.save(tmp_path / f"{i}.npy", X[500 * i : 500 * (i + 1)])

    def report(number, left):
        for i in range(3):
            (tmp_path / f"{i}.npy").unlink(missing_ok=True)
        if number == 1:
            close_one(doomed)

    # If what was sent to the worker is lost too, all is read again, and the folder is empty.
    with pytest.raises(FileNotFoundError, match=r"\d\.npy has vanished|holds no \.npy"):
        minimum_spanning_tree(str(tmp_path), partitions=4, client=doomed, report=report)


def fails(ops, text):
    raise FileNotFoundError(text)


def one(ops):
    return 1


@pytest.mark.parametrize("others", [["it has vanished"], []])
def test_a_finished_task_that_dask_fails_gives_the_error_of_the_task_that_failed(doomed, others):
    cluster = DaskEngine(doomed, "cpu")
    finished = cluster.submit(one)
    others = [cluster.submit(fails, text) for text in others]
    assert finished.exception(timeout=10) is None
    assert all(future.exception(timeout=10) is not None for future in others)
    scheduler = doomed.cluster.scheduler
    doomed.cluster.sync(as_coroutine, scheduler.transitions, {finished.key: "erred"}, stimulus_id="a test")
    expected, text = (FileNotFoundError, "it has vanished") if others else (LostInput, "was lost with a worker")
    with pytest.raises(expected, match=text):
        cluster.gather([finished])


@pytest.mark.parametrize("others", [["it has vanished"], []])
@pytest.mark.parametrize("status", ["cancelled", "error"])
def test_a_task_that_dask_ends_without_an_error_gives_the_error_of_the_task_that_failed(doomed, status, others):
    """As when a worker dies while its results are asked for: Dask drops the task, or fails it without a reason."""
    cluster = DaskEngine(doomed, "cpu")
    ended = cluster.submit(one)
    others = [cluster.submit(fails, text) for text in others]
    assert all(future.exception(timeout=10) is not None for future in others)
    assert ended.result(timeout=10) == 1
    state = doomed.futures.pop(ended.key) if status == "cancelled" else doomed.futures[ended.key]
    state.status, state.exception = status, None
    expected, text = (FileNotFoundError, "it has vanished") if others else (LostInput, "was lost with a worker")
    with pytest.raises(expected, match=text):
        cluster.gather([ended])


def test_an_attribute_that_a_task_does_not_find_is_its_own_error(doomed):
    cluster = DaskEngine(doomed, "cpu")
    with pytest.raises(AttributeError, match="no attribute 'missing'"):
        cluster.gather([cluster.submit(asks)])


def asks(ops):
    return ops.missing


def test_the_error_of_a_task_that_this_process_no_longer_holds(doomed):
    """As of a task that reads a file again: its result was lost with a worker, long after the last use of it here."""
    cluster = DaskEngine(doomed, "cpu")
    read = cluster.submit(fails, "it has vanished")
    used = cluster.submit(two, read)
    assert used.exception(timeout=10) is not None
    del read
    found = doomed.run_on_scheduler(failed_before, [used.key, "no such task"])
    assert isinstance(found, FileNotFoundError) and "it has vanished" in str(found)
    assert doomed.run_on_scheduler(failed_before, [cluster.submit(one).key]) is None


def two(ops, first):
    return first


def fails_late(ops, text):
    time.sleep(0.3)
    raise FileNotFoundError(text)


def test_the_error_of_the_task_that_failed_may_arrive_later(doomed):
    cluster = DaskEngine(doomed, "cpu")
    finished = cluster.submit(one)
    assert finished.exception(timeout=10) is None
    other = cluster.submit(fails_late, "it has vanished")
    scheduler = doomed.cluster.scheduler
    doomed.cluster.sync(as_coroutine, scheduler.transitions, {finished.key: "erred"}, stimulus_id="a test")
    with pytest.raises(FileNotFoundError, match="it has vanished"):
        cluster.gather([finished])
    assert other.status == "error"


async def as_coroutine(function, *args, **options):
    return function(*args, **options)


def test_a_plain_array_that_is_lost_again_and_again(doomed, monkeypatch):
    sent = []

    def lost(*args, **options):
        held = scatter(*args, **options)
        sent.append(len(held))
        doomed.cancel(held, force=True)
        return held

    scatter = doomed.scatter
    monkeypatch.setattr(doomed, "scatter", lost)
    with pytest.raises(LostInput, match="cannot be read again"):
        minimum_spanning_tree(X, partitions=4, client=doomed)
    assert len(sent) == 3


# ---- nothing stays -------------------------------------------------------------------------------------------------


def held_by(client):
    """Names of the results that workers hold."""
    return {name for held in client.run(lambda dask_worker: list(dask_worker.data)).values() for name in held}


def soon(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


@pytest.fixture
def no_collection():
    """Python's collection of circles is off: results are released when the last name for them is gone."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def slowly(block):
    time.sleep(1.5)
    return block


def interrupt(number, left):
    raise KeyboardInterrupt


@pytest.mark.parametrize("given", [X, da.from_array(X, chunks=(500, 2)).map_blocks(slowly, dtype=float, meta=X[:0])])
def test_nothing_stays_after_an_interrupt(client, no_collection, given):
    before = held_by(client)
    with pytest.raises(KeyboardInterrupt):
        minimum_spanning_tree(given, min_samples=2, partitions=4, client=client, report=interrupt)
    assert soon(lambda: not held_by(client) - before), held_by(client) - before


def test_an_interrupt_ends_tasks_that_wait(client):
    """What is queued does not run."""
    ran = []

    def late(block):
        ran.append(1)
        time.sleep(0.2)
        return block

    given = da.from_array(X, chunks=(10, 2)).map_blocks(late, dtype=float, meta=X[:0])
    timer = threading.Timer(1.0, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        minimum_spanning_tree(given, client=client)
    time.sleep(0.3)
    count = len(ran)
    time.sleep(0.5)
    assert len(ran) == count < 150


@pytest.mark.parametrize("make", [lambda X: X, lambda X: da.from_array(X, chunks=(500, 2))])
def test_nothing_stays_after_the_result(client, no_collection, make):
    before = held_by(client)
    tree = minimum_spanning_tree(make(X), min_samples=2, partitions=4, client=client)
    tree.to_local()
    del tree
    assert soon(lambda: not held_by(client) - before), held_by(client) - before
    model = HDBSCAN(partitions=4, client=client).fit(make(X))
    model.recluster(min_cluster_size=20).to_local()
    del model
    assert soon(lambda: not held_by(client) - before), held_by(client) - before


def test_nothing_stays_after_long_waits(client, no_collection):
    """Dask holds the futures of a wait that timed out in a circle of Python objects."""
    before = held_by(client)
    given = da.from_array(X, chunks=(750, 2)).map_blocks(slowly, dtype=float, meta=X[:0])
    minimum_spanning_tree(given, partitions=2, client=client).to_local()
    assert soon(lambda: not held_by(client) - before), held_by(client) - before


def test_inputs_leave_the_workers_when_partitions_exist(doomed):
    """In the rounds, workers hold the partitions, but no longer the chunks, their images and the pieces for partitions.
    What a worker took with it is made again all the same."""
    held = []

    def kinds():
        return [
            type(value).__name__
            for worker in doomed.cluster.workers.values()
            for value in worker.data.values()
            if not isinstance(value, np.ndarray) or value.shape == (500, 2)
        ]

    def report(number, left):
        if number == 1:
            soon(lambda: not {"ndarray", "list"} & set(kinds()), 5)
            held.extend(kinds())
            close_one(doomed)

    given = da.from_array(X, chunks=(500, 2))
    tree = minimum_spanning_tree(given, min_samples=2, partitions=3, client=doomed, report=report)
    assert "Local" in held and not {"ndarray", "list"} & set(held), held
    assert_same(tree, 2)
