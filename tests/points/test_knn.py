"""Core distances: the k-th nearest point, itself included."""

import time

import numpy as np
import pytest
import reference
from helpers import DIMENSIONS, DTYPES, KINDS, cloud, hierarchies, to_device, to_host
from norms_reference import BY_NAME, in_box

from emst.backend.records import EUCLIDEAN


def check(ops, x, k, norm=EUCLIDEAN):
    index, expected_bvh, _ = hierarchies(ops, x, 1, norm)
    core = to_host(ops.core_distances(index, k))
    assert core.dtype == x.dtype
    np.testing.assert_array_equal(core, reference.core_distances(expected_bvh, k))
    np.testing.assert_array_equal(to_host(index.core), core)  # the hierarchy stores them
    return index, expected_bvh


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_core_distances_equal_the_reference(ops, d, kind, dtype):
    check(ops, cloud(300, d, dtype, kind), k=5)


@pytest.mark.parametrize("d", [2, 3, 7])
@pytest.mark.parametrize("k", [2, 3, 16, 33, 64, 65, 100, 199, 200])
def test_any_k_up_to_all_points(ops, d, k):
    check(ops, cloud(200, d, np.float32, "uneven"), k)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 2, 3, 20, 40])
@pytest.mark.parametrize("kind", [*KINDS, "octaves", "two scales"])
@pytest.mark.parametrize("k", [17, 18, 33, 51, 201, 450])
def test_long_lists(ops, k, kind, d, dtype):
    """Of these only the last distance is needed."""
    check(ops, cloud(450, d, dtype, kind) if kind in KINDS else spread(450, d, dtype, kind), k)


def spread(n, d, dtype, kind):
    """Distances of very different magnitude."""
    g = np.random.default_rng([n, d])
    if kind == "octaves":
        x = np.ldexp(1.0, -g.integers(0, 60, (n, d)))
    else:  # near ones seem equal at the scale of the others
        x = g.integers(0, 2, (n, d)) + 2.0**-40 * g.integers(0, 4, (n, d)) * (g.random((n, 1)) < 0.5)
    return x.astype(dtype)


@pytest.mark.parametrize("k", [51, 301])
def test_long_lists_of_many_points(ops, k):
    """Some radii shrink several times, and packets hold points of different density."""
    x = np.concatenate([cloud(3_000, 2, np.float64), cloud(1_500, 2, np.float64, "uneven", seed=1)])
    check(ops, x, k)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [41, 51, 1_051])
def test_crowds_at_the_end_of_the_search(ops, k, dtype):
    """What 40 scattered points look for lies in one of two crowds, in float32 hardly wider than an ulp."""
    g = np.random.default_rng(k)
    crowds = [place + 1e-6 * g.standard_normal((1_000, 2)) for place in ([0.0, 0.0], [30.0, 10.0])]
    check(ops, np.concatenate([*crowds, g.uniform(-40, 40, (40, 2))]).astype(dtype), k)


def test_long_lists_of_equal_points_take_a_moment(ops):
    x = np.zeros((200_000, 2), np.float32)
    x[::2] = 0.25
    x[:1000] = cloud(1000, 2, np.float32)
    for some in (x[:2_000], x):  # the first compiles
        start = time.perf_counter()
        order = np.argsort(some[:, 0], kind="stable").astype(np.int32)
        index = ops.build_index(to_device(ops, some), to_device(ops, order), 1.0)
        core = to_host(ops.core_distances(index, 101))
    assert time.perf_counter() - start < 5  # were it quadratic: minutes
    assert (core == 0).sum() >= 199_000


@pytest.mark.parametrize("n", [2, 3, 5, 9, 17])
def test_few_points(ops, n):
    for k in range(2, n + 1):
        check(ops, cloud(n, 2, np.float64), k)


@pytest.mark.parametrize("d", [2, 3])
def test_a_run_of_duplicates_longer_than_any_window(ops, d):
    g = np.random.default_rng(5)
    x = np.concatenate([np.full((300, d), 0.25), np.full((40, d), 0.75), g.random((60, d))])[g.permutation(400)]
    for k in (2, 41, 301):
        check(ops, x, k)


def test_k_of_one_is_the_point_itself(ops):
    x = cloud(100, 3, np.float32)
    index, _, _ = hierarchies(ops, x)
    assert not to_host(ops.core_distances(index, 1)).any()


@pytest.mark.parametrize("d", [2, 3])
def test_in_the_units_of_the_caller(ops, d):
    x = cloud(120, d, np.float64) * 1000 - 300
    index, _, order = hierarchies(ops, x)
    core = ops.unscaled(index, ops.core_distances(index, 4), to_device(ops, order))
    expected = np.sort(np.sqrt(reference.squared_distance(x[:, None], x[None])), axis=1)[:, 3]
    np.testing.assert_array_equal(to_host(core), expected)


@pytest.mark.parametrize("name", BY_NAME)
def test_under_every_norm(ops, name):
    """Bit for bit, also where most powers underflow; and scaled cores are rounded once."""
    for d, kind, k in [(1, "uneven", 3), (2, "lattice", 5), (3, "uneven", 40), (5, "repeated", 8), (40, "uniform", 4)]:
        index, expected_bvh = check(ops, cloud(300, d, np.float64, kind), k, BY_NAME[name])
        ops.scale_cores(index, 1.3)
        reference.scale_cores(expected_bvh, 1.3)
        np.testing.assert_array_equal(to_host(index.core), expected_bvh.core)


@pytest.mark.parametrize("name", ["euclidean", "any power 2.7"])
def test_in_a_periodic_box(ops, name):
    for d, kind, k in [(1, "uneven", 3), (2, "lattice", 5), (3, "uneven", 40), (5, "repeated", 8), (40, "uniform", 4)]:
        x = cloud(300, d, np.float64, kind)
        check(ops, x, k, in_box(BY_NAME[name], x))


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "chebyshev"])
def test_scaled_cores_in_float32(ops, name):
    index, expected_bvh = check(ops, cloud(300, 3, np.float32, "uneven"), 6, BY_NAME[name])
    factor = float(np.float32(0.7))
    ops.scale_cores(index, factor)
    reference.scale_cores(expected_bvh, factor)
    np.testing.assert_array_equal(to_host(index.core), expected_bvh.core)
