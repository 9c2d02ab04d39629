"""Which points ask other partitions."""

from types import SimpleNamespace

import numpy as np
import pytest
from helpers import to_device, to_host
from norms_reference import BY_NAME

from emst.partitions import asking

MANY = 1000


def triples(rng, d, dtype):
    """A neighbour, a point and a target on a line, in this order, MANY times: T[3 * MANY, d]."""
    first, step = rng.integers(0, 100, (MANY, 1, d)), rng.integers(1, 30, (MANY, 1, d))
    second = rng.integers(1, 50, (MANY, 1, 1))
    third = second + rng.integers(1, 50, (MANY, 1, 1))
    return (first + step * np.concatenate([0 * second, second, third], axis=1)).reshape(-1, d).astype(dtype)


@pytest.mark.parametrize(
    "name, dtype", [("euclidean", np.float32), ("euclidean", np.float64), ("powers 3", np.float64)]
)
def test_rounding_keeps_no_point_from_asking(ops, rng, name, dtype):
    """The neighbour has found the target, which is as far from the point as the bound of its component. Powers decide;
    the triangle inequality holds for lengths, their roots, which are rounded once more."""
    x = to_device(ops, triples(rng, 3, dtype))
    numbers = ops.xp.arange(len(x), dtype=np.int32)
    neighbour, point, target = (ops.xp.ascontiguousarray(numbers[i::3]) for i in range(3))
    index = ops.build_index(x, numbers, 1.0, BY_NAME[name])
    component = ops.xp.repeat(ops.xp.arange(MANY, dtype=np.int32), 3)
    local = SimpleNamespace(partition=SimpleNamespace(index=index), component=component)
    nearest = ops.edge_powers(index, neighbour, target)
    memory = asking.Memory(neighbour.astype(np.int64), nearest, None, component[neighbour], ops.xp.ones(MANY, bool))

    def asked(bound):
        places = point.astype(np.int64)
        bounds = asking.Bounds(None, ops.xp.arange(MANY, dtype=np.int32), bound, None)
        return to_host(asking._in_reach(ops, local, memory, places, bounds))

    bound = ops.edge_powers(index, point, target)
    np.testing.assert_array_equal(asked(bound), np.arange(MANY))
    assert len(asked(bound * dtype(0.9))) == 0
