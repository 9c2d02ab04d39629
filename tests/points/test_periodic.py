"""Periodic boxes: trees whose differences wrap, and coordinates that are wrapped first."""

import numpy as np
import pytest
import reference
from helpers import DTYPES, ROOT, cloud, expected_tree, same_partition, to_device, to_host, tree
from norms_reference import BY_NAME, wrapped_points
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

import emst
from emst.distances.metrics import metric_of
from emst.distances.periodic import Box

NORMS = {"euclidean": ("euclidean", None), "chebyshev": ("infinity", None), "any power 2.7": ("p", 2.7)}


def beyond(n, d, dtype, kind, period):
    """Points that lie in several copies of the box, on either side, and on its sides."""
    random = np.random.default_rng([n, d])
    x = cloud(n, d, np.float64, kind)
    x = x / (abs(x).max() or 1) * 1.5 + random.integers(-2, 3, (n, d))
    x[::7] = random.integers(-2, 3, (len(x[::7]), d))
    return (x * [length or 1.0 for length in period]).astype(dtype)


def options(name, period):
    metric, p = NORMS[name]
    return {"metric": metric, "metric_params": {"period": period} | ({} if p is None else {"p": p})}


@pytest.mark.parametrize("name", NORMS)
def test_the_tree_of_the_total_order(ops, name):
    """Edges and weights are those of brute force, bit for bit; results have the dtype of the points."""
    if ops.name == "cpu" and name != "euclidean":
        pytest.skip(
            "its kernels compile for half a minute there; tests of searches and core distances have other norms"
        )
    for period, kind, dtype, k in [
        ([0.7], "uneven", np.float64, 1), ([1.0, 3.0], "lattice", np.float32, 5),
        ([0.1, 0, 250], "repeated", np.float64, 1),
        ([2.0, 0.3, 7.1], "uniform", np.float32, 4), ([0.0, 1e-3, 1.0, 1.0, 9.0], "uneven", np.float64, 5),
        ([1.0] * 40, "uniform", np.float64, 1),
    ]:  # fmt: skip
        d = len(period)
        x = beyond(250, d, dtype, kind, period)
        ours = tree(ops, x, k, **options(name, period))
        lengths = tuple(float(dtype(length)) or np.inf for length in period)
        searched = np.float64 if "power" in name else dtype
        expected = expected_tree(wrapped_points(x, period).astype(searched), k, BY_NAME[name]._replace(period=lengths))
        np.testing.assert_array_equal(ours.edges, expected[0])
        np.testing.assert_array_equal(ours.weights, expected[1].astype(dtype))
        assert ours.weights.dtype == dtype


@pytest.mark.parametrize("dtype", DTYPES)
def test_coordinates_are_wrapped_exactly(ops, dtype):
    tiny, period = np.finfo(dtype).tiny, np.array([0.1, 1.0, 3.7], dtype)
    special = [
        0.0,
        -0.0,
        -tiny / 4,
        -tiny,
        tiny,
        1e-30,
        -1e-30,
        1.0,
        -1.0,
        0.5,
        1e9,
        -1e9,
        np.nextafter(dtype(1), dtype(0)),
    ]
    column = np.concatenate([special, np.random.default_rng(0).normal(scale=5, size=300)]).astype(dtype)
    x = np.stack([column * length for length in period], axis=1)
    found = to_host(Box(tuple(map(float, period))).wrap(to_device(ops, x)))
    inside = ~np.signbit(x) & (x < period)
    np.testing.assert_array_equal(found, wrapped_points(x, period))
    np.testing.assert_array_equal(found[inside].view(np.uint8), x[inside].view(np.uint8))
    assert ((found >= 0) & (found < period)).all() and not np.signbit(found).any()
    points = to_device(ops, found)
    assert Box(tuple(map(float, period))).wrap(points) is points


def test_open_columns_alone_change_nothing(ops):
    x = cloud(100, 2, np.float64)
    for period in (0, 0.0, [0, 0]):
        assert tree(ops, x, metric_params={"period": period}).weights.tolist() == tree(ops, x).weights.tolist()
    metric = metric_of("euclidean", {"period": 0}, algorithm="auto", alpha=1.0, sparse=False)
    assert metric.is_euclidean


def test_one_length_is_that_of_every_column(ops):
    x = beyond(200, 3, np.float64, "uniform", [2.0] * 3)
    one, each = (tree(ops, x, metric_params={"period": period}) for period in (2, np.array([2.0, 2.0, 2.0])))
    np.testing.assert_array_equal(one.edges, each.edges)
    np.testing.assert_array_equal(one.weights, each.weights)


@pytest.mark.parametrize("dtype", DTYPES)
def test_moving_all_points_around_the_box_changes_no_weight(ops, dtype):
    """Coordinates and the length are multiples of 1/64, so that every difference is exact."""
    random = np.random.default_rng(1)
    x = (random.integers(0, 320, (400, 2)) / 64).astype(dtype)
    expected = tree(ops, x, 3, metric_params={"period": 5.0})
    for shift in ([2.5, 0], [-1, 17.25], [1.015625, -4.5]):
        moved = tree(ops, x + np.array(shift, dtype), 3, metric_params={"period": 5.0})
        np.testing.assert_array_equal(moved.weights, expected.weights)
        np.testing.assert_array_equal(moved.core_distances, expected.core_distances)


