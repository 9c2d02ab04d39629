"""What the outlines of other partitions tell: how near their leaves are, which points ask, and which partitions."""

import numpy as np
import pytest
import reference
from helpers import KINDS, cloud, hierarchies, to_device, to_host
from norms_reference import BY_NAME, NAMES_AND_DTYPES, in_box, power_between
from outlines import OnHost, on, outline_of, partitions, single_points

from emst.backend.partition_records import Outline, Reaches
from emst.backend.records import EUCLIDEAN, Norm


def along_the_curve(x):
    return x[reference.curve_order(x, 1.0).rows]


def index_of(ops, x, norm, k):
    index = ops.build_index(to_device(ops, x), to_device(ops, np.arange(len(x), dtype=np.int32)), 1.0, norm)
    if k > 1:
        ops.core_distances(index, k)
    return index


def check_reaches(ops, x, outline, own, norm, k=1, share=0.1, reaches=None):
    """Compares the reaches of points, for each level from which the hierarchy is used, with those of the reference.
    Returns those for the highest level. The reference's `reaches` do not depend on k: they can be given."""
    index = index_of(ops, x, norm, k)
    reaches = reference.reaches_of_levels(OnHost(index), outline, own) if reaches is None else reaches
    for highest in range(max(len(index.levels), 1)):
        found = Reaches(*map(to_host, ops.outline_reaches(index, on(ops, outline), own, highest, share)))
        expected = reference.reaches_from(OnHost(index), reaches, highest, share)
        for name, ours, theirs in zip(Reaches._fields, found, expected):
            assert getattr(ours, "dtype", float) == getattr(theirs, "dtype", float), name
            np.testing.assert_array_equal(ours, theirs, name)
    return found


def check_hits(ops, x, labels, radius, outline, own, norm, powers=None):
    arrays = (None if array is None else to_device(ops, array) for array in (x, labels, radius))
    found = to_host(ops.outline_hits(*arrays, on(ops, outline), own, norm))
    assert found.dtype == bool
    powers = reference.powers_of_leaves(x, x, outline, own, norm) if powers is None else powers
    np.testing.assert_array_equal(found, reference.hits_of(powers, labels, radius, outline, own))
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "dtype"), NAMES_AND_DTYPES)
def test_reaches_and_hits_equal_the_reference(ops, name, dtype, kind):
    norm = BY_NAME[name]
    for n, d in ((520, 1), (520, 3), (60, 40)):  # 520: more than 32 leaves of 16 points
        x, labels, _, outline = partitions(n, d, dtype, kind)
        x = along_the_curve(x)
        random = np.random.default_rng(d)
        for own in (0, 3, 6):
            reaches = reference.reaches_of_levels(OnHost(index_of(ops, x, norm, 1)), outline, own)
            check_reaches(ops, x, outline, own, norm, k=4, reaches=reaches)
            reach = check_reaches(ops, x, outline, own, norm, reaches=reaches).reach
            powers = reference.powers_of_leaves(x, x, outline, own, norm)
            for radius in (reach, np.nextafter(reach, dtype(0)), random.permutation(reach), 0 * reach, 0 * reach - 1):
                check_hits(ops, x, labels, radius.astype(dtype), outline, own, norm, powers)
            check_hits(ops, x, None, random.permutation(reach), outline, own, norm, powers)


@pytest.mark.parametrize(("name", "dtype"), NAMES_AND_DTYPES)
def test_in_a_periodic_box(ops, name, dtype):
    if ops.name == "cpu" and name not in ("euclidean", "any power 2.7"):
        pytest.skip("the CPU compiles this norm for seconds, from the code of the two others")
    for n, d, kind in ((250, 1, "uneven"), (600, 3, "repeated"), (90, 40, "uniform")):
        x, labels, _, outline = partitions(n, d, dtype, kind)
        norm, x = in_box(BY_NAME[name], x), along_the_curve(x)
        reach = check_reaches(ops, x, outline, 3, norm).reach
        check_hits(ops, x, labels, reach, outline, 3, norm)


