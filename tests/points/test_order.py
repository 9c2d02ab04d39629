"""The order of points along a Hilbert curve that adapts to them, and places of new points in it."""

import importlib

import numpy as np
import pytest
import reference
from helpers import DIMENSIONS, DTYPES, KINDS, cloud, scale_and_order, to_device, to_host

from emst import cpu
from emst.backend.records import CROWD


def heavy_tailed(n, d, spread):
    return np.exp(spread * np.random.default_rng(d).standard_normal((n, d)))


CROWDED = {
    "outliers": lambda: np.r_[cloud(300, 3, np.float64), [[1e12, 0, 0], [-1e12, 1e12, 0], [0, 0, -1e12]]],
    "heavy tails": lambda: heavy_tailed(500, 2, 7),
    "heavy tails, 27 axes": lambda: heavy_tailed(300, 27, 5),
    "heavy tails, 90 axes": lambda: heavy_tailed(150, 90, 3),
    "axes in different units": lambda: cloud(300, 4, np.float64) * [1, 1e-6, 1e3, 1e9],
    "halved again and again": lambda: np.ldexp(1.0, -np.arange(700))[:, None],
    "halved again and again, 40 axes": lambda: cloud(300, 40, np.float64) * np.ldexp(1.0, -np.arange(300))[:, None],
    "repeated in a crowd": lambda: np.r_[np.zeros((40, 2)), np.full((30, 2), 1e-9), cloud(60, 2, np.float64)],
    "subnormal": lambda: cloud(60, 3, np.float64) * 1e-310,
    "zeros among subnormal": lambda: np.r_[np.zeros((40, 2)), cloud(40, 2, np.float64) * 1e-310, np.ones((1, 2))],
    "equal": lambda: np.full((100, 3), 7.5),
    "few": lambda: cloud(CROWD, 2, np.float64),
    "one more": lambda: cloud(CROWD + 1, 2, np.float64),
}


def check_order(ops, x):
    """Compare the order, its cells and the places of queries with the reference; return the levels."""
    with np.errstate(over="ignore"):
        scale, rows = scale_and_order(x)
    ours, expected = ops.curve_order(to_device(ops, x), scale, keep=True), reference.curve_order(x, scale, keep=True)
    np.testing.assert_array_equal(to_host(ours.rows), rows)
    assert to_host(ours.rows).dtype == np.int32
    for name in ("level", "first", "end", "start", "codes", "place"):
        np.testing.assert_array_equal(to_host(getattr(ours.cells, name)), getattr(expected.cells, name))
    between = (x[:50] / 2 + x[::-1][:50] / 2).astype(x.dtype)
    queries = np.r_[x[::3], between, -x[:5], x[:5] * x.dtype.type(1.5)]
    places = ops.curve_places(ours.cells, to_device(ops, queries), scale)
    for found, wanted in zip(places, reference.curve_places(expected.cells, queries, scale)):
        np.testing.assert_array_equal(to_host(found), wanted)
    return len(expected.cells.level) - 1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [*DIMENSIONS, 64, 65])
def test_order_equals_the_reference(ops, d, dtype):
    for kind in KINDS:
        check_order(ops, cloud(150, d, dtype, kind))


@pytest.mark.parametrize("n", [CROWD + 1, 3_000, 20_000])
@pytest.mark.parametrize("d", [2, 3, 40])
@pytest.mark.parametrize("kind", KINDS)
def test_an_order_that_began_with_the_statistics(ops, kind, d, n):
    """A GPU computes codes before it knows the scale. What has begun is used once, and only for the same points."""
    x = cloud(n, d, np.float32, kind) * np.float32(1e-30)
    scale, rows = scale_and_order(x)
    points = to_device(ops, x)
    box = ops.point_statistics(points, ordered=True).box
    other = to_device(ops, np.ascontiguousarray(x[::-1]))
    np.testing.assert_array_equal(to_host(ops.curve_order(other, scale, box=box).rows), scale_and_order(x[::-1])[1])
    for _ in range(2):
        np.testing.assert_array_equal(to_host(ops.curve_order(points, scale, box=box).rows), rows)


@pytest.mark.parametrize("share", [1.0, 0.5, 0.05])
@pytest.mark.parametrize("n, d", [(100, 90), (11_000, 90), (11_000, 200)])
def test_an_order_that_began_with_points_that_are_not_finite(ops, n, d, share):
    """A GPU begins before it knows. An axis without a number has a place of its own in the grid, too."""
    x = cloud(n, d, np.float32)
    bad = np.random.default_rng(0).random((n, d)) < share
    x[bad] = np.random.default_rng(1).choice(np.array([np.nan, -np.nan, np.inf, -np.inf], np.float32), bad.sum())
    assert ops.point_statistics(to_device(ops, x), ordered=True).bad == (~np.isfinite(x).all(axis=1)).sum()
    if ops.name == "cpu":
        return
    import cupy

    order = importlib.import_module("emst.cuda.points.order")
    corners = importlib.import_module("emst.cuda.points.corners").corners_of(to_device(ops, x))
    grids = order._grids(corners, 1, d, 1.0, keep=True)
    axes, used = grids.axes.get()[0], int(grids.used[0])
    assert 1 <= used <= len(axes)
    assert len(set(axes[:used].tolist())) == used and (axes >= 0).all() and (axes < d).all()
    cupy.cuda.Device().synchronize()


