"""Nearest points for queries of another partition: distances, and points of another component."""

import time

import numpy as np
import pytest
import reference
from helpers import DTYPES, KINDS, cloud, to_device, to_host
from norms_reference import BY_NAME, NAMES_AND_DTYPES, in_box, power_between

from emst.backend.records import EUCLIDEAN
from emst.inputs.scaling import scale_of


def partitions(ops, x, y, norm=EUCLIDEAN, k=1):
    """The hierarchies of points and of queries, under one scale: those of the backend, those of the reference."""
    scale = scale_of(reference.point_statistics(np.concatenate([x, y])), x.dtype, norm.degree)
    ours, expected = [], []
    for points in (x, y):
        order = reference.curve_order(points, scale).rows
        ours.append(ops.build_index(to_device(ops, points), to_device(ops, order), scale, norm))
        expected.append(reference.build_index(points, order, scale, norm))
    if k > 1:
        ops.core_distances(ours[0], k)
        reference.core_distances(expected[0], k)
    return ours, expected


def sets(n, m, d, dtype, kind):
    """Points, and queries among them, beside them, far away and equal to them."""
    x = cloud(n, d, dtype, kind)
    y = cloud(m, d, dtype, kind, seed=1)
    y[: m // 3] = x[np.arange(m // 3) % n]
    y[m // 3 : m // 2, 0] += dtype(2) * np.ptp(x[:, 0])
    return x, y


def radii(between, random):
    """Some radii never match, some match exactly a distance, some almost, some everything."""
    m = len(between)
    exact = between[np.arange(m), random.integers(0, between.shape[1], m)]
    kinds = [exact, np.nextafter(exact, 0 * exact - 1), 0 * exact - 1, 0 * exact, exact + np.inf]
    return np.choose(random.integers(0, len(kinds), m), kinds).astype(between.dtype)


def check_distances(ops, ours, expected, radius, *counts):
    (index, queries), (expected_bvh, expected_queries) = ours, expected
    wanted = reference.nearest_distances(expected_bvh, expected_queries, radius, max(counts))
    for count in counts:
        found = to_host(ops.nearest_distances(index, queries, to_device(ops, radius), count))
        assert found.dtype == radius.dtype
        np.testing.assert_array_equal(found, wanted[:, :count])


def check_across(ops, ours, expected, labels, own, core, radius):
    (index, queries), (expected_bvh, expected_queries) = ours, expected
    labels, own = labels.astype(np.int32), own.astype(np.int32)
    on = [None if array is None else to_device(ops, array) for array in (labels, own, core, radius)]
    ops.label_nodes(index, on[0])
    found = ops.nearest_across(index, on[0], queries, *on[1:])
    wanted = reference.nearest_across(expected_bvh, labels, expected_queries, own, core, radius)
    several = int(labels.max()) + 1  # the same labels by components that are parts of them
    component = labels + np.arange(len(labels), dtype=np.int32) % 3 * np.int32(several)
    on[0], group = to_device(ops, component), to_device(ops, np.tile(np.arange(several, dtype=np.int32), 3))
    ops.label_nodes(index, on[0], group)
    by_group = ops.nearest_across(index, on[0], queries, *on[1:], group=group)
    for one, same, other in zip(found, by_group, wanted):
        assert to_host(one).dtype == other.dtype
        np.testing.assert_array_equal(to_host(one), other)
        np.testing.assert_array_equal(to_host(same), other)
    return wanted


def all_powers(expected):
    return power_between(expected[1].scaled[:, None], expected[0].scaled[None], expected[0].norm)


def computed_once(monkeypatch, expected):
    """All powers, which the reference takes from here on instead of computing them again."""
    between = all_powers(expected)
    monkeypatch.setattr("partitions_reference.power_between", lambda *_: between.copy())
    return between


N, M = 300, 100


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "dtype"), NAMES_AND_DTYPES)
def test_distances_equal_the_reference(ops, name, dtype, kind, monkeypatch):
    norm, random = BY_NAME[name], np.random.default_rng(0)
    for d in (1, 3, 40):
        ours, expected = partitions(ops, *sets(N, M, d, dtype, kind), norm)
        between = computed_once(monkeypatch, expected)
        for count in (1, 5, 33):
            check_distances(ops, ours, expected, radii(between, random), count)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "dtype"), NAMES_AND_DTYPES)
