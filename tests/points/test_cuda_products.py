"""Many dimensions on the GPU: products of halves decide which pairs are computed, and the tree is that of all pairs."""

import importlib
from fractions import Fraction

import numpy as np
import pytest
from helpers import DTYPES

import emst

pytestmark = pytest.mark.gpu
N, D = 2_300, 70  # neither a multiple of a tile or a chunk


@pytest.fixture
def products():
    """The module, which needs CuPy."""
    return pytest.importorskip("emst.cuda.points.products")


def blobs(g):
    return g.standard_normal((9, D))[g.integers(0, 9, N)] * 9 + g.standard_normal((N, D))


def tight_and_wide(g):
    """Blobs so tight that halves cannot tell their points apart."""
    scale = np.where(np.arange(N) % 3 == 0, 1e-5, 1.0)
    return g.standard_normal((5, D))[g.integers(0, 5, N)] * 50 + g.standard_normal((N, D)) * scale[:, None]


def huge_beside_one(g):
    x = g.standard_normal((N, D))
    x[::50] *= 1e18
    return x


def embeddings(g):
    x = g.standard_normal((N, 8)) @ g.standard_normal((8, 4 * D)) + 0.01 * g.standard_normal((N, 4 * D))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


SETS = {
    "noise": lambda g: g.standard_normal((N, D)),
    "blobs": blobs,
    "tight and wide": tight_and_wide,
    "lattice": lambda g: g.integers(0, 2, (N, D)),
    "few directions": lambda g: np.eye(D)[g.integers(0, D, N)] * g.integers(1, 9, (N, 1)),
    "duplicates": lambda g: g.standard_normal((N // 10, D))[g.integers(0, N // 10, N)],
    "all equal": lambda g: np.full((N, D), 0.1),
    "huge beside one": huge_beside_one,
    "subnormal": lambda g: g.standard_normal((N, D)) * 1e-42,
    "heavy tails": lambda g: g.standard_normal((N, D)) * np.exp(3 * g.standard_normal((N, 1))),
    "axes in different units": lambda g: g.standard_normal((N, D)) * 10.0 ** g.integers(-6, 6, D),
    "far from the origin": lambda g: g.standard_normal((N, D)) + 1e6,
    "embeddings": embeddings,
}


def points_of(name, dtype):
    return SETS[name](np.random.default_rng(3)).astype(dtype)


def compare_all_pairs(monkeypatch):
    """From here on, without products."""
    engine = importlib.import_module("emst.cuda.points.engine")
    monkeypatch.setattr(engine, "all_pairs_engine", lambda n, d, norm: engine.Engine.PAIRS)


def tree_of(x, k):
    return emst.minimum_spanning_tree(x, min_samples=k, device="cuda")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [1, 2, 16, 32, 33, 200])  # lists up to 32; at 200 the groups of a sample are too few
@pytest.mark.parametrize("name", SETS)
def test_the_tree_is_that_of_all_pairs(monkeypatch, products, name, k, dtype):
    x = points_of(name, dtype)
    prepared = []
    monkeypatch.setattr(importlib.import_module("emst.cuda.points.bvh"), "FEW_POINTS", 0)
    monkeypatch.setattr(products, "Products", counted(products.Products, prepared))
    multiplied = tree_of(x, k)
    searched = 1 < k < 200 or name != "all equal"  # else equal points are joined before anything is searched
    assert len(prepared) == searched
    compare_all_pairs(monkeypatch)
    expected = tree_of(x, k)
    np.testing.assert_array_equal(multiplied.edges, expected.edges)
    np.testing.assert_array_equal(multiplied.weights, expected.weights)
    np.testing.assert_array_equal(multiplied.core_distances, expected.core_distances)


def counted(make, made):
    def products(index):
        made.append(make(index))
        return made[-1]

    return products


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [40, 384])
def test_crowds_that_nearly_touch(monkeypatch, products, d, dtype):
    """Pairs of blobs of more points than there are places, which halves cannot tell apart. The other blob of a pair
    lies just beyond the reach of their points: its tiles are left out, whichever pass looks."""
    g = np.random.default_rng(0)
    across, along = np.linalg.qr(g.standard_normal((d, 2)))[0].T
    centres = [side * across + 8e-3 * other * along for side in (-1, 1) for other in (0, 1)]
    x = np.concatenate([centre + 1e-6 * g.standard_normal((1_152, d)) for centre in centres]).astype(dtype)
    monkeypatch.setattr(importlib.import_module("emst.cuda.points.bvh"), "FEW_POINTS", 0)
    multiplied = tree_of(x, 5)
    compare_all_pairs(monkeypatch)
    expected = tree_of(x, 5)
    np.testing.assert_array_equal(multiplied.edges, expected.edges)
    np.testing.assert_array_equal(multiplied.core_distances, expected.core_distances)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SETS)
def test_small_parts_and_no_room(monkeypatch, products, name, dtype):
    """Points are taken in parts of one tile, and lists of many candidates have no room: then all pairs are compared."""
    x = points_of(name, dtype)
    expected = tree_of(x, 16)
    monkeypatch.setattr(products, "PART_BYTES", 1 << 12)
    tree = tree_of(x, 16)
    np.testing.assert_array_equal(tree.edges, expected.edges)
    np.testing.assert_array_equal(tree.weights, expected.weights)