@pytest.mark.parametrize("kind", CROWDED)
def test_crowded_cells_are_divided(ops, kind):
    levels = check_order(ops, CROWDED[kind]())
    at_least = {"halved again and again": 20, "few": 0, "equal": 1, "one more": 1, "axes in different units": 1}
    at_least["halved again and again, 40 axes"] = 51
    assert levels >= at_least.get(kind, 2 if "subnormal" not in kind else 1)


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("kind", [*CROWDED, *KINDS, "pairs", "crowds"])
def test_order_without_cells_is_the_same(ops, kind):
    """Sorted by as many of the highest bits as a sample of the codes asks for."""
    near = np.random.default_rng(1).standard_normal((3_000, 2))
    if kind == "pairs":  # short runs of codes that agree in all but the last bits
        x = np.r_[near, near + 1e-8]
    elif kind == "crowds":  # long ones, some of which repeat points
        x = np.r_[near, np.repeat(near[:20], 30, axis=0) + 1e-8 * np.arange(600)[:, None].clip(300)]
    else:
        x = CROWDED[kind]() if kind in CROWDED else cloud(400, 3, np.float64, kind)
    for points in (x, x.astype(np.float32)):
        with np.errstate(over="ignore"):
            scale, rows = scale_and_order(points)
        gone = []  # rows with which the next stage may have begun
        found = ops.curve_order(
            to_device(ops, points), scale, ahead=lambda early, gone=gone: gone.append(to_host(early).copy())
        )
        np.testing.assert_array_equal(to_host(found.rows), rows)
        for early in gone:
            np.testing.assert_array_equal(np.sort(early), np.arange(len(points)))
        for last in gone[-1:]:
            np.testing.assert_array_equal(last, rows)


def test_crowded_cells_in_float32(ops):
    check_order(ops, heavy_tailed(400, 3, 4).astype(np.float32))
    check_order(ops, np.r_[np.zeros((40, 2)), cloud(40, 2, np.float64) * 1e-42].astype(np.float32))


def test_a_cell_beside_which_others_are_huge_is_not_divided(ops):
    """A grid of so small an extent would have infinitely many cells a unit."""
    assert check_order(ops, np.r_[cloud(60, 2, np.float64) * 1e-170, [[1e300, 1e300]]]) == 2


@pytest.mark.parametrize("n", [40_000, 300_000])
def test_large_cells_equal_small_ones(ops, n):
    """Cells that all threads divide together, and a second level of such cells."""
    x = cloud(n, 2, np.float64)
    scale, order = 1.0, to_host(ops.curve_order(to_device(ops, x), 1.0).rows)
    far = np.r_[x, [[1e12, 1e12]]]
    np.testing.assert_array_equal(to_host(ops.curve_order(to_device(ops, far), scale).rows), [*order, n])


@pytest.mark.parametrize("grain", [17, 64, 257])
@pytest.mark.parametrize("kind", ["outliers", "heavy tails", "axes in different units", "repeated in a crowd"])
def test_order_does_not_depend_on_how_the_cpu_cuts_its_work(kind, grain, monkeypatch):
    """Runs of equal codes that reach over several parts, and cells that all threads divide together."""
    x = np.repeat(CROWDED[kind](), 3, axis=0)[np.random.default_rng(0).permutation(3 * len(CROWDED[kind]()))]
    scale, expected = scale_and_order(x)
    np.testing.assert_array_equal(cpu.curve_order(x, scale).rows, expected)
    monkeypatch.setattr("emst.cpu.points.order.LARGE", 100)
    monkeypatch.setattr("emst.cpu.points.order.grain_for", lambda *_: grain)
    np.testing.assert_array_equal(cpu.curve_order(x, scale).rows, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("extent", [1e-30, 1.0, 1e30])
def test_order_does_not_depend_on_the_unit(ops, extent, dtype):
    x = (cloud(300, 2, np.float64, "uneven") - 0.5).astype(dtype)
    power = dtype(2.0 ** round(np.log2(extent)))
    one, other = (to_host(ops.curve_order(to_device(ops, y), scale_and_order(y)[0]).rows) for y in (x, x * power))
    np.testing.assert_array_equal(one, other)


def test_equal_points_are_neighbours_however_crowded(ops):
    """Also where they are far from the rest, in cells that are divided several times."""
    x = heavy_tailed(400, 2, 9)[np.random.default_rng(0).integers(0, 40, 4_000)]
    rows = to_host(ops.curve_order(to_device(ops, x), scale_and_order(x)[0]).rows)
    changes = (x[rows][1:] != x[rows][:-1]).any(axis=1).sum()
    assert changes == len(np.unique(x, axis=0)) - 1


@pytest.mark.parametrize(("d", "side"), [(2, 64), (3, 16), (4, 8), (5, 4)])
def test_neighbours_on_the_curve_are_neighbours_in_space(ops, d, side):
    """Corners of the unit cells of a cube whose corners are those of the first grid."""
    x = np.indices((side,) * d).reshape(d, -1).T.astype(float)
    x *= (1 - 2.0**-40) / (side - 1) * side  # so that the last one lies in the last cell
    order = to_host(ops.curve_order(to_device(ops, x), 1.0).rows)
    cells = np.indices((side,) * d).reshape(d, -1).T
    steps = np.abs(np.diff(cells[order], axis=0)).sum(axis=1)
    assert (steps == 1).all()