@pytest.mark.parametrize("d", [3, 40])
def test_scipy_agrees(ops, d):
    """Products of matrices, which are faster in many dimensions, cannot wrap."""
    x = np.random.default_rng(2).random((2_000, d)) * [1.0, 2.0, 3.0, *[1.0] * (d - 3)]
    period = [1.0, 2.0, 0.0, *[1.0] * (d - 3)]
    nearest = cKDTree(x, boxsize=period).query(x, 6)[0][:, 5]
    found = tree(ops, x, 6, metric_params={"period": period}).core_distances
    np.testing.assert_allclose(found, nearest, rtol=1e-12)


def test_a_length_far_above_all_distances_is_an_open_box(ops):
    x = cloud(300, 3, np.float32) * np.float32(1e-30)
    for period in (1.0, 1e30, [3e38, 1e20, 1e-20]):
        ours = tree(ops, x, 2, metric_params={"period": period})
        np.testing.assert_array_equal(ours.weights, tree(ops, x, 2).weights)


BAD = [
    ({"period": [1.0, 2.0, 3.0]}, "period in metric_params has 3 lengths, but X has 2 columns"),
    ({"period": [1.0]}, "period in metric_params has 1 length, but X has 2 columns"),
    *(({"period": value}, "period in metric_params must be a finite length, or one for each column")
      for value in (-1, np.nan, np.inf, 10**400, [1.0, -2.0], [1, np.nan], True, "1", None, [], [[1.0]], ["1", 2])),
    ({"period": 1e-320}, "beyond the range of float64"),
    ({"period": 1.0, "p": 3}, "takes no parameters"),
]  # fmt: skip


@pytest.mark.parametrize("params, sentence", BAD)
def test_bad_periods(params, sentence):
    x = cloud(20, 2, np.float64)
    for make in (emst.EMST, emst.HDBSCANGPU):
        with pytest.raises(ValueError, match=sentence):
            make(metric_params=params, device="cpu").fit(x)


@pytest.mark.parametrize("metric", ["cosine", "haversine", "sqeuclidean", "canberra", "nan_euclidean"])
def test_other_metrics_take_no_period(metric):
    with pytest.raises(ValueError, match=f"metric='{metric}' takes no period; these do: 'euclidean'"):
        emst.HDBSCANGPU(metric=metric, metric_params={"period": 1.0}).fit(cloud(20, 2, np.float64))


def test_weighted_minkowski_takes_no_period():
    params = {"period": 1.0, "p": 3, "w": [1.0, 1.0]}
    with pytest.raises(ValueError, match="with a period does not take these metric_params: 'w'"):
        emst.HDBSCANGPU(metric="minkowski", metric_params=params).fit(cloud(20, 2, np.float64))


def test_duplicates_in_the_box(ops):
    """Points that are equal in the box are joined at length 0, also where all are one point."""
    x = np.array([[0.0, 0.0], [1.0, -3.0], [2.0, 1.0], [0.5, 0.5], [-0.5, 1.5]])
    assert tree(ops, x, metric_params={"period": 1.0}).weights.tolist() == [0, 0, 0, np.sqrt(0.5)]
    assert tree(ops, np.arange(50.0)[:, None], 3, metric_params={"period": 1.0}).weights.tolist() == [0.0] * 49


def test_points_are_compared_in_the_box_on_either_side_of_a_leaf(ops):
    """A line of points around the box: the longest gap is left out, wherever it is."""
    x = np.concatenate([np.linspace(0.3, 0.9, 150), np.linspace(0.92, 1.25, 120)])[:, None]
    weights = tree(ops, x, metric_params={"period": 1.0}).weights
    gaps = np.sort(np.diff(np.r_[np.sort(x[:, 0]), x[0, 0] + 1]))[:-1]
    np.testing.assert_allclose(weights, gaps, atol=1e-15)
    assert reference.prim(x)[-1] > weights[-1] / 2  # the open line has these gaps but for one


def test_the_halos_of_the_gallery_are_those_of_friends_of_friends():
    """SciPy's pairs within the linking length and its connected components, in a smaller universe of the gallery."""
    page = (ROOT / "docs/examples/applications/plot_galaxies.py").read_text()
    code = compile(page[page.index("import matplotlib") : page.index("side = ")], "plot_galaxies.py", "exec")
    exec(code, universe := {})
    side = 24
    x = universe["universe"](side)
    groups = emst.EMST(metric_params={"period": side}, device="cpu").fit(x).cut(0.2, min_cluster_size=20)
    pairs = cKDTree(x, boxsize=side).query_pairs(0.2, output_type="ndarray")
    ones = np.ones(len(pairs), np.int8)
    friends = connected_components(coo_matrix((ones, tuple(pairs.T)), (len(x), len(x))))[1]
    friends[np.bincount(friends)[friends] < 20] = -1
    assert groups.max() > 10
    assert same_partition(groups, friends)
    open_box = emst.EMST(device="cpu").fit(x).cut(0.2, min_cluster_size=20)
    assert not same_partition(open_box, friends)  # some halos lie across a side
