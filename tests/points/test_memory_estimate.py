"""The memory that a tree takes on the CPU is at most what is asked for beforehand."""

import gc
import tracemalloc

import numpy as np
import pytest
from helpers import DTYPES

import emst
from emst.cpu.points.memory import tree_bytes


def peak_of(x, k):
    """Bytes of a tree at their peak, and of its result."""
    emst.minimum_spanning_tree(x, min_samples=k, device="cpu")  # compiles, or loads what was compiled
    tracemalloc.start()
    try:
        tree = emst.minimum_spanning_tree(x, min_samples=k, device="cpu")
        return tracemalloc.get_traced_memory()[1], tree.edges.nbytes
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["uniform", "lattice"])
@pytest.mark.parametrize("k", [1, 5])
def test_the_estimate_is_enough(kind, k, dtype):
    """On a lattice all weights are equal, and many edges are tied."""
    g, n = np.random.default_rng(0), 100_000
    lattice = np.stack(np.divmod(g.permutation(n), 400), axis=1)
    x = (lattice if kind == "lattice" else g.random((n, 2))).astype(dtype)
    peak, result = peak_of(x, k)
    assert result <= peak <= tree_bytes(*x.shape, dtype, k)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [1, 5])
def test_the_estimate_is_enough_for_products(k, dtype):
    """Noise in many dimensions: the copies that are multiplied, and the products of each thread."""
    x = np.random.default_rng(0).standard_normal((6000, 64)).astype(dtype)
    peak, _ = peak_of(x, k)
    assert x.nbytes * 2 + x.size * 4 <= peak <= tree_bytes(*x.shape, dtype, k)


def peak_on_gpu(call):
    """Bytes that CuPy's pool has in use at the peak of a call, beside those before it."""
    import cupy

    pool = cupy.get_default_memory_pool()

    class HighWater(cupy.cuda.MemoryHook):
        name, peak = "high water", 0

        def malloc_postprocess(self, **_):
            self.peak = max(self.peak, pool.used_bytes())

    gc.collect()
    before = pool.used_bytes()
    with HighWater() as hook:
        call()
    pool.free_all_blocks()
    return hook.peak - before


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["uniform", "lattice"])
@pytest.mark.parametrize("k", [1, 5, 20])
@pytest.mark.parametrize("labels", [False, True])
@pytest.mark.parametrize("side", [100, 170], ids=["early", "late"])
def test_the_gpu_estimate_is_enough(monkeypatch, side, labels, kind, k, dtype):
    """With a byte less than a fit takes, there is an error beforehand. It asks for no more than twice as much. The
    dendrogram of few points begins while edges are sorted."""
    cupy = pytest.importorskip("cupy")
    from emst.cuda.points import memory

    g = np.random.default_rng(0)
    assert (side**3 <= memory.EARLY_UP_TO) == (side == 100)
    lattice = np.stack(np.unravel_index(g.permutation(side**3), (side, side, side)), axis=1)
    points = cupy.asarray(lattice if kind == "lattice" else g.random((side**3, 3)), dtype)
    if labels:
        peak = peak_on_gpu(lambda: emst.HDBSCANGPU(20, max(k, 2)).fit(points))
    else:
        peak = peak_on_gpu(lambda: emst.minimum_spanning_tree(points, min_samples=k))
    monkeypatch.setattr(memory, "bytes_free", lambda: peak - 1)
    with pytest.raises(MemoryError):
        memory.require_memory(points, points.dtype, k, labels)
    monkeypatch.setattr(memory, "bytes_free", lambda: 2 * peak)
    memory.require_memory(points, points.dtype, k, labels)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [1, 16, 100])
@pytest.mark.parametrize("kind", ["noise", "tight"])
def test_the_gpu_estimate_is_enough_for_products(kind, k, dtype):
    """Tight clusters have long lists of candidates. Besides 16 bytes a coordinate, 2 GiB are enough."""
    cupy = pytest.importorskip("cupy")
    from emst.cuda.points.memory import tree_bytes

    g, n, d = np.random.default_rng(0), 20_000, 100
    x = g.standard_normal((n, d))
    if kind == "tight":
        x = 100 * x[g.integers(0, 4, n)] + 1e-3 * x
    points, pool = cupy.asarray(x, dtype), cupy.cuda.MemoryPool()
    with cupy.cuda.using_allocator(pool.malloc):
        emst.minimum_spanning_tree(points, min_samples=k)
        assert 0 < pool.total_bytes() <= tree_bytes(n, d, dtype, k) <= 16 * n * d + 2 * 2**30
    pool.free_all_blocks()
