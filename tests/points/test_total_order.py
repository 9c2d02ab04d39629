"""The laws of the design, each held to the last bit."""

import math
import time

import numpy as np
import pytest
import reference
from helpers import DTYPES, KINDS, cloud, expected_tree, hierarchies, to_host

import emst
from emst.boruvka import spanning_forest


def tree(ops, x, k=1):
    return emst.minimum_spanning_tree(x, min_samples=k, device=ops.name)


def assert_same_bits(a, b):
    np.testing.assert_array_equal(a.edges, b.edges)
    np.testing.assert_array_equal(a.weights, b.weights)
    if a.core_distances is not None:
        np.testing.assert_array_equal(a.core_distances, b.core_distances)


# One order on edges: nothing but the points decides.


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_repeated_runs_are_identical(ops, kind, k):
    x = cloud(20_000, 3, np.float32, kind)
    first = tree(ops, x, k)
    for _ in range(4):
        assert_same_bits(tree(ops, x, k), first)


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [2, 3, 20])
def test_the_number_of_threads_changes_nothing(d, kind, k):
    numba = pytest.importorskip("numba")
    x = cloud(3_000 if d == 20 else 20_000, d, np.float64, kind)
    before = numba.get_num_threads()
    trees = []
    try:
        for threads in {1, min(2, before), before}:
            numba.set_num_threads(threads)
            trees.append(emst.minimum_spanning_tree(x, min_samples=k, device="cpu"))
    finally:
        numba.set_num_threads(before)
    for other in trees[1:]:
        assert_same_bits(other, trees[0])


@pytest.mark.gpu
@pytest.mark.parametrize("k", [1, 2, 6])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 2, 3, 4, 7, 20, 70])
@pytest.mark.parametrize("kind", KINDS)
def test_cpu_and_gpu_give_the_same_bits(kind, d, dtype, k):
    x = cloud(2_000 if d > 7 else 30_000, d, dtype, kind)
    cpu, cuda = (emst.minimum_spanning_tree(x, min_samples=k, device=device) for device in ("cpu", "cuda"))
    assert (cpu.device, cuda.device) == ("cpu", "cuda")
    assert_same_bits(cuda, cpu)


@pytest.mark.parametrize("k", [1, 2, 9])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(40, 40), (12, 11, 10), (6, 6, 6, 6), (900,)])
def test_lattices_full_of_ties(ops, shape, dtype, k):
    """Every edge of the tree ties with hundreds of others; only ids decide."""
    x = np.indices(shape).reshape(len(shape), -1).T.astype(dtype)
    x = x[np.random.default_rng(0).permutation(len(x))]
    ours = tree(ops, x, k)
    edges, weights = expected_tree(x, k)
    np.testing.assert_array_equal(ours.edges, edges)
    np.testing.assert_array_equal(ours.weights, weights)
    if k == 1:
        assert (ours.weights == 1).all()


def test_points_on_a_circle_around_one(ops):
    """All pairs with the centre tie, and so do all neighbours on the circle."""
    angle = 2 * np.pi * np.arange(64) / 64
    x = np.concatenate([np.zeros((1, 2)), np.stack([np.cos(angle), np.sin(angle)], axis=1)])
    edges, weights = expected_tree(x)
    ours = tree(ops, x)
    np.testing.assert_array_equal(ours.edges, edges)
    np.testing.assert_array_equal(ours.weights, weights)


# Duplicates are joined first.


