"""Edges of partitions as one list: others in between, and two lists merged."""

import functools

import numpy as np
import pytest
import reference
from helpers import DTYPES, KINDS, cloud, forest_on, hierarchies, scaled_in_curve_order, to_device, to_host
from norms_reference import BY_NAME

from emst.backend.partition_records import ListedEdges, Numbering, OpenEdges
from emst.backend.records import EUCLIDEAN
from emst.boruvka import spanning_forest


def on(ops, edges):
    return ListedEdges(*(None if column is None else to_device(ops, column) for column in edges))


def assert_same(found, expected):
    for ours, theirs in zip(found, expected):
        if theirs is None:
            assert ours is None
            continue
        assert to_host(ours).dtype == theirs.dtype
        np.testing.assert_array_equal(to_host(ours), theirs)


def forest_of(expected):
    """The forest with all edges of the tree."""
    forest = reference.join_duplicates(expected)
    spanning_forest(forest, lambda forest: reference.nearest_outgoing(expected, forest, None), reference)
    return forest


@functools.cache
def points_and_forest(kind, dtype, k):
    """For all shares of the edges."""
    x = cloud(1_300, 3, dtype, kind)
    index, _ = scaled_in_curve_order(x)
    if k > 1:
        reference.core_distances(index, k)
    return x, forest_of(index)


def listed(ops, x, k, norm=EUCLIDEAN, forest=None):
    """The rows of points by their places on the curve, places of the ends of the edges of the tree, and these edges by
    the caller's rows. `forest` is the one with all these edges, if it is known."""
    index, expected, order = hierarchies(ops, x, k, norm)
    forest, rows = forest_of(expected) if forest is None else forest, order.astype(np.int32)
    places, edges = ops.listed_edges(index, forest_on(ops, forest), to_device(ops, rows))
    wanted = reference.listed_edges(expected, forest, rows)
    np.testing.assert_array_equal(to_host(places), wanted[0])
    assert_same(edges, wanted[1])
    return rows, *wanted


def opened(rows, weight, power, places, numbering):
    """Edges with these rows, whose ends are the ids of places that may be beyond the partition."""
    start, kept, left_out = numbering
    ids = np.sort(places, axis=1).astype(np.int64)
    ids += start + (ids >= kept) * left_out
    return OpenEdges.of(*rows.T, *ids.T, weight, weight if power is None else power)


def at(edges, chosen):
    """Some of listed edges."""
    return ListedEdges(*(None if column is None else column[chosen] for column in edges))


def inserted(ops, edges, places, others, numbering):
    words = OpenEdges(to_device(ops, others.words))
    return ops.insert_edges(on(ops, edges), to_device(ops, places), words, numbering)


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [0, 0.02, 0.5, 1])
def test_edges_that_were_taken_out_go_back(ops, kind, dtype, k, share):
    numbering = Numbering(2**32 + 5, 40, 7)
    x, forest = points_and_forest(kind, dtype, k)
    _, places, edges = listed(ops, x, k, forest=forest)
    out = np.random.default_rng(5).random(len(places)) < share
    taken = at(edges, out)
    others = opened(taken.rows, taken.weight, taken.power, places[out], numbering)
    given = at(edges, ~out), places[~out], others, numbering
    found = inserted(ops, *given)
    assert_same(found, edges)
    assert_same(found, reference.insert_edges(*given))


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("norm", ["euclidean", "manhattan", "powers 3"])
def test_others_among_edges_of_the_same_keys(ops, k, norm):
    """Their ends decide: between those of the edges, equal to them, and where no point is. Some weights are new."""
    _, places, edges = listed(ops, cloud(400, 2, np.float64, "lattice"), k, BY_NAME[norm])
    g = np.random.default_rng(1)
    like = g.integers(0, len(places), 300)
    weight, of_distance = edges.weight[like], (edges.weight if edges.power is None else edges.power)[like]
    weight[::9] *= 1.5
    of_distance = np.minimum(of_distance, weight) if k > 1 else weight
    ends = np.sort(places[like] + g.integers(-3, 4, (300, 2)), axis=1).clip(0).astype(np.int32)
    ends[::7, 1] += 1000
    order = np.lexsort((ends[:, 1], ends[:, 0], of_distance, weight))
    rows_of = np.arange(600, dtype=np.int32).reshape(300, 2)
    numbering = Numbering(0, 400, 0)
    given = edges, places, opened(rows_of, weight[order], of_distance[order], ends[order], numbering), numbering
    assert_same(inserted(ops, *given), reference.insert_edges(*given))


@pytest.mark.parametrize("k", [1, 4])
def test_points_that_are_left_out(ops, k):
    """They follow the first points, which are equal; the edges of length 0 to them come behind those among these."""
    x = np.concatenate([np.zeros((6, 2)), 1 + cloud(300, 2, np.float64, "lattice")])
    rows, places, edges = listed(ops, x, k)
    first, zero = int(np.flatnonzero(rows == 0)[0]), np.zeros(9)
    numbering = Numbering(100, first + 6, 9)
    stars = np.stack([np.full(9, 100 + first), 100 + first + 6 + np.arange(9)], axis=1)
    of_rows = np.stack([np.zeros(9, np.int32), np.arange(1000, 1009, dtype=np.int32)], axis=1)
    others = OpenEdges.of(*of_rows.T, *stars.T, zero, zero)
    given = edges, places, others, numbering
    found = inserted(ops, *given)
    assert_same(found, reference.insert_edges(*given))
    np.testing.assert_array_equal(to_host(found.rows)[5:14], of_rows)


@pytest.mark.parametrize("n", [1, 2])
def test_hardly_any_points(ops, n):
    _, places, edges = listed(ops, cloud(n, 3, np.float64), 1)
    numbering = Numbering(4, n, 2)
    others = opened(np.array([[0, 7]], np.int32), np.zeros(1), None, np.array([[0, 9]]), numbering)
    given = edges, places, others, numbering
    assert_same(inserted(ops, *given), reference.insert_edges(*given))


def random_list(g, m, dtype, ties, powers, first_row):
    weight = (g.integers(0, ties, m) * np.finfo(dtype).smallest_subnormal * 1000).astype(dtype)
    power = np.where(g.random(m) < 0.5, weight, weight / 2).astype(dtype) if powers else weight
    order = np.lexsort((power, weight))
    rows = np.arange(first_row, first_row + 2 * m, dtype=np.int32).reshape(m, 2)
    return ListedEdges(rows, weight[order], power[order] if powers else None)


@pytest.mark.parametrize("powers", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ties", [1, 3, 10**6])
@pytest.mark.parametrize(("m", "k"), [(0, 0), (0, 5), (4, 0), (1, 1), (2304, 2304), (9000, 3), (20_000, 31_007)])
def test_lists_are_merged(ops, m, k, ties, dtype, powers):
    g = np.random.default_rng([m, k, ties])
    lists = random_list(g, m, dtype, ties, powers, 0), random_list(g, k, dtype, ties, powers, 2 * m)
    assert_same(ops.merge_edges(*(on(ops, one) for one in lists)), reference.merge_edges(*lists))


@pytest.mark.parametrize("swapped", [False, True])
def test_all_edges_of_one_list_come_first(ops, swapped):
    g = np.random.default_rng(0)
    one, other = random_list(g, 5_000, np.float32, 9, False, 0), random_list(g, 3_000, np.float32, 9, False, 10_000)
    other = other._replace(weight=other.weight + np.float32(1))
    lists = (other, one) if swapped else (one, other)
    assert_same(ops.merge_edges(*(on(ops, one) for one in lists)), reference.merge_edges(*lists))
