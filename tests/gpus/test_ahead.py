"""The kernels that are loaded ahead on every GPU are those that a fit over several GPUs launches."""

import numpy as np
import pytest

import emst
from emst.distances.metrics import tree_metric_of


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("d", "k", "dtype"), [(3, 1, np.float32), (2, 1, np.float64), (3, 5, np.float32), (2, 40, np.float64)]
)
def test_fits_launch_nothing_else(ops, gpus, monkeypatch, d, k, dtype):
    if ops.name == "cpu":
        pytest.skip("the CPU launches nothing")
    from emst.cuda.points import ahead
    from emst.cuda.points.engine import Engine
    from emst.cuda.runtime import launch

    loaded, launched = launch._loaded, set()
    monkeypatch.setattr(launch, "_thread", launch._Thread())
    monkeypatch.setattr(launch, "_loaded", lambda kernel: launched.add(kernel) or loaded(kernel))
    x = np.random.default_rng(0).random((300_000, d)).astype(dtype)
    emst.EMST(min_samples=k, device_ids=gpus).fit(x)
    norm = tree_metric_of("euclidean", None).norm
    expected = ahead.kernels_of(False, False, False, Engine.WALKS, d, np.dtype(dtype), norm, k, None, partitions=True)
    assert sorted(launched - set(expected)) == []
    wanted = {name for name in ("partitions/components", "partitions/gathered", "partitions/outline")}
    assert {kernel.room for kernel in launched} >= wanted


def test_kernels_of_partitions(ops, gpus, monkeypatch):
    """Every GPU loads those of partitions, before the points arrive, and the home those of labels as well."""
    told = []
    monkeypatch.setattr(
        emst.cpu if ops.name == "cpu" else emst.cuda, "load_ahead", lambda *given, **more: told.append((given, more))
    )
    x = np.random.default_rng(0).random((3000, 2)).astype(np.float32)
    emst.HDBSCANGPU(10, 4, device_ids=gpus).fit(x)
    assert [(given[0], given[1], given[4], more["partitions"]) for given, more in told] == [(1500, 2, 4, True)] * len(
        set(gpus)
    )
    assert [more["labels"] for _, more in told] == [np.float32, None][: len(set(gpus))]
