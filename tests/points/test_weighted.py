"""Core distances by weight, and the order of points among their copies."""

import numpy as np
import pytest
import reference
from helpers import DTYPES, KINDS, around, cloud, hierarchies, scale_and_order, to_device, to_host
from norms_reference import BY_NAME

from emst.backend.records import CROWD, EUCLIDEAN, Box


def units_of(n, kind, seed=0):
    g = np.random.default_rng([seed, n])
    if kind == "fractions":
        return g.integers(1, 1 << 40, n)
    return {"few": g.integers(1, 4, n), "small": np.ones(n, np.int64), "one heavy": 1 + 999 * (np.arange(n) == n // 2)}[
        kind
    ]


def check(ops, x, units, enough, norm=EUCLIDEAN):
    index, expected, order = hierarchies(ops, x, 1, norm)
    core = to_host(ops.weighted_core_distances(index, to_device(ops, units), enough))
    assert core.dtype == x.dtype
    np.testing.assert_array_equal(core, reference.weighted_core_distances(expected, units, enough))
    np.testing.assert_array_equal(to_host(index.core), core)
    return index, expected, order


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [2, 40])
@pytest.mark.parametrize("kind", ["few", "small", "one heavy", "fractions"])
def test_core_distances_equal_the_reference(ops, kind, d, dtype):
    x = cloud(200, d, dtype, KINDS[d % len(KINDS)])
    units = units_of(200, kind)
    for share in (0.001, 0.02, 0.3, 1):
        check(ops, x, units, max(1, int(share * units.sum())))


@pytest.mark.parametrize("name", sorted(BY_NAME)[:1])
def test_other_norms(ops, name):
    check(ops, cloud(120, 3, np.float64, "uneven"), units_of(120, "few"), 30, BY_NAME[name])


def test_a_search_may_need_all_points_but_one(ops):
    """The first heap is too small for it."""
    units = np.ones(2_000, np.int64)
    units[7] = 10**6
    x = cloud(2_000, 2, np.float64)
    index, expected, _ = check(ops, x, units, 10**6 + 1)
    check_nearest(ops, index, expected, units, x[:20], 10**6 + 1, np.full(20, np.inf))
    units = np.roll(units, 900)
    index, expected, _ = check(ops, x, units, 1_999)
    check_nearest(ops, index, expected, units, x[:20], 1_999, np.full(20, np.inf))


@pytest.mark.parametrize("enough", [1, 7, 60, 250])
def test_new_points(ops, enough):
    x, units = cloud(150, 2, np.float64, "repeated"), units_of(150, "few")
    queries = around(x)
    scale, _ = scale_and_order(x)
    index, expected, _ = check(ops, x, units, enough)
    place = reference.curve_order(queries, scale).rows
    ours = ops.build_index(to_device(ops, queries), to_device(ops, place), scale)
    theirs = reference.build_index(queries, place, scale)
    near = to_device(ops, np.linspace(0, len(x) - 1, len(queries)).astype(np.int64))
    core, radius = map(to_host, ops.weighted_query_cores(index, ours, to_device(ops, units), enough, near))
    wanted, wanted_radius = reference.weighted_query_cores(expected, theirs, units, enough, None)
    np.testing.assert_array_equal(core, wanted)
    np.testing.assert_array_equal(radius == 0, wanted_radius == 0)


@pytest.mark.parametrize("d", [2, 40])
@pytest.mark.parametrize("enough", [1, 7, 60, 10_000])
def test_nearest_points_until_the_weights_suffice(ops, enough, d):
    """With a radius of 0, of some distance, and without one."""
    x, units = cloud(150, d, np.float64, "repeated"), units_of(150, "few")
    units[9] = 40
    queries = around(x)
    index, expected, _ = hierarchies(ops, x, 1)
    asked = reference.build_index(queries, np.arange(len(queries)), expected.scale)
    near = reference.nearest_distances(expected, asked, np.full(len(queries), np.inf), 40)
    radius = np.choose(np.arange(len(queries)) % 3, [0 * near[:, 0], near[:, 30], np.inf])
    check_nearest(ops, index, expected, units, queries, enough, radius)


def check_nearest(ops, index, expected, units, queries, enough, radius):
    places = np.arange(len(queries), dtype=np.int32)
    ours = ops.build_index(to_device(ops, queries), to_device(ops, places), expected.scale)
    found = ops.weighted_nearest(index, ours, to_device(ops, units), enough, to_device(ops, radius))
    found = [to_host(one) for one in found]
    assert found[1].dtype == queries.dtype and found[2].dtype == np.int64
    theirs = reference.build_index(queries, places, expected.scale)
    wanted = reference.weighted_nearest(expected, theirs, units, enough, radius)
    for i in places:
        (powers, sums), (all_powers, all_sums) = (weights_by_distance(i, *lists) for lists in (found, wanted))
        np.testing.assert_array_equal(powers, all_powers)
        np.testing.assert_array_equal(sums[:-1], all_sums[:-1])
        assert sums.tolist()[-1:] == all_sums.tolist()[-1:] or (sums[-1] < all_sums[-1] and sums.sum() >= enough)


def weights_by_distance(query, queries, powers, units):
    """The distances that a query has in lists, ascending, and the sum of the weights at each."""
    distances, of = np.unique(powers[queries == query], return_inverse=True)
    return distances, np.bincount(of, units[queries == query], minlength=len(distances))


@pytest.mark.parametrize("n", [3, 16, 17, 300])
@pytest.mark.parametrize("kind", KINDS)
def test_points_have_the_order_of_their_copies(ops, kind, n):
    """Cells of the curve are divided if they hold many copies."""
    x = cloud(n, 2, np.float64, kind)
    x[: n // 2] = 0.5 + 2.0**-45 * x[: n // 2]  # in one cell
    scale, _ = scale_and_order(x)
    for most in (2, 6, 40):
        copies = np.random.default_rng(most).integers(1, most, n).astype(np.int32)
        box = Box(x.min(axis=0), x.max(axis=0)) if copies.sum() > CROWD else None
        ours = ops.curve_order(to_device(ops, x), scale, True, box, to_device(ops, copies))
        whole = to_host(ops.curve_order(to_device(ops, np.repeat(x, copies, axis=0)), scale, box=box).rows)
        of_copy = np.repeat(np.arange(n), copies)[whole]
        first = of_copy[np.sort(np.unique(of_copy, return_index=True)[1])]
        np.testing.assert_array_equal(to_host(ours.rows), first)
        np.testing.assert_array_equal(first, reference.curve_order(x, scale, True, box, copies).rows)
        np.testing.assert_array_equal(
            to_host(ours.cells.codes), reference.curve_order(x, scale, True, box, copies).cells.codes
        )
