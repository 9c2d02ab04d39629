"""The first edges that leave components, and the points that ask for more."""

import numpy as np
import pytest
import reference
from helpers import to_device, to_host


def edges(rng, m, dtype, ties):
    """Edges between components of partitions with weights of few values, many of them twice."""
    a, b = rng.integers(0, 40, (2, m)).astype(np.int32)
    weight = (rng.integers(0, ties, m) * np.finfo(dtype).smallest_subnormal * 1000).astype(dtype)
    power = np.where(rng.random(m) < 0.5, weight, weight / 2).astype(dtype)
    u, v = np.sort(rng.integers(0, 2**33, (2, max(m // 3, 1))), axis=0)
    again = rng.integers(0, len(u), m)
    return a, b, weight, power, u[again], v[again]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [0, 1, 50, 5000])
@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("ties", [1, 3, 10**6])
def test_first_edges(ops, dtype, m, sides, ties):
    rng = np.random.default_rng([m, sides, ties])
    a, b, *keys = edges(rng, m, dtype, ties)
    label = rng.integers(0, 9, 40).astype(np.int32)
    b = b if sides == 2 else None
    args = a, b, label, 9, *keys
    found = to_host(ops.first_edges(*(on(ops, one) for one in args)))
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, reference.first_edges(*args))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [0, 1, 3000])
@pytest.mark.parametrize("powers", [False, True])
@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize("some", [False, True])
def test_asking_points(ops, dtype, m, powers, memory, some):
    rng = np.random.default_rng([m, powers, memory, some])
    places = np.sort(rng.choice(5000, m, replace=False)).astype(np.int32) if some else None
    weight, power = rng.integers(0, 6, (2, m)).astype(dtype)
    bound, bound_power = rng.integers(-1, 6, (2, 30)).astype(dtype)
    component = rng.integers(0, 30, 5000).astype(np.int32)
    label = rng.integers(0, 4, 50).astype(np.int32)
    nearest = rng.integers(-1, 50, m).astype(np.int32) if memory else None
    bounds = label[:30], bound, bound_power if powers else None, label
    args = places, weight, power if powers else None, nearest, component, *bounds
    found = to_host(ops.asking_points(*(on(ops, one) for one in args)))
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, reference.asking_points(*args))
    assert m < 3000 or 0 < len(found) < m


def on(ops, value):
    return to_device(ops, value) if isinstance(value, np.ndarray) else value
