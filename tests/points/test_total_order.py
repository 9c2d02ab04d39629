"""The total order on edges decides every tie: the tree depends on the points alone, to the last bit."""

import numpy as np
import pytest
from helpers import DTYPES, KINDS, assert_same_bits, cloud, expected_tree, tree

import emst


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_repeated_runs_are_identical(ops, kind, k):
    x = cloud(20_000, 3, np.float32, kind)
    first = tree(ops, x, k)
    for _ in range(4):
        assert_same_bits(tree(ops, x, k), first)


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [2, 3, 20])
def test_the_number_of_threads_changes_nothing(d, kind, k):
    numba = pytest.importorskip("numba")
    x = cloud(3_000 if d == 20 else 20_000, d, np.float64, kind)
    before = numba.get_num_threads()
    trees = []
    try:
        for threads in {1, min(2, before), before}:
            numba.set_num_threads(threads)
            trees.append(emst.minimum_spanning_tree(x, min_samples=k, device="cpu"))
    finally:
        numba.set_num_threads(before)
    for other in trees[1:]:
        assert_same_bits(other, trees[0])


@pytest.mark.gpu
@pytest.mark.parametrize("k", [1, 2, 6])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 2, 3, 4, 7, 20, 70])
@pytest.mark.parametrize("kind", KINDS)
def test_cpu_and_gpu_give_the_same_bits(kind, d, dtype, k):
    x = cloud(2_000 if d > 7 else 30_000, d, dtype, kind)
    cpu, cuda = (emst.minimum_spanning_tree(x, min_samples=k, device=device) for device in ("cpu", "cuda"))
    assert (cpu.device, cuda.device) == ("cpu", "cuda")
    assert_same_bits(cuda, cpu)


@pytest.mark.gpu
@pytest.mark.parametrize("k", [1, 6])
@pytest.mark.parametrize("name, p", [("manhattan", None), ("chebyshev", None), ("p", 1.5), ("p", 3), ("p", 2.7)])
def test_cpu_and_gpu_give_the_same_bits_under_every_norm(name, p, k):
    options = {"metric": name, "metric_params": None if p is None else {"p": p}, "min_samples": k}
    for d, kind, dtype in [(2, "lattice", np.float32), (3, "uneven", np.float64), (40, "uniform", np.float64)]:
        x = cloud(2_000 if d > 7 else 30_000, d, dtype, kind)
        cpu, cuda = (emst.minimum_spanning_tree(x, device=device, **options) for device in ("cpu", "cuda"))
        assert_same_bits(cuda, cpu)


@pytest.mark.parametrize("k", [1, 2, 9])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(40, 40), (12, 11, 10), (6, 6, 6, 6), (900,)])
def test_lattices_full_of_ties(ops, shape, dtype, k):
    """Every edge of the tree ties with hundreds of others; only ids decide."""
    x = np.indices(shape).reshape(len(shape), -1).T.astype(dtype)
    x = x[np.random.default_rng(0).permutation(len(x))]
    ours = tree(ops, x, k)
    edges, weights = expected_tree(x, k)
    np.testing.assert_array_equal(ours.edges, edges)
    np.testing.assert_array_equal(ours.weights, weights)
    if k == 1:
        assert (ours.weights == 1).all()


def test_points_on_a_circle_around_one(ops):
    """All pairs with the centre tie, and so do all neighbours on the circle."""
    angle = 2 * np.pi * np.arange(64) / 64
    x = np.concatenate([np.zeros((1, 2)), np.stack([np.cos(angle), np.sin(angle)], axis=1)])
    edges, weights = expected_tree(x)
    ours = tree(ops, x)
    np.testing.assert_array_equal(ours.edges, edges)
    np.testing.assert_array_equal(ours.weights, weights)