@pytest.mark.parametrize("d", [2, 40])
def test_the_reach_is_no_farther_than_any_point_elsewhere(ops, d):
    """It is a lower bound of every edge to another partition; equal near the border where leaves hold single points."""
    x, _, cuts, outline = partitions(300, d, np.float64, "uneven")
    part = np.searchsorted(cuts, np.arange(len(x)), side="right")
    norms = BY_NAME | {"euclidean in a box": in_box(BY_NAME["euclidean"], x)}
    for name, norm in norms.items():
        for own in range(3):
            mine = along_the_curve(x[part == own])
            nearest = power_between(mine[:, None], x[None, part != own], norm).min(axis=1, initial=np.inf)
            assert (check_reaches(ops, mine, outline, own, norm).reach <= nearest).all(), name
            found = check_reaches(ops, mine, single_points(x, cuts), own, norm)
            assert (found.reach <= nearest).all(), name
            np.testing.assert_array_equal(found.reach[found.near], nearest[found.near], name)


def test_nobody_else(ops):
    """Without other partitions nothing is in reach."""
    x = cloud(50, 3, np.float32)
    labels = np.arange(50, dtype=np.int32)
    far = np.full(50, np.inf, np.float32)
    alone = outline_of([x], [labels], np.random.default_rng(0))
    nobody = outline_of([x[:0], x[:0], x[:0]], [labels[:0]] * 3, np.random.default_rng(0))
    for outline in (alone, nobody):
        for k in (1, 3):
            found = check_reaches(ops, x, outline, 0, EUCLIDEAN, k)
            assert (
                np.isinf(found.reach).all() and found.rest == np.inf and not len(found.near) and not len(found.asking)
            )
        assert not check_hits(ops, x, labels, far, outline, 0, EUCLIDEAN).any()
    check_hits(ops, x[:0], labels[:0], far[:0], alone, 1, EUCLIDEAN)


def test_labels_decide_at_any_radius(ops):
    """Everything is within an infinite radius: a partition is hit unless all its leaves bear the point's label."""
    x = cloud(120, 2, np.float64)
    parts = [x[:40], x[40:80], x[80:]]
    labels = [np.full(40, 7, np.int32), np.full(40, 9, np.int32), np.arange(40, dtype=np.int32) % 2 + 7]
    outline = outline_of(parts, labels, np.random.default_rng(1))
    found = check_hits(ops, x, np.concatenate(labels), np.full(120, np.inf), outline, 0, EUCLIDEAN)
    assert not found[:, 0].any() and found[:40, 1].all() and not found[40:80, 1].any() and found[40:80, 2].all()


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("d", [2, 3])
def test_deep_trees_of_many_points(ops, d, k):
    """Neighbouring queries begin with the bound of the one before, in chunks of their own. Some points are near, and
    some of these ask; the last leaf is not full."""
    x, labels, cuts, outline = partitions(6_001, d, np.float32, "uniform")
    part = np.searchsorted(cuts, np.arange(len(x)), side="right")
    own = np.bincount(part).argmax()
    mine = along_the_curve(x[part == own])
    assert len(mine) % 16
    found = check_reaches(ops, mine, outline, own, EUCLIDEAN, k)
    assert 0 < len(found.asking) < len(found.near) and (len(found.near) < len(mine) or d == 3)
    check_hits(ops, mine, labels[part == own], found.reach, outline, own, EUCLIDEAN)
    check_reaches(ops, along_the_curve(x), outline, -1, EUCLIDEAN, k)


def test_far_boxes_of_three_levels(ops):
    """Most points get the reach of a box above their leaf."""
    x = cloud(17_001, 2, np.float32)
    mine, others = along_the_curve(x[400:]), x[:400] - np.float32([1.0, 0.0])
    outline = outline_of([mine[:0], others], [np.zeros(0, np.int32), np.zeros(400, np.int32)], np.random.default_rng(0))
    found = check_reaches(ops, mine, outline, 0, EUCLIDEAN)
    assert 0 < len(found.near) < len(mine) / 4 and len(np.unique(found.reach[mine[:, 0] > 0.5])) < 50


