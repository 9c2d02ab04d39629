"""A cluster in this process."""

import asyncio
import contextlib
import contextvars
import http.client
import importlib.util
import pathlib
import runpy
import time
import types
import warnings

import dask
import distributed
import numpy as np
import pytest
from dask.system import CPU_COUNT
from dask.utils import key_split
from distributed import Client
from distributed.core import Status
from distributed.system import MEMORY_LIMIT

import emst.dask
from emst.dask import local_cluster
from emst.dask.engine import DaskEngine


def test_a_worker_for_every_core():
    with local_cluster(device="cpu") as client:
        cluster = DaskEngine(client, "cpu")
        assert len(cluster.workers) == cluster.threads == CPU_COUNT


def test_the_workers_share_the_memory():
    with local_cluster(4, device="cpu") as client:
        limits = client.run(lambda dask_worker: dask_worker.memory_manager.memory_limit)
        assert list(limits.values()) == [MEMORY_LIMIT] * 4  # Dask compares it with the memory of the process
        assert DaskEngine(client, "cpu").bytes_a_thread() == MEMORY_LIMIT // 4
    with local_cluster(2, device="cpu", memory_limit="1 GiB") as client:
        assert DaskEngine(client, "cpu").bytes_a_thread() == 1 << 29


def test_the_clients_heartbeat_takes_no_workers_away(client, monkeypatch):
    """Every two seconds the client writes an empty list of workers to where `scheduler_info` reads."""
    monkeypatch.setattr(client, "scheduler_info", lambda n_workers: {"workers": {}})
    assert len(DaskEngine(client, "cpu").workers) == 2


def until_all_are_paused(client):
    end = time.monotonic() + 10
    while {one["status"] for one in client.scheduler_info(n_workers=-1)["workers"].values()} != {"paused"}:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_nobody_waits_for_memory_for_ever(monkeypatch):
    monkeypatch.setattr("emst.dask.faults.PAUSED_FOR", 1.0)
    with local_cluster(2, device="cpu", memory_limit="1 MB") as client:  # less than the process has already
        cluster = DaskEngine(client, "cpu")
        until_all_are_paused(client)
        with pytest.raises(RuntimeError, match="all workers have waited for memory for 1 seconds"):
            cluster.gather([cluster.submit(lambda ops: 1)], timeout=20)


def test_a_worker_that_waits_for_memory_may_finish_its_task(monkeypatch):
    monkeypatch.setattr("emst.dask.faults.PAUSED_FOR", 1.0)

    def slow(ops):
        time.sleep(3)
        return 1

    with local_cluster(1, device="cpu", memory_limit=0) as client:
        cluster = DaskEngine(client, "cpu")
        future = cluster.submit(slow)
        worker = client.cluster.workers[0]
        while not worker.state.executing_count:
            time.sleep(0.01)
        worker.status = Status.paused
        assert cluster.gather([future], timeout=20) == [1]


def test_it_is_the_current_client_until_it_is_closed():
    client = local_cluster(2, device="cpu")
    outside = contextvars.Context()  # the fixtures' client is current within its `with` block, here and elsewhere
    assert outside.run(lambda: DaskEngine(None, "cpu").client) is client
    workers = list(client.cluster.workers.values())
    client.close()
    assert {worker.status for worker in workers} == {client.cluster.status} == {Status.closed}
    with pytest.raises(RuntimeError, match="client is closed"):
        DaskEngine(client)


def test_it_is_new_where_the_configuration_names_a_scheduler():
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as other:
        with dask.config.set({"scheduler-address": other.scheduler_address}), local_cluster(1, device="cpu") as client:
            assert client.scheduler.address != other.scheduler_address


def test_two_at_once_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with local_cluster(1, device="cpu"), local_cluster(1, device="cpu") as second:
            assert second.submit(int, 3).result() == 3


