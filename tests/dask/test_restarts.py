"""All workers die, and start again under other addresses: that costs time and no result. A wait that nobody works for
ends in one sentence."""

import asyncio
import contextlib
import os
import signal
import time

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster, SchedulerPlugin, Worker
from distributed.core import Status

import emst
import emst.hdbscan.prediction
from emst.dask import graph_msf, minimum_spanning_tree
from emst.dask.engine import DaskEngine
from emst.dask.faults import LostInput, Watch, read_again
from emst.dask.hdbscan import HDBSCAN
from emst.dask.prediction import approximate_predict

RNG = np.random.default_rng(5)
X = np.round(RNG.random((900, 2)), 2)
NEW = np.round(RNG.random((200, 2)), 2)
ENDS = RNG.integers(0, 100, (2, 900))
WEIGHTS = RNG.integers(0, 50, 900).astype(float)
CLUSTERS = {"min_cluster_size": 8, "min_samples": 3}


@contextlib.contextmanager
def cluster_of(count, **options):
    """Workers of a test's own. They soon give up to connect to one that died, and processes start fast. By default,
    `LocalCluster` stops a worker that it does not see 15 s after an earlier death, also while it starts again."""
    config = {
        "distributed.comm.timeouts.connect": "1s",
        "distributed.deploy.lost-worker-timeout": "1h",
        "distributed.scheduler.allowed-failures": 100,
        "distributed.worker.multiprocessing-method": "forkserver",
    }
    options = {"memory_limit": 0, "dashboard_address": ":0"} | options
    with (
        dask.config.set(config),
        LocalCluster(n_workers=count, threads_per_worker=1, **options) as local,
        Client(local, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def nannies():
    """Two workers in processes of their own, which nannies start again when they die. An only worker dies below."""
    with cluster_of(2, processes=True) as client:
        yield client


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """Folders with the points, the new points and the graph, three files each."""
    folder = tmp_path_factory.mktemp("parts")
    for name, rows in (("points", X), ("new", NEW)):
        (folder / name).mkdir()
        for i, part in enumerate(np.array_split(rows, 3)):
            np.save(folder / name / f"{i}.npy", part)
    for i, part in enumerate(np.array_split(np.arange(900), 3)):
        lines = [f"{u},{v},{w}" for u, v, w in zip(*ENDS[:, part], WEIGHTS[part])]
        (folder / f"graph-{i}.csv").write_text("\n".join(["source,target,weight", *lines]) + "\n")
    return {
        "points": str(folder / "points"),
        "new": str(folder / "new"),
        "graph": [str(folder / f"graph-{i}.csv") for i in range(3)],
    }


@pytest.fixture(scope="module")
def wanted():
    """The results of one device."""
    model = emst.HDBSCAN(**CLUSTERS, device="cpu").fit(X)
    new = emst.hdbscan.prediction.approximate_predict(model, NEW)
    return {
        "tree": emst.minimum_spanning_tree(X, min_samples=3, device="cpu").edges,
        "labels": model.labels_,
        "new labels": new[0],
    }


class AfterStages(SchedulerPlugin):
    """Calls `kill` when the first task of a stage has its result, for each of some stages in turn; by default, for all
    that there are."""

    name = "after-stages"

    def __init__(self, kill, stages=None):
        self.kill, self.stages, self.done = kill, stages, []

    def transition(self, key, start, finish, *args, **kwargs):
        stage = str(key).rsplit("-", 5)[0]
        wanted = stage not in self.done if self.stages is None else self.stages[len(self.done) :][:1] == [stage]
        if finish == "memory" and wanted:
            self.done.append(stage)
            self.kill()


@contextlib.contextmanager
def processes_killed_after(client, *stages):
    """All worker processes are killed when the first task of each stage is done."""
    scheduler = client.cluster.scheduler
    client.wait_for_workers(len(client.cluster.workers), timeout=60)

    def kill():
        for worker in list(scheduler.workers.values()):
            os.kill(worker.pid, signal.SIGKILL)

    plugin = AfterStages(kill, list(stages))
    scheduler.add_plugin(plugin)
    try:
        yield
    finally:
        scheduler.remove_plugin(plugin.name)
    assert plugin.done == list(stages)


def test_trees_survive_all_processes(nannies, paths, wanted):
    with processes_killed_after(nannies, "chunk_of_file", "join"):
        tree = minimum_spanning_tree(paths["points"], min_samples=3, partitions=3, client=nannies)
        assert np.array_equal(tree.to_local().edges, wanted["tree"])


def test_labels_and_prediction_survive_all_processes(nannies, paths, wanted):
    """With the workers of the prediction go the labels: the caller asks Dask for them later."""
    with processes_killed_after(nannies, "received"):
        model = HDBSCAN(**CLUSTERS, partitions=3, client=nannies).fit(paths["points"])
        labels, _ = approximate_predict(model, paths["new"])
    assert np.array_equal(nannies.compute(labels).result(timeout=60), wanted["new labels"])
    assert np.array_equal(model.to_local()[0], wanted["labels"])


def test_forests_survive_all_processes(nannies, paths):
    with processes_killed_after(nannies, "with_edges"):
        forest = graph_msf(paths["graph"], client=nannies)
    whole = emst.graph_msf(*ENDS, WEIGHTS, symmetric="min", device="cpu")
    assert np.array_equal(forest.edge_id, whole.edge_id)


# ---- in this process: workers that close, and others that start ------------------------------------------------------


class Replaced:
    """Closes the workers of a cluster in this process, and then starts as many, which have other addresses."""

    def __init__(self, client):
        self.client, self.scheduler = client, client.cluster.scheduler
        self.workers, self.one_at_a_time = list(client.cluster.workers.values()), asyncio.Lock()

    def soon(self):
        self.client.loop.add_callback(self.replace)

    def now(self):
        self.client.sync(self.replace)

    async def replace(self, start=True):
        async with self.one_at_a_time:
            for worker in self.workers:
                with contextlib.suppress(OSError, asyncio.TimeoutError):  # on a busy machine, of saying good-bye
                    await worker.close(timeout=1, executor_wait=False, nanny=False)
            self.workers = [
                await Worker(self.scheduler.address, nthreads=1, memory_limit=0) for _ in self.workers * start
            ]


@pytest.fixture
def replaced():
    with cluster_of(1, processes=False) as client:
        replaced = Replaced(client)
        yield replaced
        client.sync(replaced.replace, start=False)


@contextlib.contextmanager
def replaced_after(replaced, stages=None):
    """The worker is replaced when the first task of each stage is done."""
    plugin = AfterStages(replaced.soon, stages)
    replaced.scheduler.add_plugin(plugin)
    try:
        yield plugin.done
    finally:
        replaced.scheduler.remove_plugin(plugin.name)


def test_the_only_worker_dies_in_every_stage(replaced, paths, wanted):
    client = replaced.client
    with replaced_after(replaced) as stages:
        model = HDBSCAN(**CLUSTERS, partitions=2, client=client).fit(paths["points"])
        labels, _ = approximate_predict(model, paths["new"])
        assert np.array_equal(client.compute(labels).result(timeout=60), wanted["new labels"])
        assert np.array_equal(model.to_local()[0], wanted["labels"])
        tree = minimum_spanning_tree(paths["points"], min_samples=3, partitions=2, client=client)
        assert np.array_equal(tree.to_local().edges, wanted["tree"])
    assert len(stages) > 50


@pytest.mark.parametrize("stage", ["chunk", "local_tree"])
def test_a_plain_array_is_sent_to_the_worker_that_comes(replaced, wanted, stage):
    """Also if it is lost before its chunks are known."""
    with replaced_after(replaced, [stage]) as stages:
        tree = minimum_spanning_tree(X, min_samples=3, partitions=3, client=replaced.client)
        assert np.array_equal(tree.to_local().edges, wanted["tree"])
    assert stages == [stage]


def test_a_model_of_a_plain_array_that_is_lost(replaced, paths):
    """The new points are paths, so the error must not ask for these."""
    model = HDBSCAN(**CLUSTERS, partitions=3, client=replaced.client).fit(X)
    replaced.now()
    with pytest.raises(LostInput, match="the model was lost with a worker, and what it was fitted to cannot be read"):
        approximate_predict(model, paths["new"])


def test_homes_are_workers_that_live(replaced):
    cluster = DaskEngine(replaced.client, "cpu")
    before = cluster.workers
    replaced.now()
    with cluster.releasing():
        assert cluster.workers == list(replaced.scheduler.workers) != before
        future = cluster.submit(one, at=0)
        assert cluster.gather([future]) == [1]
        assert replaced.scheduler.tasks[future.key].worker_restrictions == {cluster.home(0)}


def one(ops):
    return 1


def test_a_worker_dies_while_it_is_asked_what_it_is(replaced, monkeypatch):
    client, asked = replaced.client, []

    def run(*args, **options):
        asked.append(args)
        if len(asked) == 1:
            replaced.now()
            raise OSError("the worker is gone")
        return ask(*args, **options)

    ask = client.run
    monkeypatch.setattr(client, "run", run)
    assert DaskEngine(client, "cpu").workers == list(replaced.scheduler.workers)
    assert len(asked) == 2


def test_workers_that_die_whenever_they_are_asked(replaced, monkeypatch):
    monkeypatch.setattr(replaced.client, "run", lambda *args: {})
    with pytest.raises(RuntimeError, match="workers died while they were asked for their versions and devices"):
        DaskEngine(replaced.client, "cpu")


@pytest.fixture
def paused():
    """Two workers in this process that take no tasks because they have no memory left, and the cluster of both."""
    with cluster_of(2, processes=False) as client:
        cluster, scheduler = DaskEngine(client, "cpu"), client.cluster.scheduler
        for worker in client.cluster.workers.values():
            worker.status = Status.paused
        assert soon(lambda: not scheduler.running)
        yield cluster, *sorted(client.cluster.workers.values(), key=lambda worker: worker.address)


def soon(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


@pytest.mark.parametrize("dies", ["before", "after"])
def test_a_worker_goes_on_with_the_tasks_of_one_that_died_while_all_were_paused(paused, dies):
    """The worker dies before or after it is given a task."""
    cluster, first, second = paused
    scheduler = cluster.client.cluster.scheduler
    future = None if dies == "before" else cluster.submit(one, at=1)
    assert dies == "before" or soon(lambda: scheduler.tasks and scheduler.tasks[future.key].state == "no-worker")
    cluster.client.sync(second.close, timeout=1, executor_wait=False, nanny=False)
    assert cluster.home(1) == second.address
    future = future or cluster.submit(one, at=1)
    assert soon(lambda: future.key in scheduler.tasks and scheduler.tasks[future.key].state == "no-worker")
    first.status = Status.running
    assert cluster.gather([future], timeout=20) == [1]


# ---- waits that end --------------------------------------------------------------------------------------------------


def test_tasks_that_no_worker_may_take(client, monkeypatch):
    monkeypatch.setattr("emst.dask.faults.IDLE_FOR", 1.0)
    given = client.submit(np.copy, X, resources={"a device that is not there": 1})
    with pytest.raises(RuntimeError, match="workers have been idle for 1 seconds, but 1 of 1 results are missing"):
        minimum_spanning_tree(given, client=client)


def fails(ops):
    raise FileNotFoundError("it has vanished")


def test_a_failed_task_is_the_reason_if_nothing_is_done(client, monkeypatch):
    """As if Dask had lost the way from the one to the other."""
    monkeypatch.setattr("emst.dask.faults.FAILED_FOR", 1.0)
    cluster = DaskEngine(client, "cpu")
    failed, never = cluster.submit(fails), client.submit(one, None, resources={"a device that is not there": 1})
    assert soon(lambda: failed.status == "error")
    with pytest.raises(FileNotFoundError, match="it has vanished"):
        cluster.gather([never])


def slowly(ops):
    time.sleep(1)
    return 1


def test_a_worker_at_work_is_not_idle(client, monkeypatch):
    cluster = DaskEngine(client, "cpu")
    monkeypatch.setattr("emst.dask.faults.IDLE_FOR", 0.1)
    future = cluster.submit(slowly)
    watch = Watch(client, [future])
    assert soon(lambda: any(client.processing().values()))
    time.sleep(0.2)
    watch.check(client.scheduler_info(n_workers=-1)["workers"])
    assert not future.done()


def test_one_worker_that_waits_for_memory_ends_no_wait(client, monkeypatch):
    monkeypatch.setattr("emst.dask.faults.PAUSED_FOR", 0.1)
    watch = Watch(client, [])
    waits, works = ({"status": status, "metrics": {}} for status in ("paused", "running"))
    time.sleep(0.2)
    watch.check({"a": waits, "b": works})
    time.sleep(0.2)
    with pytest.raises(RuntimeError, match="all workers have waited for memory"):
        watch.check({"a": waits, "b": waits})


def test_results_on_their_way_to_this_process_are_not_missing(client, monkeypatch):
    cluster = DaskEngine(client, "cpu")
    done, never = cluster.submit(one), client.submit(one, None, resources={"a device that is not there": 1})
    cluster.gather([done])
    monkeypatch.setattr("emst.dask.faults.IDLE_FOR", 0.1)
    watches = [Watch(client, futures) for futures in ([done], [done, never])]
    time.sleep(0.2)
    workers = client.scheduler_info(n_workers=-1)["workers"]
    watches[0].check(workers)
    with pytest.raises(RuntimeError, match="but 1 of 2 results are missing"):
        watches[1].check(workers)


def test_who_gave_paths_is_not_told_to_give_paths():
    tried = []

    def work():
        tried.append(1)
        raise LostInput("give paths")

    with pytest.raises(LostInput, match="workers died in each of 3 attempts"):
        read_again(["a.npy"], work)
    assert len(tried) == 3
    with pytest.raises(LostInput, match="give paths"):
        read_again(X, work)