@pytest.mark.parametrize("k", [1, 5])
def test_a_million_equal_points_take_a_moment(ops, k):
    x = np.full((1_000_000, 3), 0.1, np.float32)
    tree(ops, x[:1000], k)  # compiles
    rounds = []
    for n in (50_000, 1_000_000):  # what is quadratic fails at the first and does not hang at the second
        start = time.perf_counter()
        ours = emst.minimum_spanning_tree(
            x[:n], min_samples=k, device=ops.name, report=lambda *seen: rounds.append(seen)
        )
        assert time.perf_counter() - start < 5
    assert rounds == []  # they were one component before the first search
    np.testing.assert_array_equal(ours.edges[:, 0], 0)
    np.testing.assert_array_equal(ours.edges[:, 1], np.arange(1, len(x)))
    assert not ours.weights.any()


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("d", [2, 3])
def test_a_few_places_with_many_points_each(ops, d, k):
    g = np.random.default_rng(d)
    places = g.random((200, d))
    x = places[np.minimum(g.zipf(1.3, 100_000) - 1, 199)]
    held = np.unique(x, axis=0)
    ours = tree(ops, x, k)
    assert len(ours.edges) == len(x) - 1
    if k == 1:
        assert (ours.weights > 0).sum() == len(held) - 1
        np.testing.assert_array_equal(ours.weights[-(len(held) - 1) :], tree(ops, held).weights)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_minus_zero_is_zero(ops, zero):
    x = np.array([[0.0, 1.0], [zero, 1.0], [5.0, zero], [5.0, 0.0]])
    np.testing.assert_array_equal(tree(ops, x).weights[:2], [0, 0])


# Squared inside, one root at the exit; exact at any place and in any unit.


def exact_weights(whole, unit):
    """Kruskal on integers: exact squared distances, one correctly rounded root."""
    whole = [tuple(int(c) for c in row) for row in whole]
    n = len(whole)
    pairs = sorted(
        (sum((a - b) ** 2 for a, b in zip(whole[i], whole[j])), i, j) for i in range(n) for j in range(i + 1, n)
    )
    parent = list(range(n))

    def root(i):
        while parent[i] != i:
            i = parent[i]
        return i

    weights = []
    for squared, i, j in pairs:
        if (a := root(i)) != (b := root(j)):
            parent[a] = b
            weights.append(math.isqrt(squared << 80) / 2**40 * unit)
    return np.array(weights)


@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_float64_is_exact_a_million_away_from_the_origin(ops, d):
    """Coordinates are multiples of 2^-30 just above 1e6: representable, and far below float32's resolution there."""
    unit = 2.0**-30
    whole = np.random.default_rng(d).integers(0, 2**24, (300, d))  # squares below 2^53: every distance is exact
    near, far = whole * unit, whole * unit + 1e6
    assert ((far - 1e6) == near).all()
    ours = tree(ops, far)
    np.testing.assert_allclose(ours.weights, exact_weights(whole, unit), rtol=2**-51)  # roots: ours and its own
    assert_same_bits(ours, tree(ops, near))


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("exponent", [-100, -10, 10, 100])
@pytest.mark.parametrize("kind", KINDS)
def test_a_power_of_two_changes_nothing(ops, kind, exponent, dtype, k):
    x = cloud(500, 3, dtype, kind)
    one, other = tree(ops, x, k), tree(ops, np.ldexp(x, exponent), k)
    np.testing.assert_array_equal(other.edges, one.edges)
    np.testing.assert_array_equal(other.weights, np.ldexp(one.weights, exponent))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("extent", [1e-30, 1e30])
