"""The first edges that leave components, their contraction, labels of boxes, and the points that ask for more."""

from dataclasses import replace

import numpy as np
import pytest
import reference
from helpers import cloud, hierarchies, to_device, to_host

from emst.backend.partition_records import Asking, Components, Numbering, OpenEdges


def edges(rng, m, dtype, ties):
    """Edges between components of partitions with weights of few values, many of them twice."""
    a, b = rng.integers(0, 40, (2, m)).astype(np.int32)
    weight = (rng.integers(0, ties, m) * np.finfo(dtype).smallest_subnormal * 1000).astype(dtype)
    power = np.where(rng.random(m) < 0.5, weight, weight / 2).astype(dtype)
    u, v = np.sort(rng.integers(0, 2**33, (2, max(m // 3, 1))), axis=0)
    again = rng.integers(0, len(u), m)
    return OpenEdges.of(a, b, u[again], v[again], weight, power)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_columns_of_edges(ops, dtype):
    """The words keep every column, also where words are chosen or put together."""
    rng = np.random.default_rng(3)
    columns = edges(rng, 20, dtype, 100).columns()
    made = OpenEdges.of(*(to_device(ops, column) for column in columns))
    assert (len(made), made.dtype) == (20, dtype)
    for found, wanted in zip(OpenEdges(made.words[5:9]).columns(), columns):
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(to_host(found), wanted[5:9])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [0, 1, 50, 5000])
@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("ties", [1, 3, 10**6])
def test_first_edges(ops, dtype, m, both, ties):
    rng = np.random.default_rng([m, both, ties])
    given = edges(rng, m, dtype, ties)
    if not both:  # the other end is not read
        given.b[:] = 2**31 - 1
    label = rng.integers(0, 9, 40).astype(np.int32)
    found = to_host(ops.first_edges(on(ops, given), on(ops, label), 9, both))
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, reference.first_edges(given, label, 9, both))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("start", [0, 2**33])
def test_edges_across(ops, dtype, start):
    rng = np.random.default_rng(5)
    nearest = rng.integers(-1, 100, 500).astype(np.int32)
    weight, power = rng.random((2, 500)).astype(dtype)
    query_component, component = rng.integers(0, 9, 500).astype(np.int32), rng.integers(0, 7, 100).astype(np.int32)
    query_id = rng.integers(0, 2**34, 500)
    args = nearest, weight, power, query_component, query_id, component, 1000, Numbering(start, 40, 7)
    found = ops.edges_across(*(on(ops, one) for one in args))
    np.testing.assert_array_equal(to_host(found.words), reference.edges_across(*args).words)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [2, 9, 3000])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("shape", ["path", "star", "random"])
def test_join_components(ops, dtype, count, share, shape):
    """Components in a long chain, around one of them, or in a random graph; some of them wait."""
    rng = np.random.default_rng([count, int(10 * share)])
    ends = np.arange(1, count)
    other = {"path": ends - 1, "star": 0 * ends, "random": (rng.random(count - 1) * ends).astype(int)}[shape]
    more = rng.integers(0, count, (2, 2 * count))
    a, b = (
        rng.permutation(count)[np.concatenate(both)].astype(np.int32) for both in ((ends, more[0]), (other, more[1]))
    )
    u, v = np.sort(rng.choice(10**6, (2, len(a)), replace=False), axis=0)
    weight = rng.integers(1, 5, len(a)).astype(dtype)
    if shape == "path":  # every component but one hooks onto the next one
        weight[: count - 1] = 1 - np.arange(count - 1) / count
    given = OpenEdges.of(a, b, u, v, weight, weight)
    bound = np.where(rng.random(count) < share, -1, rng.integers(0, 2, count)).astype(dtype)
    label, size = np.tile(np.arange(count, dtype=np.int32), 2), rng.integers(1, 4, count)
    given.a[:] += rng.integers(0, 2, len(a)).astype(np.int32) * count  # components of partitions with one label
    components = Components(label, count, size, rng.integers(-1, count, 100).astype(np.int32))
    found = ops.join_components(on(ops, given), on(ops, components), on(ops, bound))
    wanted = reference.join_components(given, components, bound)
    assert_equal(found, wanted)
    if len(wanted.rest):
        assert_equal(ops.component_bounds(found.rest, found.left), reference.component_bounds(wanted.rest, wanted.left))


@pytest.mark.parametrize("half", [2, 100, 300_000])
def test_two_chains_of_all_components(ops, half):
    """Of each half, every component but the last two hooks onto the next one."""
    c, none = np.delete(np.arange(2 * half - 1), half - 1), np.empty(0, np.int32)
    a, weight = c.astype(np.int32), (2 * half - c).astype(np.float32)
    given = OpenEdges.of(a, a + np.int32(1), c, c + 1, weight, weight)
    label, bound = np.arange(2 * half, dtype=np.int32), np.ones(2 * half, np.float32)
    components = Components(label, 2 * half, np.ones(2 * half, np.int64), none)
    found = ops.join_components(on(ops, given), on(ops, components), on(ops, bound))
    assert_equal(found.left, Components(label // half, 2, np.array([half, half]), none))
    np.testing.assert_array_equal(to_host(found.taken.u), c)
    assert len(found.rest) == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [[1, 5, 2, 5], [2**32, 3, 2**33, 1]])
def test_bounds_of_components(ops, dtype, size):
    """The first of the greatest components asks for nothing; labels may join components of partitions."""
    columns = edges(np.random.default_rng(4), 60, dtype, 3).columns()
    given, label = OpenEdges.of(*columns), (np.arange(40, dtype=np.int32) % 4).astype(np.int32)
    components = Components(label, 4, np.array(size), np.empty(0, np.int32))
    found = ops.component_bounds(on(ops, given), on(ops, components))
    reference_size = np.minimum(components.size, 2**32 - 1)
    assert_equal(found, reference.component_bounds(given, replace(components, size=reference_size)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_edges_at(ops, dtype):
    given, places = edges(np.random.default_rng(4), 60, dtype, 3), np.array([7, -1, 0, 59, 7], np.int32)
    assert_equal(ops.edges_at(on(ops, given), on(ops, places)), reference.edges_at(given, places))


def assert_equal(found, wanted):
    """Records, edges and arrays."""
    if isinstance(wanted, tuple):
        for ours, theirs in zip(found, wanted, strict=True):
            assert_equal(ours, theirs)
    elif isinstance(wanted, OpenEdges | Components):
        assert_equal(tuple(vars(found).values()), tuple(vars(wanted).values()))
    else:
        np.testing.assert_array_equal(to_host(found), wanted)


@pytest.mark.parametrize("d", [2, 3, 7])
@pytest.mark.parametrize("n", [1, 9, 17, 257, 5000])
@pytest.mark.parametrize("step", [1, 20, 10**6])
def test_box_labels(ops, n, d, step):
    """Nodes of all levels, the root above them, and points."""
    rng, labels = np.random.default_rng([n, d]), np.arange(n, dtype=np.int32) // step * step
    index, _, _ = hierarchies(ops, cloud(n, d, np.float32))
    counts = np.array([n, *(count for count, _ in index.levels), 1])
    level = rng.integers(-1, len(counts) - 1, 200).astype(np.int32)
    node = (rng.random(200) * counts[level + 1]).astype(np.int32)
    for group in (None, rng.permutation(n).astype(np.int32) // 2):
        args = labels, group, level, node
        ops.label_nodes(index, on(ops, labels), on(ops, group))
        found = to_host(ops.box_labels(index, *(on(ops, one) for one in args)))
        assert found.dtype == np.int32
        np.testing.assert_array_equal(found, reference.box_labels(index, *args))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [0, 1, 3000])
@pytest.mark.parametrize("powers", [False, True])
@pytest.mark.parametrize("some", [False, True])
def test_asking_points(ops, dtype, m, powers, some):
    rng = np.random.default_rng([m, powers, some])
    places = np.sort(rng.choice(5000, m, replace=False)).astype(np.int32) if some else None
    weight, power = rng.integers(0, 6, (2, m)).astype(dtype)
    bound, bound_power = rng.integers(-1, 6, (2, 4)).astype(dtype)
    component = rng.integers(0, 30, 5000).astype(np.int32)
    label = rng.integers(0, 4, 50).astype(np.int32)
    nearest = rng.integers(-1, 50, m).astype(np.int32)
    bounds = component, label[:30], bound, bound_power if powers else None
    points = places, weight, power if powers else None
    of_memory = nearest, label
    for rest in (1.0, 6.0, np.inf):
        asking = Asking(*points, *bounds, rng.integers(0, 3, 30).astype(dtype), rest)
        given = Asking(*(on(ops, one) for one in asking))
        found, suffice = ops.asking_points(given, *(on(ops, one) for one in of_memory))
        wanted = reference.asking_points(asking, *of_memory)
        assert to_host(found).dtype == np.int32
        np.testing.assert_array_equal(to_host(found), wanted[0])
        assert (suffice is wanted[1]) and wanted[1] == (rest > 5)
        assert m < 3000 or 0 < len(found) < m


def on(ops, value):
    if isinstance(value, OpenEdges):
        return OpenEdges(to_device(ops, value.words))
    if isinstance(value, Components):
        return Components(*(on(ops, one) for one in vars(value).values()))
    return to_device(ops, value) if isinstance(value, np.ndarray) else value
