"""Many dimensions on the CPU: products decide which pairs are computed, and the tree is that of the walks."""

import math

import numba
import numpy as np
import pytest
from helpers import DTYPES
from scipy.spatial.distance import cdist

from emst import minimum_spanning_tree
from emst.cpu.points import engine, search
from emst.cpu.points.bvh import build_index
from emst.cpu.points.distances import distance_power
from emst.cpu.points.products import multiplied, multiply, product_bytes, row_scratch, rows_at_once
from emst.cpu.points.scan import limit_of, power_above
from emst.cpu.runtime.parallel import thread_count

N, D = 530, 30  # neither a multiple of 16
ALWAYS, NEVER = -1e18, 1e18  # time of the products


def lattice(g):
    return g.integers(0, 2, (N, D))


def few_directions(g):
    return np.eye(D)[g.integers(0, D, N)] * g.integers(1, 9, (N, 1))


def duplicates(g):
    return g.standard_normal((N // 10, D))[g.integers(0, N // 10, N)]


def blobs(g):
    return g.standard_normal((9, D))[g.integers(0, 9, N)] * 9 + g.standard_normal((N, D))


def embeddings(g):
    x = g.standard_normal((N, 4)) @ g.standard_normal((4, D)) + 0.01 * g.standard_normal((N, D))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def huge_beside_one(g):
    x = g.standard_normal((N, D))
    x[::50] *= 1e18
    return x


def subnormal(g):
    """Float32 numbers below the normal range; scaled up, they are ordinary."""
    return g.standard_normal((N, D)) * 1e-42


def tiny_beside_one(g):
    """Differences that vanish in float32 products."""
    x = g.standard_normal((N, D)) * 1e-22
    x[0] = 1
    return x


SETS = {
    "noise": lambda g: g.standard_normal((N, D)),
    "blobs": blobs,
    "lattice": lattice,
    "few directions": few_directions,
    "duplicates": duplicates,
    "all equal": lambda g: np.full((N, D), 0.1),
    "huge beside one": huge_beside_one,
    "subnormal": subnormal,
    "tiny beside one": tiny_beside_one,
    "far from the origin": lambda g: g.standard_normal((N, D)) + 1e6,
    "embeddings": embeddings,
}


def points_of(name, dtype):
    return SETS[name](np.random.default_rng(3)).astype(dtype)


def tree_with(monkeypatch, x, k, cost, exact=0.0):
    """The tree, with products that seem to cost `cost`, and how often they were prepared."""
    prepared = []

    def counted(index):
        prepared.append(index)
        return multiplied(index)

    monkeypatch.setattr(engine, "LEAST_POINTS", 2)
    monkeypatch.setattr(engine, "LISTING", 0.0)
    monkeypatch.setattr(engine, "PASSES", cost)
    monkeypatch.setattr(engine, "EXACT", exact)
    monkeypatch.setattr(engine, "multiplied", counted)
    monkeypatch.setattr(search, "LEAST_SEARCHED", 1)
    return minimum_spanning_tree(x, min_samples=k, device="cpu"), len(prepared)


def assert_same(a, b):
    np.testing.assert_array_equal(a.edges, b.edges)
    np.testing.assert_array_equal(a.weights, b.weights)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [1, 2, 16, 40, N])
@pytest.mark.parametrize("name", SETS)
def test_the_tree_is_that_of_the_walks(monkeypatch, name, k, dtype):
    x = points_of(name, dtype)
    walked, none = tree_with(monkeypatch, x, k, NEVER)
    multiplied, once = tree_with(monkeypatch, x, k, ALWAYS)
    assert_same(walked, multiplied)
    searched = k > 1 or name != "all equal"  # else equal points are joined before anything is searched
    assert (none, once) == (0, int(searched))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["noise", "blobs", "lattice", "duplicates"])
def test_ways_of_many_points(monkeypatch, name, dtype):
    """Searches begin with lists of neighbours, and a thread multiplies as few rows as it can at a time."""
    x = points_of(name, dtype)
    walked = {k: tree_with(monkeypatch, x, k, NEVER)[0] for k in (1, 5)}
    monkeypatch.setattr("emst.cpu.points.cached.LIST_FROM", 8)
    monkeypatch.setattr("emst.cpu.points.products.BLOCK", 1)
    for k, expected in walked.items():
        for cost in (NEVER, ALWAYS):
            assert_same(expected, tree_with(monkeypatch, x, k, cost)[0])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["huge beside one", "tiny beside one"])
def test_what_the_bound_cannot_separate_is_walked(monkeypatch, name, dtype):
    """The bound leaves nearly all pairs to be computed again. The products are not used, nor prepared a second time."""
    x = points_of(name, dtype)
    walked, _ = tree_with(monkeypatch, x, 5, NEVER)
    tried, once = tree_with(monkeypatch, x, 5, -0.5 * D, exact=10.0)
    assert_same(walked, tried)
    assert once == 1


@pytest.mark.parametrize("n", [2, 3, 17, 33, 100, 1000])
def test_any_number_of_points(monkeypatch, n):
    x = np.random.default_rng(n).standard_normal((n, 24))
    for k in {1, min(n, 7), n}:
        assert_same(tree_with(monkeypatch, x, k, NEVER)[0], tree_with(monkeypatch, x, k, ALWAYS)[0])


def test_which_is_chosen():
    """Noise in many dimensions is multiplied, points in few intrinsic dimensions of blobs far apart are walked."""
    used = []
    g = np.random.default_rng(0)
    noise = g.standard_normal((3000, 128))
    apart = np.repeat(g.standard_normal((100, 1, 128)) * 100, 30, axis=1) + g.standard_normal((100, 30, 128))
    for x in (noise, apart.reshape(3000, 128)):
        index = hierarchy(x)
        ids = np.arange(0, 3000, 30, dtype=np.int32)
        distance = np.sort(cdist(x[ids], x, "sqeuclidean"), axis=1)[:, 5]
        used.append(engine.products_of(index, 5, lambda pair=(ids, distance): pair) is not None)
    assert used == [True, False]


