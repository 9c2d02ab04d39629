"""A fit over several GPUs uses no more memory on any of them than the check before the fit asks for."""

import gc
import importlib

import numpy as np
import pytest

import emst
from emst.gpus import engine, memory

LATTICE = np.random.default_rng(0).permutation(np.stack(np.unravel_index(np.arange(10**6), (100, 100, 100)), axis=1))
SETS = {"lattice": LATTICE, "ten dimensions": np.random.default_rng(1).random((300_000, 10))}


def peaks_of(cupy, monkeypatch, fit):
    """The most bytes that CuPy's pool has in use on each GPU while tasks run, beside those before them."""

    class HighWater(cupy.cuda.MemoryHook):
        name = "high water"

        def malloc_postprocess(self, device_id, **_):
            peaks[device_id] = max(peaks.get(device_id, 0), pool.used_bytes())

    def watched(*task):
        with HighWater():
            return run(*task)

    gc.collect()
    pool, run, peaks, before = cupy.get_default_memory_pool(), engine._run, {}, {}
    for gpu in range(cupy.cuda.runtime.getDeviceCount()):
        with cupy.cuda.Device(gpu):
            before[gpu] = pool.used_bytes()
    monkeypatch.setattr(engine, "_run", watched)
    fit()
    return {gpu: peak - before[gpu] for gpu, peak in peaks.items()}


@pytest.mark.parametrize("ops", [pytest.param("cuda", marks=pytest.mark.gpu)], indirect=True)
@pytest.mark.parametrize("labels", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "k"), [("lattice", 1), ("lattice", 5), ("ten dimensions", 5)])
def test_the_estimate_is_enough(ops, gpus, monkeypatch, name, k, dtype, labels):
    """With a byte less than a GPU takes, there is an error beforehand."""
    X, given = SETS[name].astype(dtype), []
    check = memory.require_memory
    for module in map(importlib.import_module, ("emst.euclidean", "emst.hdbscan.fitting")):
        monkeypatch.setattr(module, "require_memory", lambda *args, **more: given.append((args, more)))
    model = emst.HDBSCANGPU(20, max(k, 2), device_ids=gpus) if labels else emst.EMST(min_samples=k, device_ids=gpus)
    peaks = peaks_of(ops.xp, monkeypatch, lambda: model.fit(X))
    ((args, more),) = given
    monkeypatch.setattr(memory, "backend_of", lambda _: ops)
    for gpu, peak in peaks.items():
        free = {gpu: peak - 1}
        monkeypatch.setattr(ops, "bytes_free", lambda free=free: free.get(ops.xp.cuda.runtime.getDevice(), 10**12))
        with pytest.raises(MemoryError, match=f"on GPU {gpu}"):
            check(*args, **more)
