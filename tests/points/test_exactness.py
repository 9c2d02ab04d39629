"""Weights are exact: squared distances until one final root, at any place and in any unit, without overflow."""

import math

import numpy as np
import pytest
import reference
from helpers import DTYPES, KINDS, assert_same_bits, cloud, expected_tree, to_host, tree


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
    np.testing.assert_allclose(ours.weights, exact_weights(whole, unit), rtol=2**-51)  # both roots are rounded
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
    exponent = round(np.log2(extent))  # prim's squares must not underflow; a power of two is exact
    expected = np.ldexp(reference.prim(np.ldexp(x.astype(np.float64), -exponent)), exponent)
    np.testing.assert_allclose(ours.weights, expected, rtol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_full_range_of_the_type(ops, dtype):
    greatest = float(np.finfo(dtype).max) / 4
    x = np.array([[-greatest, 0], [greatest, 0], [0, greatest], [0, 0], [greatest / 2, 0]], dtype)
    ours = tree(ops, x)
    np.testing.assert_allclose(ours.weights.astype(float) / greatest, [0.5, 0.5, 1, 1], rtol=1e-6)


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


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("extent", [1e-29, 1e-31])
def test_subnormal_squares_count(ops, extent, k):
    """Beside a point at 1e8 the others lie so close that in float32 their squares, scaled, are subnormal. Within the
    lesser extent, those of the nearest points vanish."""
    x = np.concatenate([np.random.default_rng(0).random((200, 2)) * extent, [[1e8, 1e8]]]).astype(np.float32)
    ours = tree(ops, x, k)
    edges, weights = expected_tree(x, k)
    np.testing.assert_array_equal(to_host(ours.edges), edges)
    np.testing.assert_array_equal(to_host(ours.weights), weights)
    assert len(np.unique(weights)) > 10
