"""What partitions of a larger set need: parts of the order along the curve, core distances from elsewhere, powers of
edges."""

import numpy as np
import pytest
import reference
from helpers import DTYPES, KINDS, cloud, hierarchies, scale_and_order, to_device, to_host
from norms_reference import BY_NAME, NAMES_AND_DTYPES, power_between

from emst.backend.records import CROWD, Box

SETS = {
    **{kind: lambda n, d, kind=kind: cloud(n, d, np.float64, kind) for kind in KINDS},
    "heavy tails": lambda n, d: np.exp(5 * np.random.default_rng(n).standard_normal((n, d))),
    "outliers": lambda n, d: cloud(n, d, np.float64) + 1e9 * (np.arange(n)[:, None] % 50 == 7),
    "equal": lambda n, d: np.full((n, d), -2.5),
}


def box_of(x):
    return Box(x.min(axis=0).astype(np.float64), x.max(axis=0).astype(np.float64))


def cut(codes, parts, seed):
    """Cut points into ranges of codes; some of them are empty."""
    cuts = np.sort(np.random.default_rng(seed).choice(np.unique(codes), parts - 1))
    return np.searchsorted(cuts, codes, side="right")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 2, 3, 40])
@pytest.mark.parametrize("kind", SETS)
def test_parts_have_the_order_of_the_whole_set(ops, kind, d, dtype):
    for n in (1, 2, 5, CROWD, CROWD + 1, 200) if d < 40 else (1, 5, 100):
        x = SETS[kind](n, d).astype(dtype)
        box, scale = box_of(x), scale_and_order(x)[0]
        codes = to_host(ops.curve_codes(to_device(ops, x), scale, box))
        assert codes.dtype == np.uint64
        np.testing.assert_array_equal(codes, reference.curve_codes(x, scale, box))
        whole = to_host(ops.curve_order(to_device(ops, x), scale, box=box).rows)
        np.testing.assert_array_equal(whole, reference.curve_order(x, scale, box=box).rows)
        check_parts(ops, x, scale, box, codes, whole, 4)


@pytest.mark.parametrize("d", [1, 2, 3, 40])
@pytest.mark.parametrize("kind", SETS)
def test_parts_of_thousands_of_points(ops, kind, d):
    x = SETS[kind](5_000, d)
    box, scale = box_of(x), 1.0
    codes = to_host(ops.curve_codes(to_device(ops, x), scale, box))
    whole = to_host(ops.curve_order(to_device(ops, x), scale).rows)
    assert (np.diff(codes[whole].astype(float)) >= 0).all()
    for parts in (2, 7, 40):
        check_parts(ops, x, scale, box, codes, whole, parts)


def check_parts(ops, x, scale, box, codes, whole, parts):
    part = cut(codes, parts, len(x))
    rows = []
    for own in range(parts):
        members = np.flatnonzero(part == own)
        order = ops.curve_order(to_device(ops, x[members]), scale, keep=True, box=box)
        assert to_host(order.rows).dtype == np.int32
        rows.append(members[to_host(order.rows)])
        if len(members):
            np.testing.assert_array_equal(to_host(order.cells.codes)[: int(to_host(order.cells.start)[1])],
                                          np.unique(codes[members]))  # fmt: skip
    np.testing.assert_array_equal(np.concatenate(rows), whole)


def test_queries_find_their_places_in_a_part(ops):
    """The cells that are kept are those of the given box."""
    x = cloud(400, 3, np.float64, "uneven")
    box, part = box_of(x), x[::7]
    ours, expected = (o.curve_order(to_device(o, part), 1.0, keep=True, box=box) for o in (ops, reference))
    found = ops.curve_places(ours.cells, to_device(ops, x), 1.0)
    for one, other in zip(found, reference.curve_places(expected.cells, x, 1.0)):
        np.testing.assert_array_equal(to_host(one), other)


@pytest.mark.parametrize("n", [2, 15, 16, 17, 400])
@pytest.mark.parametrize("dtype", DTYPES)
def test_core_distances_from_elsewhere(ops, dtype, n):
    """They are lowered, as points of other partitions lower them, and the next round goes by them."""
    x = cloud(n, 3, dtype, "uneven")
    index, expected_bvh, _ = hierarchies(ops, x, min(n, 5))
    before = to_host(index.core).copy()
    lower = before * np.random.default_rng(n).choice([0, 0.25, 1], n).astype(dtype)
    ops.set_cores(index, to_device(ops, lower))
    reference.set_cores(expected_bvh, lower)
    np.testing.assert_array_equal(to_host(index.core), lower)
    ours, theirs = ops.join_duplicates(index), reference.join_duplicates(expected_bvh)
    cache = ops.cache_neighbours(index, ours)
    while theirs.count > 1:
        ops.begin_round(index, ours, cache)
        ops.nearest_outgoing(index, ours, cache)
        reference.nearest_outgoing(expected_bvh, theirs, None)
        assert ops.merge(ours) == reference.merge(theirs)
        np.testing.assert_array_equal(to_host(ours.labels), theirs.labels)
    used = theirs.source >= 0
    for field in ("source", "target", "weight"):
        np.testing.assert_array_equal(to_host(getattr(ours, field))[used], getattr(theirs, field)[used])


def test_scaled_cores_leave_those_that_were_returned(ops):
    index, _, _ = hierarchies(ops, cloud(100, 2, np.float64))
    core = ops.core_distances(index, 4)
    before = to_host(core).copy()
    ops.scale_cores(index, 2.0)
    np.testing.assert_array_equal(to_host(core), before)
    np.testing.assert_array_equal(to_host(index.core), 2 * before)


@pytest.mark.parametrize(("name", "dtype"), NAMES_AND_DTYPES)
def test_powers_of_edges(ops, name, dtype):
    for d in (1, 2, 3, 7, 40):
        index, expected_bvh, _ = hierarchies(ops, cloud(300, d, dtype, "uneven"), norm=BY_NAME[name])
        u, v = np.random.default_rng(d).integers(0, 300, (2, 1_000)).astype(np.int32)
        for some in (slice(None), slice(1), slice(0)):
            powers = to_host(ops.edge_powers(index, to_device(ops, u[some]), to_device(ops, v[some])))
            assert powers.dtype == dtype
            x = expected_bvh.scaled
            np.testing.assert_array_equal(powers, power_between(x[u[some]], x[v[some]], BY_NAME[name]))
