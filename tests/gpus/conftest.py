"""`gpus`: two partitions, on two GPUs, on one, or on the CPU with stand-ins for GPUs; and points that are never few."""

import contextlib
import functools
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import numba
import pytest

import emst.cpu
from emst.gpus import engine, inputs, memory, tree
from emst.hdbscan import fitting


@pytest.fixture
def gpus(ops, monkeypatch):
    """The value of `device_ids` for two partitions of the backend under test."""
    monkeypatch.setattr(memory, "WORTH", 2)
    if ops.name == "cuda":
        if ops.xp.cuda.runtime.getDeviceCount() > 1:
            return [0, 1]
        monkeypatch.setattr(inputs, "checked_gpus", lambda device_ids, device: [0] * len(device_ids))
        return [0, 0]
    stand_ins(monkeypatch)
    return [0, 1]


def stand_ins(monkeypatch):
    """Use the CPU's operations instead of the GPU's. Every GPU is a thread."""
    monkeypatch.setitem(sys.modules, "emst.cuda", emst.cpu)
    for module in (engine, inputs, memory, tree, fitting):
        monkeypatch.setattr(module, "on_gpu", lambda gpu: contextlib.nullcontext())
    monkeypatch.setattr(engine, "wait_for", lambda ops: None)
    monkeypatch.setattr(engine, "_idle", defaultdict(list))
    one_thread = functools.partial(ThreadPoolExecutor, initializer=numba.set_num_threads, initargs=(1,))
    monkeypatch.setattr(engine, "ThreadPoolExecutor", one_thread)
    monkeypatch.setattr(inputs, "checked_gpus", lambda device_ids, device: list(device_ids))
    monkeypatch.setattr(memory, "without_peers", lambda gpus: [])
    check = inputs.check_points
    monkeypatch.setattr(inputs, "check_points", lambda X, device, dtype: check(X, device="cpu", dtype=dtype))