def hierarchy(x):
    return build_index(x, np.arange(len(x), dtype=np.int32), 1.0)


@numba.njit
def _all_bounds(products, d, ids, packed, values):
    multiply(products, d, ids, len(ids), packed, values)


@numba.njit
def _limits(products, values, n, row, u, blocks, space, below, above, powers):
    """Of all points: the limit within the power of their own distance, and the power above their upper bound."""
    at = row * len(products.above)
    for v in range(n):
        powers[v] = distance_power(blocks, space, u, v)
        below[v] = limit_of(products, u, np.float64(powers[v]))
        above[v] = power_above(products, u, values[at + v] + products.above[v], blocks)


def nasty(name, dtype, d):
    g = np.random.default_rng(d)
    x = g.standard_normal((40, d))
    if name == "scales":
        x *= 10.0 ** g.integers(-18, 18, (40, 1))
    elif name == "one outlier":
        x[7] += 1e15
    elif name == "far away":
        x += 1e6
    elif name == "one sign":
        x = np.abs(x) + 3
    elif name == "repeated":
        x[20:] = x[:20]
    elif name == "nearly equal":
        x = 1 + x * 1e-7
    elif name == "subnormal":
        x *= 1e-40
    elif name == "halfway":  # between two numbers of float32: the first points are rounded down, the others up
        x[:20] = 1 + 2.0**-24 * (1 - 1e-6)
        x[20:] = 2 + 2.0**-23 * (1 + 1e-6)
        x[::2] *= -1
    elif name == "lost":  # products are added to one that is so large that each of them gets lost
        x[:] = math.sqrt(0.49 * 2.0**-23)
        x[:, 0] = 1
        x[::2] *= -1
    return x.astype(dtype)


ONE = 2**1100  # every float is a multiple of 1 / ONE


def whole(numbers):
    """Floats as multiples of 1 / ONE: Python's integers, so that sums and products of them are exact."""

    def multiple(number):
        above, below = float(number).as_integer_ratio()
        return above * (ONE // below)

    return np.frompyfunc(multiple, 1, 1)(numbers)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [24, 127, 300])
@pytest.mark.parametrize(
    "name",
    [
        "normal", "scales", "one outlier", "far away", "one sign", "repeated", "nearly equal", "subnormal", "halfway",
        "lost",
    ],
)  # fmt: skip
def test_the_bound_against_exact_arithmetic(name, d, dtype):
    """Every inequality of `products`, in whole numbers: the square of a length counts units of ONE^-2."""
    index = hierarchy(nasty(name, dtype, d))
    products, n = multiplied(index), index.n
    size = len(products.start)
    ids = np.arange(0, n, 3, dtype=np.int32)
    packed, values = row_scratch(n, d, size)
    _all_bounds(products, d, ids, packed, values)
    columns = products.columns.reshape(-1, d, 16).transpose(0, 2, 1).reshape(-1, d)
    rounded, rho, above = whole(columns[:n]), whole(products.rho[:n]), whole(products.above[:n])
    center, scale, c = whole(index.points().mean(0, dtype=np.float64)), whole(products.scale), whole(products.c)
    exact = (whole(index.points()) - center) * scale
    assert np.all(((exact - rounded * ONE) ** 2).sum(1) <= (rho * ONE) ** 2)
    squares, both = (rounded**2).sum(1), rounded[ids] @ rounded.T
    below, limit = np.empty(n, np.float32), np.empty(n, dtype)
    powers = np.empty(n, dtype)
    for row, u in enumerate(ids.tolist()):
        _limits(products, values, n, row, u, index.nodes.blocks, index.space, below, limit, powers)
        a = values[row * size : row * size + n]
        square, distance = squares[u], squares[u] + squares - 2 * both[row]  # exact, as all of this is
        assert np.all((whole(a) - above) * ONE**2 <= distance * ONE - (ONE - c) * square)
        assert np.all(distance * ONE - (ONE + c) * square <= (whole(a) + above) * ONE**2)
        assert np.all(distance * ONE - (ONE - c) * square <= whole(below) * ONE**2)  # without the slack for products
        assert np.all(a - products.above[:n] <= below)  # within its own distance, every point is listed
        assert np.all(powers <= limit)
    assert np.isnan(products.start[n:]).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_bound_separates(dtype):
    """It is narrow: of points in many dimensions, few that are not nearest have to be computed again."""
    x = np.random.default_rng(0).standard_normal((2000, 768)).astype(dtype)
    index = hierarchy(x)
    products, ids = multiplied(index), np.arange(40, dtype=np.int32)
    radius = np.sort(cdist(x[ids], x, "sqeuclidean"), axis=1)[:, 16].astype(dtype)
    scratch = row_scratch(index.n, index.d, len(products.start))
    within = np.zeros(1, np.int64)
    engine._count_within(scratch, products, ids, radius, ids, False, index.d, within, 40, 0, 40)
    assert 40 * 17 <= within[0] <= 40 * 18


def test_rows_fit_their_scratch():
    for n in (2, 100, 5000, 100_000, 10**8):
        rows = rows_at_once(n)
        assert 1 <= rows <= 96
        assert product_bytes(n, 24, np.float32, 3) >= n * 24 * 8 + 3 * rows * n * 4
    assert math.isclose(product_bytes(10**6, 384, np.float32, thread_count()) / (10**6 * 384), 8, rel_tol=0.2)