def test_two_stages_of_shared_memory(monkeypatch, products):
    """As on GPUs that have less of it."""
    x = points_of("blobs", np.float32)
    expected = tree_of(x, 16)
    monkeypatch.setattr(products, "stages", lambda: 2)
    np.testing.assert_array_equal(tree_of(x, 16).edges, expected.edges)


@pytest.mark.parametrize("d", [40, 1_000])
def test_long_lists(monkeypatch, products, d):
    """Of the 200 nearest points, only the distance of the last is needed."""
    g = np.random.default_rng(1)
    x = np.concatenate([g.standard_normal((9_000, d)), 1e-3 * g.standard_normal((4_000, d))]).astype(np.float32)
    tree = tree_of(x, 200)
    compare_all_pairs(monkeypatch)
    expected = tree_of(x, 200)
    np.testing.assert_array_equal(tree.core_distances, expected.core_distances)
    np.testing.assert_array_equal(tree.edges, expected.edges)


@pytest.mark.parametrize(("kind", "multiplied"), [("noise", True), ("blobs", False)])
def test_a_look_at_the_points_decides(monkeypatch, products, kind, multiplied):
    """In 20 dimensions boxes exclude much of blobs, and nothing of noise."""
    g, n, d = np.random.default_rng(2), 9_000, 20
    x = g.standard_normal((n, d))
    if kind == "blobs":
        x += 100 * g.standard_normal((40, d))[g.integers(0, 40, n)]
    prepared = []
    monkeypatch.setattr(products, "Products", counted(products.Products, prepared))
    tree = tree_of(x, 5)
    assert bool(prepared) == multiplied
    expected = emst.minimum_spanning_tree(x, min_samples=5, device="cpu")
    np.testing.assert_array_equal(tree.edges, expected.edges)
    np.testing.assert_array_equal(tree.weights, expected.weights)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SETS)
def test_the_bound_holds_in_rational_numbers(monkeypatch, products, name, dtype):
    """rho, upper bounds of distances to the nearest point of a group, and which points are within reach."""
    x = points_of(name, dtype)
    seen = {}
    launch = products.launch

    def watched(room, kernel, threads, *args, **options):
        if kernel == "reach_of_rank":
            launch(room, kernel, threads, *args, **options)
            seen["nearest"], seen["reach"] = args[0].get(), args[-1].get()
            return
        if kernel.startswith("nearest_of_candidates"):
            seen["found"], seen["candidates"] = args[4].get(), args[5].view(np.int32).get()
        if kernel == "spread_columns":
            launch(room, kernel, threads, *args, **options)
            seen["columns"] = args[-1].get()
            return
        launch(room, kernel, threads, *args, **options)

    class Watched(products.Products):
        def __init__(self, index):
            super().__init__(index)
            seen["points"], seen["products"] = index.points().get(), self

    monkeypatch.setattr(products, "launch", watched)
    monkeypatch.setattr(products, "Products", Watched)
    tree_of(x, 16)
    made = seen["products"]
    halves = whole_numbers(made.halves.get()[:N, : x.shape[1]].view(np.float16))
    rho, scale = made.rho.get(), exact(made.bounds.view(np.float64)[0])
    moved = np.vectorize(exact, otypes=[object])
    centre, points = moved(made.centre.get()), seen["points"]
    for u in np.random.default_rng(0).choice(N, 8, replace=False):
        assert sum(((moved(points[u]) - centre) * scale - halves[u] / UNIT) ** 2) <= exact(rho[u]) ** 2
        squares = ((halves - halves[u]) ** 2).sum(axis=1) / UNIT**2  # of the distances to all halves

        def within(v, distance, squares=squares):
            return distance >= 0 and squares[v] <= distance**2

        for bound, group in zip(seen["nearest"][u], seen["columns"].reshape(-1, products.GROUP)):
            assert any(within(v, exact(bound) - exact(rho[v])) for v in group)
        found, reach = seen["found"][u], exact(seen["reach"][u, 0])
        near = {v for v in range(N) if within(v, reach + exact(rho[v]))}
        assert len(near) > 16
        assert found >= len(near)
        if found <= seen["candidates"].shape[1]:
            assert near <= set(seen["candidates"][u, :found, 0].tolist())


def test_parts_that_tie(monkeypatch, products):
    """Where all pairs are compared, parts of the points interleave: the first of equal ones may be in any of them."""
    x = np.random.default_rng(0).integers(0, 2, (70_000, 40)).astype(np.float32)
    multiplied = tree_of(x, 1)
    compare_all_pairs(monkeypatch)
    np.testing.assert_array_equal(tree_of(x, 1).edges, multiplied.edges)


UNIT = Fraction(2**24)  # halves that are not subnormal are multiples of 1 / UNIT


def whole_numbers(halves):
    """Halves times UNIT, as Python's integers."""
    whole = halves.astype(np.float64) * float(UNIT)
    assert (whole == np.rint(whole)).all()
    return whole.astype(np.int64).astype(object)


def exact(number):
    return Fraction(float(number))