def test_points_of_another_component_equal_the_reference(ops, name, dtype, kind, monkeypatch):
    norm, random = BY_NAME[name], np.random.default_rng(0)
    for d in (1, 3, 40):
        for k in (1, 4):
            ours, expected = partitions(ops, *sets(N, M, d, dtype, kind), norm, k)
            between = computed_once(monkeypatch, expected)
            core = None if k == 1 else np.sort(between, axis=1)[:, k - 2]
            runs, mixed = np.arange(N) // 40, random.integers(0, 3, N)
            for labels in (np.zeros(N), runs, mixed):
                own = random.integers(0, 4, M)
                check_across(ops, ours, expected, labels, own, core, radii(between, random))
            found = check_across(ops, ours, expected, mixed, 0 * own + 9, core, np.full(M, np.inf, dtype))
            assert (found[0] >= 0).all()  # nobody has this label


@pytest.mark.parametrize(("name", "dtype"), [("euclidean", np.float64), ("any power 2.7", np.float64)])
def test_in_a_periodic_box(ops, name, dtype, monkeypatch):
    random = np.random.default_rng(0)
    for d, kind, k in ((1, "uneven", 4), (3, "repeated", 1), (3, "uniform", 4), (40, "lattice", 4)):
        x, y = sets(N, M, d, dtype, kind)
        ours, expected = partitions(ops, x, y, in_box(BY_NAME[name], np.concatenate([x, y])), k)
        between = computed_once(monkeypatch, expected)
        for count in (1, 33):
            check_distances(ops, ours, expected, radii(between, random), count)
        core = None if k == 1 else np.sort(between, axis=1)[:, k - 2]
        labels, own = random.integers(0, 3, N), random.integers(0, 4, M)
        check_across(ops, ours, expected, labels, own, core, radii(between, random))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 33, 300])
def test_few_points_and_few_queries(ops, n, dtype):
    random = np.random.default_rng(n)
    for m in (1, 2, 16, 17, 50):
        ours, expected = partitions(ops, *sets(n, m, 3, dtype, "lattice"))
        between = all_powers(expected)
        counts = 1, 2, 15, 16, 17, 24, n, n + 1, 2 * n + 40
        for count in counts:
            check_distances(ops, ours, expected, radii(between, random), count)
        check_distances(ops, ours, expected, np.full(m, np.inf, dtype), *counts)
        labels, own = random.integers(0, 2, n), random.integers(0, 2, m)
        for radius in (radii(between, random), np.full(m, np.inf, dtype), np.full(m, -1, dtype)):
            check_across(ops, ours, expected, labels, own, None, radius)


