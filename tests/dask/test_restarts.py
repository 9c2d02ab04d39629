"""All workers die, and start again under other addresses: that costs time and no result. A wait that nobody works for
ends in one sentence."""

import asyncio
import contextlib
import os
import signal
import threading

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster, SchedulerPlugin, Worker
from distributed.core import Status

import emst
import emst.hdbscan.prediction
from emst.dask import graph_msf, minimum_spanning_tree
from emst.dask.cluster import Cluster
from emst.dask.hdbscan import HDBSCAN
from emst.dask.inputs import chunks_of
from emst.dask.lost import LostInput, read_again
from emst.dask.prediction import approximate_predict
from emst.dask.watch import Watch

RNG = np.random.default_rng(5)
X = np.round(RNG.random((900, 2)), 2)
NEW = np.round(RNG.random((200, 2)), 2)
ENDS = RNG.integers(0, 100, (2, 900))
WEIGHTS = RNG.integers(0, 50, 900).astype(float)
CLUSTERS = {"min_cluster_size": 8, "min_samples": 3}


@contextlib.contextmanager
def cluster_of(count, **options):
    """Workers of a test's own. They soon give up to connect to one that died, and processes start fast. By default,
    `LocalCluster` stops a worker that it does not see 15 s after an earlier death, also if it is just starting again."""
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


@pytest.fixture(scope="module", params=[1, 2], ids=["one worker", "two workers"])
def nannies(request):
    """Workers in processes of their own, which nannies start again when they die."""
    with cluster_of(request.param, processes=True) as client:
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
    with processes_killed_after(nannies, "chunk_of_file", "assemble", "join"):
        tree = minimum_spanning_tree(paths["points"], min_samples=3, partitions=3, client=nannies)
        assert np.array_equal(tree.to_local().edges, wanted["tree"])


def test_labels_and_prediction_survive_all_processes(nannies, paths, wanted):
    """They die in the fit, in the prediction, and after it, when the caller asks Dask for results."""
    with processes_killed_after(nannies, "contracted", "guests"):
        model = HDBSCAN(**CLUSTERS, partitions=3, client=nannies).fit(paths["points"])
        labels, probabilities = approximate_predict(model, paths["new"])
    with processes_killed_after(nannies, "take"):
        nannies.submit(int, key="take").result()
    assert np.array_equal(nannies.compute(labels).result(timeout=60), wanted["new labels"])
    assert np.array_equal(model.to_local()[0], wanted["labels"])


def test_forests_survive_all_processes(nannies, paths):
    with processes_killed_after(nannies, "with_edges"):
        forest = graph_msf(paths["graph"], client=nannies)
    whole = emst.graph_msf(*ENDS, WEIGHTS, device="cpu")
    assert np.array_equal(forest.edge_id, whole.edge_id)


# ---- in this process: workers that close, and others that start ------------------------------------------------------


@pytest.fixture
def threads():
    with cluster_of(1, processes=False) as client:
        yield client


class Replaced:
    """Closes the workers of a cluster in this process, and then starts as many, which have other addresses."""

    def __init__(self, client):
        self.scheduler, self.loop = client.cluster.scheduler, client.loop
        self.workers = list(client.cluster.workers.values())

    def __call__(self):
        self.loop.add_callback(self.replace)

    async def close(self, worker):
        with contextlib.suppress(OSError, asyncio.TimeoutError):  # on a busy machine, of saying good-bye
            await worker.close(timeout=1, executor_wait=False, nanny=False)

    async def replace(self):
        old = self.workers
        self.workers = [Worker(self.scheduler.address, nthreads=1, memory_limit=0) for _ in old]
        for worker in old:
            await self.close(worker)
        for worker in self.workers:
            await worker


@contextlib.contextmanager
def replaced_after(client, stages=None):
    """The worker is replaced when the first task of each stage is done."""
    replaced = Replaced(client)
    plugin = AfterStages(replaced, stages)
    client.cluster.scheduler.add_plugin(plugin)
    try:
        yield plugin.done
    finally:
        client.cluster.scheduler.remove_plugin(plugin.name)


def test_the_only_worker_dies_in_every_stage_of_a_tree(threads, paths, wanted):
    with replaced_after(threads) as stages:
        tree = minimum_spanning_tree(paths["points"], min_samples=3, partitions=3, client=threads)
        assert np.array_equal(tree.to_local().edges, wanted["tree"])
    assert len(stages) > 20
