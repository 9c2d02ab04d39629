"""Which points ask other partitions."""

from types import SimpleNamespace

import numpy as np
import pytest
from helpers import to_device, to_host
from norms_reference import BY_NAME

from emst.partitions import remembering

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
    check_asking(ops, triples(rng, 3, dtype), BY_NAME[name], 0.9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounding_across_the_side_of_a_periodic_box_keeps_no_point_from_asking(ops, rng, dtype):
    """The neighbour lies on one side of the box, the point and the target on the other, where numbers are denser: the
    neighbour's distances have errors that are large beside the difference of the two."""
    point = rng.random(MANY) * 1e-3
    x = np.stack([1 - rng.random(MANY) * 1e-3, point, point + rng.random(MANY) * 1e-6], axis=1)
    check_asking(ops, x.reshape(-1, 1).astype(dtype), BY_NAME["manhattan"]._replace(period=(1.0,)))


def check_asking(ops, x, norm, less=None):
    """All points ask under the bound, and none under `less` of it."""
    x = to_device(ops, x)
    numbers = ops.xp.arange(len(x), dtype=np.int32)
    neighbour, point, target = (ops.xp.ascontiguousarray(numbers[i::3]) for i in range(3))
    index = ops.build_index(x, numbers, 1.0, norm)
    component = ops.xp.repeat(ops.xp.arange(MANY, dtype=np.int32), 3)
    local = SimpleNamespace(partition=SimpleNamespace(index=index), component=component)
    nearest = ops.edge_powers(index, neighbour, target)
    memory = remembering.Memory(
        neighbour.astype(np.int64), nearest, None, component[neighbour], ops.xp.ones(MANY, bool)
    )

    def asked(bound):
        places = point.astype(np.int64)
        bounds = remembering.Bounds(ops.xp.arange(MANY, dtype=np.int32), bound)
        return to_host(remembering._in_reach(ops, local, memory, places, bounds))

    bound = ops.edge_powers(index, point, target)
    np.testing.assert_array_equal(asked(bound), np.arange(MANY))
    if less is not None:
        assert len(asked(bound * bound.dtype.type(less))) == 0