@pytest.mark.parametrize("dashboard", [None, "127.0.0.1:0"])
def test_a_dashboard_and_what_it_shows(dashboard):
    with local_cluster(1, device="cpu", dashboard_address=dashboard) as client:
        port = client.cluster.scheduler.services["dashboard"].port
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        link.request("GET", "/status")
        assert (link.getresponse().status == 200) == (dashboard is not None)
        link.close()
        (worker,) = client.cluster.workers.values()
        assert ("profile" in worker.periodic_callbacks) == (dashboard is not None)


@pytest.mark.parametrize("n_workers", [0, -1])
def test_too_few_workers(n_workers):
    with pytest.raises(ValueError, match=f"n_workers must be at least 1; got {n_workers}"):
        local_cluster(n_workers, device="cpu")


def test_unknown_device():
    with pytest.raises(ValueError, match="device must be one of"):
        local_cluster(device="tpu")


@pytest.mark.parametrize(("workers", "taken"), [(1, [0, 1, 0, 1]), (2, [0, 0, 1, 1])])
def test_a_worker_takes_its_gpus_in_turn(monkeypatch, workers, taken):
    """For the tasks of partitions; others take the GPU of their first array, or the next one."""
    cuda = types.SimpleNamespace(
        runtime=types.SimpleNamespace(getDeviceCount=lambda: 2),
        Device=lambda number: contextlib.nullcontext(current.append(number)),
        get_current_stream=lambda: types.SimpleNamespace(synchronize=lambda: None),
    )
    current = []
    monkeypatch.setattr(
        "emst.dask.engine.backend_of", lambda _: types.SimpleNamespace(xp=types.SimpleNamespace(cuda=cuda))
    )
    with local_cluster(workers, device="cpu") as client:
        cluster = DaskEngine(client, "cpu")
        cluster.device = "cuda"
        for partition in range(4):
            assert cluster.gather([cluster.submit(lambda ops: 1, at=partition)]) == [1]
        assert current == taken
        cluster.gather([cluster.submit(lambda ops, value: 1, [3]) for _ in range(2)])
        assert sorted(current[4:]) == [0, 1]


@pytest.mark.gpu
def test_a_thread_for_every_gpu():
    cupy = pytest.importorskip("cupy")
    count = cupy.cuda.runtime.getDeviceCount()
    with local_cluster() as client:
        cluster = DaskEngine(client)
        assert cluster.device == "cuda" and len(cluster.workers) == 1 and cluster.threads == count
        arrays = [cluster.submit(lambda ops: ops.asarray(np.arange(3)), at=i) for i in range(count)]
        assert [array.device.id for array in cluster.gather(arrays)] == list(range(count))


def test_without_dask_one_sentence_says_what_to_install(monkeypatch):
    path = pathlib.Path(emst.dask.__file__)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"^emst\.dask needs Dask: pip install 'emst\[dask\]'$"):
        runpy.run_path(str(path))


def test_public_names():
    assert isinstance(emst.dask, types.ModuleType)
    assert sorted(emst.dask._HOMES) == sorted(emst.dask.__all__) == dir(emst.dask)
    assert all(getattr(emst.dask, name).__module__ == emst.dask._HOMES[name] for name in emst.dask.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        emst.dask.nothing  # noqa: B018


def test_what_is_no_client(client):
    with pytest.raises(TypeError, match=r"client must be a distributed\.Client or None; got 'tcp://10\.0\.0\.1:8786'"):
        DaskEngine("tcp://10.0.0.1:8786")

    async def connected():
        async with Client(client.scheduler.address, asynchronous=True, set_as_default=False) as other:
            DaskEngine(other)

    with pytest.raises(ValueError, match="the Dask client is asynchronous"):
        asyncio.run(connected())


def test_tasks_have_the_names_of_their_functions(client):
    future = DaskEngine(client, "cpu").submit(_number_of_points, [1, 2])
    assert future.result() == 2 and key_split(future.key) == "number_of_points"


def _number_of_points(ops, points):
    return len(points)