@pytest.mark.parametrize("d", [2, 3])
def test_many_points(ops, d):
    """Several levels of nodes, and radii that shrink several times."""
    random = np.random.default_rng(d)
    ours, expected = partitions(ops, *sets(6_000, 200, d, np.float32, "uneven"), k=5)
    between = all_powers(expected)
    for radius in (radii(between, random), np.full(200, np.inf, np.float32)):
        check_distances(ops, ours, expected, radius, 3, 100, 700)
    for labels in (np.arange(6_000) // 500, random.integers(0, 2, 6_000)):
        own = labels[random.integers(0, 6_000, 200)]
        for core in (None, np.sort(between, axis=1)[:, 3]):
            check_across(ops, ours, expected, labels, own, core, np.full(200, np.inf, np.float32))


def test_among_ties_the_smallest_id(ops):
    """All points are equally far: the weights are the queries' core distances, or those of the points."""
    x = np.tile(cloud(8, 2, np.float64, "lattice"), (40, 1))
    y = np.tile([[0.5, 0.5], [0.0, 0.0]], (25, 1))
    ours, expected = partitions(ops, x, y, k=41)
    labels = np.arange(320) % 5
    for core in (np.zeros(50), np.ones(50), np.full(50, 0.01), np.full(50, 2.0)):
        for radius in (0.0, 0.25, 0.5, 1.0, 2.0, np.inf):
            check_across(ops, ours, expected, labels, np.arange(50) % 5, core, np.full(50, radius))


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("shift", [0.0, 0.25])
def test_equal_points_take_a_moment(ops, shift, k):
    """Queries do not look at all points that repeat one they have found."""
    for n in (2_000, 300_000):  # the first compiles
        x, y = np.zeros((n, 2), np.float32), np.zeros((n, 2), np.float32)
        x[::2] = 0.5
        y[:, 0] = shift
        order = np.argsort(x[:, 0], kind="stable").astype(np.int32)
        index = ops.build_index(to_device(ops, x), to_device(ops, order), 1.0)
        queries = ops.build_index(to_device(ops, y), to_device(ops, np.arange(n, dtype=np.int32)), 1.0)
        core = None
        if k > 1:
            ops.core_distances(index, k)
            core = to_device(ops, np.zeros(n, np.float32))
        labels = to_device(ops, np.arange(n, dtype=np.int32) % 2)
        ops.label_nodes(index, labels)
        far = to_device(ops, np.full(n, np.inf, np.float32))
        start = time.perf_counter()
        found = ops.nearest_across(index, labels, queries, to_device(ops, np.full(n, 1, np.int32)), core, far)
        distances = ops.nearest_distances(index, queries, far, 4)
        assert (to_host(found[0]) == 0).all()
        assert (to_host(distances) == np.float32(shift) ** 2).all()
    assert time.perf_counter() - start < 10  # were it quadratic: minutes


@pytest.mark.parametrize("d", [2, 40])
@pytest.mark.parametrize("m", [1, 100])
def test_queries_need_no_boxes(ops, m, d):
    """Searches find the same for queries that have been built as such."""
    rng = np.random.default_rng([m, d])
    x, y = (to_device(ops, rng.random((count, d))) for count in (500, m))
    index, *queries = (
        ops.build_index(points, to_device(ops, np.arange(len(points), dtype=np.int32)), 1.0) for points in (x, y)
    )
    queries.append(ops.build_queries(y, index.norm))
    far, labels = to_device(ops, np.full(m, np.inf)), to_device(ops, np.arange(500, dtype=np.int32) % 3)
    ops.label_nodes(index, labels)
    found = [
        [ops.nearest_distances(index, one, far, 5), *ops.nearest_across(index, labels, one, labels[:m], None, far)]
        for one in queries
    ]
    assert all(one.n == m for one in queries)
    for boxed, plain in zip(*found):
        np.testing.assert_array_equal(to_host(boxed), to_host(plain))


def test_leaves_whose_numbers_take_more_than_16_bits(ops):
    n = 1 << 21
    x = np.arange(n, dtype=np.float32)[:, None]
    index, queries = (
        ops.build_index(to_device(ops, points), to_device(ops, np.arange(len(points), dtype=np.int32)), 1.0)
        for points in (x, x[-20:])
    )
    far = to_device(ops, np.full(20, np.inf, np.float32))
    found = to_host(ops.nearest_distances(index, queries, far, 3))
    np.testing.assert_array_equal(found, [[0, 1, 1]] * 19 + [[0, 1, 4]])


def test_the_first_point_at_distance_0_is_joined_whatever_core_distances_are(ops):
    """Powers of distances below 1e-45 are 0 in float32: then points that differ are at distance 0."""
    x = np.array([[0, 0], [1e-23, 0], [3e-22, 0], [1, 1], [2, 1]], np.float32)
    order = to_device(ops, np.arange(5, dtype=np.int32))
    points = ops.build_index(to_device(ops, x), order, 1.0)
    ops.core_distances(points, 3)
    queries = ops.build_index(to_device(ops, x[:1]), order[:1], 1.0)
    near = to_device(ops, np.zeros(1, np.int64))
    core, radius = ops.query_cores(points, queries, 3, near)
    assert to_host(radius).tolist() == [0]
    assert [to_host(one)[0] for one in ops.nearest_across(points, None, queries, None, core, radius, near)] == [0, 0, 0]
