"""Workers: a cluster of them in this process, for each GPU or core, and what an engine has to know of any worker."""

from __future__ import annotations

import os
import socket
from typing import Any

import dask
from dask.system import CPU_COUNT
from distributed import Client
from distributed.system import MEMORY_LIMIT

import emst
from emst.backend import backend_of
from emst.inputs.devices import choose_device


def local_cluster(n_workers: int | None = None, device: str = "auto", **kwargs: Any) -> Client:
    """Start workers in this process, and the client that gives them work: one worker with a thread for each GPU, or one
    worker for each core.

    Arrays pass by reference within a worker, and are copied from GPU to GPU directly. The client is the current one
    from here on; closing it, or leaving its ``with`` block, stops the workers. For points that fit on the GPUs of this
    machine, ``device_ids="all"`` of `emst.EMST` and `emst.HDBSCANGPU` is faster, and needs no Dask.

    Parameters
    ----------
    n_workers : int, optional
        By default one for each GPU, or one for each core that this process may use. For GPUs it is the number of
        threads of the one worker; more threads than GPUs share them.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where workers compute. "auto" takes the GPUs if the current one can be used, otherwise the CPU.
    **kwargs
        For ``distributed.LocalCluster``. By default there is no dashboard, and no profile of the workers (which takes
        samples 100 times a second, and needs Python's lock for them). A worker on the CPU writes results to disk
        when this process nears the end of the machine's memory (``memory_limit``, which Dask compares with the memory
        of the process; the workers share it). On GPUs nothing is written to disk.

    Returns
    -------
    distributed.Client
        Connected to the workers.

    Raises
    ------
    ValueError
        An unknown `device`, or less than one worker.
    RuntimeError
        ``device="cuda"`` without CuPy or without a GPU.

    Examples
    --------
    >>> from emst.dask import local_cluster
    >>> with local_cluster(2, device="cpu") as client:
    ...     len(client.scheduler_info()["workers"])
    2
    """
    device = choose_device(device)
    count = CPU_COUNT if device == "cpu" else backend_of("cuda").xp.cuda.runtime.getDeviceCount()
    n_workers = count if n_workers is None else n_workers
    if n_workers < 1:
        raise ValueError(f"n_workers must be at least 1; got {n_workers}")
    options = {"memory_limit": MEMORY_LIMIT if device == "cpu" else 0, "dashboard_address": None} | kwargs
    config: dict[str, Any] = {"scheduler-address": None}  # a new cluster, also where the configuration names one
    if options["dashboard_address"] is None:  # what serves it runs all the same: on a port that is free, for this host
        options = {"scheduler_kwargs": {"dashboard": False, "dashboard_address": "127.0.0.1:0"}} | options
        config["distributed.worker.profile.enabled"] = False
    members = {"n_workers": 1, "threads_per_worker": n_workers} if device == "cuda" else {"n_workers": n_workers}
    with dask.config.set(config):
        return Client(processes=False, **({"threads_per_worker": 1} | members), **options)


def process() -> tuple[str, int]:
    """Which process this is, among those of all machines."""
    return socket.gethostname(), os.getpid()


def describe(dask_worker: Any) -> dict[str, Any]:
    """What an engine has to know of a worker."""
    try:
        device = choose_device("cuda")
    except RuntimeError:
        device = "cpu"
    limit = getattr(dask_worker.memory_manager, "memory_limit", None)
    return {
        "version": emst.__version__,
        "device": device,
        "process": process(),
        "threads": dask_worker.state.nthreads,
        "memory": int(limit or 0),
    }


def check_versions(workers: dict[str, dict[str, Any]]) -> None:
    """Raise RuntimeError if a worker has another version of emst than this process."""
    for address, worker in workers.items():
        if worker["version"] != emst.__version__:
            raise RuntimeError(
                f"worker {address} has emst {worker['version']} and this process {emst.__version__}; install the same "
                "version everywhere"
            )


def common_device(workers: dict[str, dict[str, Any]], device: str) -> str:
    """Where all workers compute."""
    if device not in ("auto", "cpu", "cuda"):
        raise ValueError(f"device must be 'auto', 'cpu' or 'cuda'; got {device!r}")
    if device == "cpu":
        return device
    without = [address for address, worker in workers.items() if worker["device"] == "cpu"]
    if device == "auto" and len(without) == len(workers):
        return "cpu"
    if without:
        raise RuntimeError(
            f"{len(without)} of {len(workers)} workers have no usable GPU, the first of them {without[0]}; "
            + ("pass device='cpu', or use workers of one kind" if device == "auto" else "device='cuda' needs one each")
        )
    return "cuda"