@pytest.mark.parametrize("norm", [EUCLIDEAN, BY_NAME["chebyshev"]])
def test_a_box_as_far_as_it_is_wide_is_near(ops, norm):
    x = np.linspace(0, 4, 16)[:, None]
    for at, near in ((8.0, 16), (np.nextafter(8.0, 9.0), 0)):
        outline = outline_of([x, np.array([[at]])], [np.arange(16), np.arange(1)], np.random.default_rng(0))
        assert len(check_reaches(ops, x, outline, 0, norm).near) == near


def test_points_of_far_leaves_ask_as_far_as_their_core_distances(ops):
    """Two groups of points, and others nearer to the first than the second is: it asks, although no point is near."""
    x = np.zeros((33, 2), np.float32)
    x[:, 0] = [0] * 16 + [-10] * 16 + [5]
    outline = outline_of([x[:32], x[32:]], [np.arange(32), np.arange(1)], np.random.default_rng(0))
    found = check_reaches(ops, x[:32], outline, 0, EUCLIDEAN, k=20)
    assert not len(found.near) and found.rest == 25
    np.testing.assert_array_equal(found.asking, np.arange(16))
    np.testing.assert_array_equal(found.radius, 100)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 2, 3, 7])
@pytest.mark.parametrize("n", [1, 16, 257, 9000])
def test_node_boxes(ops, n, d, dtype):
    """Of all levels, and of points; none, one and many boxes."""
    index, _, _ = hierarchies(ops, cloud(n, d, dtype))
    counts, rng = [n, *(count for count, _ in index.levels)], np.random.default_rng(d)
    for level in range(-1, len(counts) - 1):
        for m in (0, 1, 300):
            node = rng.integers(0, counts[level + 1], m).astype(np.int32)
            found = to_host(ops.node_boxes(index, level, to_device(ops, node)))
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, reference.node_boxes(OnHost(index), level, node))


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (33, 2), (700, 7), (5_000, 3)])
@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_list_hits(ops, shape, share):
    hits = np.random.default_rng(shape).random(shape) < share
    for given in (to_device(ops, hits), to_device(ops, hits.T).T):
        members, start = ops.list_hits(given)
        expected, starts = reference.list_hits(hits)
        assert members.dtype == np.int32 and start == starts
        np.testing.assert_array_equal(to_host(members), expected)


@pytest.mark.parametrize("shape", [(700, 1), (700, 7), (900, 8)])
def test_hits_that_one_launch_cannot_count(ops, shape, monkeypatch):
    """The GPU lists the partitions in halves."""
    if ops.name == "cuda":
        monkeypatch.setattr("emst.cuda.partitions.outline.MOST_HITS", 1000)
    test_list_hits(ops, shape, 0.5)


def test_a_node_may_seem_farther_than_its_child(ops):
    """The power of a lesser number may be greater by a last digit. With this degree, which no metric has, that is easy
    to find; the node is opened nevertheless."""
    norm, far = Norm("any power", 0.3), float.fromhex("0x1.9f109a39bc900p-59")
    low, high = np.nextafter([[far], [far], [far]], [[0], [far], [0]]), np.array([[1.0], [1.0], [far]])
    x = np.zeros((1, 1))
    assert power_between(x, low[:1], norm) > power_between(x, low[1:2], norm)
    numbers = ([1, -1, -1], [2, 0, 0], [-1, -1, -1], [0, 3])
    whole = Outline(low, high, *(np.array(each, np.int32) for each in numbers))
    leaf = Outline(low[1:2], high[1:2], *(np.array(each, np.int32) for each in ([-1], [0], [-1], [0, 1])))
    radius = check_reaches(ops, x, leaf, -1, norm).reach
    assert check_hits(ops, x, np.zeros(1, np.int32), radius, whole, -1, norm).all()
