"""Which clusters are accepted: one sentence for every other."""

import gc
import time

import numpy as np
import pytest
from distributed import Client, LocalCluster

from emst.dask import minimum_spanning_tree
from emst.dask.engine import DaskEngine
from emst.dask.workers import check_versions, common_device

X = np.ones((5, 2))


def test_no_client(monkeypatch):
    def nobody():
        raise ValueError("no clients found")

    monkeypatch.setattr("emst.dask.engine.get_client", nobody)
    with pytest.raises(RuntimeError, match="there is no Dask client; start one with these two lines") as error:
        minimum_spanning_tree(X)
    assert "from emst.dask import local_cluster\n" in str(error.value)


def test_a_closed_client_and_a_cluster_without_workers():
    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as local:
        with Client(local, set_as_default=False) as client, pytest.raises(RuntimeError, match="has no workers"):
            minimum_spanning_tree(X, client=client)
        with pytest.raises(RuntimeError, match="the Dask client is closed; start one"):
            minimum_spanning_tree(X, client=client)


def found(**kinds):
    return {name: {"device": device, "version": "0"} for name, device in kinds.items()}


def test_gpus_on_some_workers_only():
    mixed = found(a="cuda", b="cpu")
    with pytest.raises(RuntimeError, match="1 of 2 workers have no usable GPU, the first of them b; pass device='cpu'"):
        common_device(mixed, "auto")
    with pytest.raises(RuntimeError, match="first of them b; device='cuda' needs one each"):
        common_device(mixed, "cuda")
    assert common_device(mixed, "cpu") == "cpu"
    assert common_device(found(a="cuda", b="cuda"), "auto") == "cuda"
    assert common_device(found(a="cpu"), "auto") == "cpu"


def test_other_versions_on_workers():
    with pytest.raises(RuntimeError, match=r"worker a has emst 0 and this process .*; install the same version"):
        check_versions(found(a="cpu"))


def test_unknown_devices(client):
    with pytest.raises(ValueError, match="device must be 'auto', 'cpu' or 'cuda'; got 'tpu'"):
        minimum_spanning_tree(X, device="tpu", client=client)


def test_another_client_than_the_current_one(client):
    """Waits go to the client that was given, and without any current client, too."""
    with (
        LocalCluster(n_workers=1, processes=False, memory_limit=0, dashboard_address=":0") as local,
        Client(local, set_as_default=False) as other,
    ):
        cluster = DaskEngine(other, "cpu")
        assert cluster.workers != DaskEngine(client, "cpu").workers
        assert cluster.gather([cluster.submit(lambda ops: 3)]) == [3]


def test_the_driver_holds_no_task_that_nobody_wants(client):
    """What a stage made leaves the workers when the next one has used it."""
    cluster = DaskEngine(client, "cpu")
    with cluster.releasing():
        task = cluster.submit(lambda ops: 3)
        assert cluster.gather([task]) == [3]
        key, end = task.key, time.monotonic() + 10
        del task
        while key in client.futures:  # the client is told a bit later
            assert time.monotonic() < end
            gc.collect()
            time.sleep(0.01)


def weight_within_a_task(seed):
    return float(minimum_spanning_tree(np.random.default_rng(seed).random((300, 2)), device="cpu").total_weight)


def test_a_fit_within_a_task():
    """The task waits for other tasks, which its worker could not begin before it ends."""
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as local:
        with Client(local, set_as_default=False) as client:
            weights = client.gather(client.map(weight_within_a_task, range(3)))
            assert weights == [client.submit(weight_within_a_task, seed, pure=False).result(60) for seed in range(3)]