@pytest.mark.parametrize("d", [2, 3, 7])
def test_tiny_and_huge_extents(ops, d, extent, dtype):
    x = ((cloud(500, d, np.float64) - 0.5) * extent).astype(dtype)
    ours = tree(ops, x)
    edges, weights = expected_tree(x)
    np.testing.assert_array_equal(ours.edges, edges)
    np.testing.assert_array_equal(ours.weights, weights)
    assert np.isfinite(ours.weights).all()
    assert (ours.weights > 0).all()
    exponent = round(np.log2(extent))  # prim's squares must not vanish, and a power of two moves no bit
    expected = np.ldexp(reference.prim(np.ldexp(x.astype(np.float64), -exponent)), exponent)
    np.testing.assert_allclose(ours.weights, expected, rtol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_whole_range_of_the_type(ops, dtype):
    greatest = float(np.finfo(dtype).max) / 4
    x = np.array([[-greatest, 0], [greatest, 0], [0, greatest], [0, 0], [greatest / 2, 0]], dtype)
    ours = tree(ops, x)
    np.testing.assert_allclose(ours.weights.astype(float) / greatest, [0.5, 0.5, 1, 1], rtol=1e-6)


# Chains: nothing may walk along them.


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_chain_with_growing_gaps(ops, dtype):
    """Every point's nearest is the one before it: one round joins a chain as long as the input."""
    n = 4_000 if dtype == np.float32 else 200_000  # whole numbers that the type holds exactly
    x = np.cumsum(np.arange(n)).astype(dtype)[:, None]
    rounds = []
    x_shuffled = x[np.random.default_rng(0).permutation(n)]
    ours = emst.minimum_spanning_tree(x_shuffled, device=ops.name, report=lambda *seen: rounds.append(seen))
    np.testing.assert_array_equal(ours.weights, np.arange(1, n))
    assert rounds == [(1, 1)]


@pytest.mark.parametrize("d", [2, 3])
def test_a_chain_whose_gaps_grow_geometrically(ops, d):
    """From 2^-400 to 1: distances far below the extent still have a square."""
    steps = np.ldexp(1.0, np.arange(-400, 0))
    x = np.zeros((401, d))
    x[1:, 0] = np.cumsum(steps)
    x[:, 1] = x[:, 0]
    edges, weights = expected_tree(x)
    ours = tree(ops, x)
    np.testing.assert_array_equal(ours.edges, edges)
    np.testing.assert_array_equal(ours.weights, weights)


def test_rounds_halve_the_components(ops):
    x = cloud(5_000, 2, np.float32)
    bvh, _, _, _ = hierarchies(ops, x)
    forest = ops.join_duplicates(bvh)
    answers = ops.cache_neighbours(bvh, forest)
    left = [forest.count]

    def lightest(forest):
        ops.label_nodes(bvh, forest)
        ops.upper_bounds(bvh, forest, answers)
        ops.nearest_outgoing(bvh, forest, answers)

    spanning_forest(forest, lightest, ops, lambda _, components: left.append(components))
    assert left[-1] == 1
    assert all(after <= before // 2 for before, after in zip(left, left[1:]))


def test_far_points_cost_nothing_and_change_nothing(ops):
    """Three outliers would leave 200,000 points in one cell of the curve's grid, and every search with all of them."""
    x = cloud(200_000, 3, np.float64)
    x[:3] = [[1e12, 0, 0], [-1e12, 1e12, 0], [0, 0, -1e12]]
    tree(ops, x[:20_000])  # compiles
    start = time.perf_counter()
    ours = tree(ops, x)
    assert time.perf_counter() - start < 10  # without care for outliers: minutes
    near = tree(ops, x[3:])
    np.testing.assert_array_equal(np.sort(to_host(near.weights)), to_host(ours.weights)[:-3])


@pytest.mark.parametrize("k", [1, 5])
def test_many_equal_points_of_two_kinds_in_one_cell(ops, k):
    """Their copies alternate on the curve, so they are no runs that could be joined beforehand."""
    x = np.random.default_rng(0).random((80_000, 2))
    x[::2] = np.where(np.random.default_rng(1).random((40_000, 1)) < 0.5, 0.3, 0.1 + 0.2)
    tree(ops, x[:20_000], k)  # compiles
    start = time.perf_counter()
    ours = tree(ops, x, k)
    assert time.perf_counter() - start < 5  # were it quadratic: half a minute
    assert (to_host(ours.weights)[:39_998] == 0).all()


@pytest.mark.parametrize("k", [1, 3])
def test_subnormal_squares_count(ops, k):
    """Beside a point at 1e8 the others lie so close that in float32 their squares, scaled, are subnormal."""
    x = np.concatenate([np.random.default_rng(0).random((200, 2)) * 1e-29, [[1e8, 1e8]]]).astype(np.float32)
    ours = tree(ops, x, k)
    edges, weights = expected_tree(x, k)
    np.testing.assert_array_equal(to_host(ours.edges), edges)
    np.testing.assert_array_equal(to_host(ours.weights), weights)
    assert len(np.unique(weights)) > 10
