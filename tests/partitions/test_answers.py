"""What other partitions have answered: reaches of points, and distances of nearest points."""

import numpy as np
import pytest
import reference
from helpers import to_device, to_host

N = 3000  # points of the partition


def numbers(g, shape, dtype, most):
    """Some of few values between 0 and `most`, subnormal ones, and infinity, in ascending rows."""
    small = np.finfo(dtype).smallest_subnormal * np.array([1, 2, 3], dtype)
    values = np.array([0, *small, most / 4, most / 2, most, np.inf], dtype)
    return np.sort(values[g.integers(0, len(values), shape)], axis=-1)


def answers_of(g, m, width, dtype, most):
    """Of three partitions: one is asked by some points, one by all, and one by none."""
    asked = [np.flatnonzero(g.random(m) < share).astype(np.int32) for share in (0.4, 1.0, 0.0)]
    return [(chosen, numbers(g, (len(chosen), width), dtype, most)) for chosen in asked]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [0, 1, 70, 2500])
@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("partitions", [0, 1, 3])
def test_take_reaches(ops, m, width, partitions, dtype):
    g = np.random.default_rng([m, width, partitions])
    asking = np.sort(g.choice(N, m, replace=False)).astype(np.int32)
    reach, radius = numbers(g, (N, 1), dtype, 8)[:, 0], numbers(g, (m, 1), dtype, 8)[:, 0]
    answers = answers_of(g, m, width, dtype, 8)[:partitions]
    for chosen, found in answers:  # nobody finds what is beyond the radius
        found[found > radius[chosen, None]] = np.inf
    ours = to_device(ops, reach)
    columns = [(to_device(ops, chosen), to_device(ops, found)[:, 0]) for chosen, found in answers]
    ops.take_reaches(ours, to_device(ops, asking), to_device(ops, radius), columns)
    reference.take_reaches(reach, asking, radius, [(chosen, found[:, 0]) for chosen, found in answers])
    np.testing.assert_array_equal(to_host(ours), reach)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [0, 1, 70, 2500])
@pytest.mark.parametrize(("count", "width"), [(1, 1), (2, 1), (5, 4), (3, 9), (40, 39)])
@pytest.mark.parametrize("partitions", [0, 1, 3])
def test_join_distances(ops, m, count, width, partitions, dtype):
    g = np.random.default_rng([m, count, partitions])
    powers, answers = numbers(g, (m, count), dtype, 8), answers_of(g, m, width, dtype, 9)[:partitions]
    given = to_device(ops, powers)
    ours = ops.join_distances(given, [tuple(to_device(ops, one) for one in answer) for answer in answers])
    np.testing.assert_array_equal(to_host(ours), reference.join_distances(powers, answers))
    np.testing.assert_array_equal(to_host(given), powers)  # it is read only
