"""Bounds of points, which components of a partition must not hook, and their bounds when they are joined."""

import numpy as np
import pytest
import reference
from helpers import hierarchies, to_device, to_host

from emst.backend.records import EUCLIDEAN, Forest

N = 600


def forest_of(rng, dtype, ops):
    """Components of points on a grid, some without an edge, with weights of few values."""
    labels = rng.integers(0, 90, N)
    labels = np.array([np.flatnonzero(labels == label)[0] for label in labels], np.int32)
    roots = np.unique(labels).astype(np.int32)
    u, v = np.sort(rng.integers(0, N, (2, N)), axis=0).astype(np.int32)
    none = rng.random(N) < 0.2
    columns = {"edge_u": np.where(none, -1, u), "edge_v": np.where(none, -1, v)}
    empty = {name: np.full(N, -1, np.int32) for name in ("source", "target")}
    best, weight = rng.integers(0, 6, N).astype(dtype), np.zeros(N, dtype)
    arrays = {"labels": labels, "components": roots, "best": best, "weight": weight, **columns, **empty}
    return Forest(**{name: to_device(ops, array.astype(array.dtype)) for name, array in arrays.items()})


def bounds_of(rng, dtype, powers):
    weight, power = rng.integers(0, 6, (2, N)).astype(dtype)
    weight[rng.random(N) < 0.1] = np.inf
    return weight, power if powers else None


def on(ops, array):
    return None if array is None else to_device(ops, array.copy())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("powers", [False, True])
@pytest.mark.parametrize("least", [0, 3, 7])
def test_hold_back(ops, dtype, powers, least):
    """With bounds of 7, no component is held that has an edge; with 0, all are, and all keep their edges."""
    rng = np.random.default_rng([3, powers, least])
    points = rng.integers(0, 3, (N, 2)).astype(dtype)
    weight, power = bounds_of(rng, dtype, powers)
    weight = np.maximum(weight, least) if least else np.zeros_like(weight)
    power = None if power is None else (power if least else np.zeros_like(power))
    found = []
    for backend, args in ((ops, (on(ops, weight), on(ops, power))), (reference, (weight, power))):
        index = backend.build_index(on(backend, points), on(backend, np.arange(N, dtype=np.int32)), 1.0, EUCLIDEAN)
        forest = forest_of(np.random.default_rng(8), dtype, backend)
        sure = backend.hold_back(index, forest, *args)
        found.append((sure, *(to_host(end).copy() for end in (forest.edge_u, forest.edge_v))))
    roots = to_host(forest.components)
    for ours, theirs in zip(*found):
        np.testing.assert_array_equal(*((one if np.ndim(one) == 0 else one[roots]) for one in (ours, theirs)))
    with_edge = int((to_host(forest_of(np.random.default_rng(8), dtype, ops).edge_u)[roots] >= 0).sum())
    assert found[0][0] == (with_edge if least == 7 else found[1][0]) and (found[0][0] > 0) == (least > 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("powers", [False, True])
def test_join_bounds(ops, dtype, powers):
    rng = np.random.default_rng([4, powers])
    weight, power = bounds_of(rng, dtype, powers)
    labels = to_host(forest_of(np.random.default_rng(9), dtype, reference).labels)
    before = np.flatnonzero((rng.random(N) < 0.5) | (labels == np.arange(N))).astype(np.int32)  # others are no roots
    found = []
    for backend in (ops, reference):
        forest = forest_of(np.random.default_rng(9), dtype, backend)
        args = [on(backend, weight), on(backend, power)]
        backend.join_bounds(forest, on(backend, before), *args)
        roots = to_host(forest.components)
        found.append([to_host(one)[roots] for one in args if one is not None])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def some_bounds(rng, n, dtype):
    """Of few values: subnormal ones and infinity among them."""
    values = np.array([0, np.finfo(dtype).smallest_subnormal, 3 * np.finfo(dtype).smallest_subnormal, 0.01, 1, np.inf])
    return values.astype(dtype)[rng.integers(0, len(values), n)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 17, 3000])
@pytest.mark.parametrize("repeated", [False, True])
def test_bound_weights(ops, n, repeated, dtype):
    """Of points on a lattice, which are there many times, and of points of which none is."""
    rng = np.random.default_rng(n)
    points = rng.integers(0, 9, (n, 2)) if repeated else rng.random((n, 2))
    index, expected, _ = hierarchies(ops, points.astype(dtype))
    reach = some_bounds(rng, n, dtype)
    given = on(ops, reach)
    for core in (None, some_bounds(rng, n, dtype), rng.permutation(reach)):
        if core is not None:
            ops.core_distances(index, 1)
            ops.set_cores(index, on(ops, core))
            reference.set_cores(expected, core)
        forest, found = ops.join_duplicates(index), reference.join_duplicates(expected)
        assert (forest.count < n) == (repeated and n > 1)
        weight = ops.bound_weights(index, forest, given)
        np.testing.assert_array_equal(to_host(weight), reference.bound_weights(expected, found, reach))
        assert (weight is given) == (core is None and forest.count == n)
        np.testing.assert_array_equal(to_host(given), reach)  # it is read only


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 31, 257, 5000])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.999, 1.0])
def test_least_of_others(ops, n, share, dtype):
    rng = np.random.default_rng([n, int(1000 * share)])
    places = np.flatnonzero(rng.random(n) < share).astype(np.int32)
    tiny = np.finfo(dtype).smallest_subnormal
    for values in (
        rng.random(n),
        tiny * rng.integers(1, 9, n),
        np.full(n, np.inf),
        1 + np.arange(n),
        9e9 - np.arange(n),
    ):
        given = on(ops, values.astype(dtype))
        found = ops.least_of_others(given, on(ops, places))
        assert type(found) is float and found == reference.least_of_others(values.astype(dtype), places)
        np.testing.assert_array_equal(to_host(given), values.astype(dtype))  # it is read only
