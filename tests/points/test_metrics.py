"""Trees of points under other metrics than the Euclidean one."""

from decimal import Decimal

import dense_reference
import numpy as np
import pytest
import reference
from helpers import CLOSE, DTYPES, cloud, expected_tree, to_device, to_host, tree
from norms_reference import BY_NAME
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from emst import EMST, HDBSCANGPU, minimum_spanning_tree
from emst.backend.records import Norm
from emst.distances.metrics import TREE_NAMES, Metric, directions
from emst.spanning import spanning_tree

NORMS = [("manhattan", None), ("chebyshev", None), ("minkowski", 1.5), ("minkowski", 3), ("minkowski", 2.7)]
SAME = [("l1", "manhattan", None), ("cityblock", "manhattan", None), ("infinity", "chebyshev", None)]
SAME += [("l2", "euclidean", None), ("p", "euclidean", None), ("minkowski", "manhattan", 1)]
SAME += [("minkowski", "euclidean", 2), ("p", "chebyshev", np.inf), ("minkowski", "manhattan", np.int8(1))]


def options_of(name, p):
    return {"metric": name, "metric_params": None if p is None else {"p": p}}


def norm_of(name, p):
    return BY_NAME[name if p is None else f"any power {p}" if p == 2.7 else f"powers {p}"]


@pytest.mark.parametrize("name, p", NORMS)
def test_the_tree_of_the_total_order(ops, name, p):
    """Edges and weights are those of brute force, bit for bit; results have the dtype of the points."""
    norm = norm_of(name, p)
    for d, kind, dtype in [(1, "uneven", np.float64), (2, "lattice", np.float32), (3, "repeated", np.float64),
                           (5, "uneven", np.float32), (40, "uniform", np.float64)]:  # fmt: skip
        x = cloud(250, d, dtype, kind)
        for k in (1, 5):
            ours = tree(ops, x, k, **options_of(name, p))
            searched = x.astype(np.float64) if p else x
            edges, weights = expected_tree(searched, k, norm)
            np.testing.assert_array_equal(ours.edges, edges)
            np.testing.assert_array_equal(ours.weights, weights.astype(dtype))
            assert ours.weights.dtype == dtype


@pytest.mark.parametrize("name, p", NORMS)
def test_weights_equal_prim(ops, name, p):
    for d, kind in [(2, "uneven"), (3, "repeated"), (7, "lattice")]:
        x = cloud(1_500, d, np.float64, kind)
        ours = tree(ops, x, **options_of(name, p)).weights
        np.testing.assert_allclose(ours, reference.prim(x, norm_of(name, p)), rtol=CLOSE)


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "haversine"])
def test_metrics_of_euclidean_images(ops, metric):
    x = cloud(200, 2, np.float32)
    distance = pairwise_distances(x.astype(np.float64), metric=metric)
    for k in (1, 4):
        ours = tree(ops, x, k, metric=metric)
        _, weights, core = dense_reference.kruskal(distance, k)
        np.testing.assert_allclose(ours.weights, weights, rtol=1e-9, atol=1e-14)
        assert ours.weights.dtype == np.float64  # by default, as in `HDBSCANGPU`
        if k > 1:
            np.testing.assert_allclose(ours.core_distances, core, rtol=1e-9, atol=1e-14)
    assert tree(ops, x, metric=metric, dtype=np.float32).weights.dtype == np.float32


def test_distances_that_are_not_those_of_the_rows_take_float64():
    wide = [Metric("", height=np.square), Metric("", image=np.exp), Metric("", way="matrix")]
    assert [metric.computed_in(np.dtype("f4"), None) for metric in [*wide, Metric("")]] == ["f8", "f8", "f8", "f4"]
    assert {metric.computed_in(np.dtype("f4"), "f4") for metric in wide} == {np.dtype("f4")}


@pytest.mark.parametrize("exponent", [-900, 900])
def test_directions_of_points_whose_squares_are_no_numbers(ops, exponent):
    x = cloud(20, 3, np.float64)
    ours, expected = (to_host(directions(to_device(ops, y))) for y in (np.ldexp(x, exponent), x))
    np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("name, same, p", SAME)
def test_names_of_the_same_metric(ops, name, same, p):
    x = cloud(80, 3, np.float64)
    ours, named = tree(ops, x, 3, **options_of(name, p)), tree(ops, x, 3, metric=same)
    np.testing.assert_array_equal(ours.edges, named.edges)
    np.testing.assert_array_equal(ours.weights, named.weights)
    np.testing.assert_array_equal(ours.core_distances, named.core_distances)


@pytest.mark.parametrize("name, p", NORMS)
def test_the_estimators_agree(ops, name, p):
    x = cloud(300, 3, np.float32, "uneven")
    mst = EMST(min_samples=4, device=ops.name, **options_of(name, p)).fit(x)
    clusters = HDBSCANGPU(min_samples=4, device=ops.name, **options_of(name, p)).fit(x)
    edges, weights = to_host(clusters._model.edges), to_host(clusters._model.weights)
    np.testing.assert_array_equal(mst.edges_, edges)
    np.testing.assert_array_equal(mst.weights_, weights)
    np.testing.assert_array_equal(mst.core_distances_, clusters.core_distances_)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name, p", [("manhattan", None), ("minkowski", 3)])
def test_a_power_of_two_changes_nothing(ops, name, p, dtype):
    x = cloud(200, 3, dtype, "uneven")
    one = tree(ops, x, 3, **options_of(name, p))
    for exponent in (-100, 100):
        other = tree(ops, np.ldexp(x, exponent), 3, **options_of(name, p))
        np.testing.assert_array_equal(other.edges, one.edges)
        np.testing.assert_array_equal(other.weights, np.ldexp(one.weights, exponent))


@pytest.mark.parametrize("p", [20, 20.5, 31.9, 32])
def test_high_powers_keep_small_distances(ops, p):
    """Two clusters, the one a 10^-8th of the other; SciPy's powers, of distances divided by their greatest part."""
    x = np.concatenate([cloud(40, 3, np.float64), cloud(40, 3, np.float64, seed=1) * 1e-8])
    part = abs(x[:, None] - x[None, :])
    greatest = part.max(axis=2, keepdims=True)
    ratio = np.divide(part, greatest, out=np.zeros_like(part), where=greatest > 0)
    distance = greatest[:, :, 0] * (ratio**p).sum(axis=2) ** (1 / p)
    expected = dense_reference.kruskal(distance, 3)[1]
    for exponent in (-900, 0, 900):
        weights = tree(ops, np.ldexp(x, exponent), 3, metric="minkowski", metric_params={"p": p}).weights
        np.testing.assert_allclose(np.ldexp(weights, -exponent), expected, rtol=CLOSE)


@pytest.mark.parametrize("p", [1.25, 2.2, 7.7])
def test_weights_equal_scipy_for_any_power(ops, p):
    x = cloud(200, 3, np.float64)
    ours = tree(ops, x, 3, metric="minkowski", metric_params={"p": p})
    _, weights, core = dense_reference.kruskal(cdist(x, x, "minkowski", p=p), 3)
    np.testing.assert_allclose(ours.weights, weights, rtol=2e-15)
    np.testing.assert_allclose(ours.core_distances, core, rtol=2e-15)


def test_extreme_values_in_float32(ops):
    """Subnormal numbers and the greatest ones, under a sum without powers and under powers."""
    unit = np.float32(1.4e-45)
    x = np.array([[0, 0], [3, 1], [9, 2], [9, 30]], np.float32) * unit
    assert tree(ops, x, metric="manhattan").weights.tolist() == [n * float(unit) for n in (4, 7, 28)]
    assert tree(ops, x, metric="chebyshev").weights.tolist() == [n * float(unit) for n in (3, 6, 28)]
    assert tree(ops, x, metric="minkowski", metric_params={"p": 3}).weights.tolist() == [
        n * float(unit) for n in (3, 6, 28)
    ]
    most = np.finfo(np.float32).max / 4
    x = np.array([[-1, -1], [1, -1], [1, 0.5]], np.float32) * most
    np.testing.assert_allclose(tree(ops, x, metric="manhattan").weights / most, [1.5, 2], rtol=1e-6)


def test_squares_that_are_subnormal_in_float32(ops):
    """They keep their bits in trees, clusters and predictions: CuPy alone would take them for 0."""
    x = (1e-21 * cloud(60, 2, np.float64)).astype(np.float32)
    squared, plain = (
        minimum_spanning_tree(x, min_samples=3, metric=metric, dtype=np.float32, device=ops.name)
        for metric in ("sqeuclidean", "euclidean")
    )
    expected = to_host(plain.weights).astype(np.float64) ** 2
    np.testing.assert_array_equal(to_host(squared.weights), expected.astype(np.float32))
    assert (to_host(squared.weights) > 0).all() and to_host(squared.weights).max() < np.finfo(np.float32).tiny
    model = HDBSCANGPU(
        min_samples=3, min_cluster_size=4, metric="sqeuclidean", dtype=np.float32, device=ops.name, prediction_data=True
    ).fit(x)
    assert model.labels_.max() > 0
    leaving = 1 / to_host(model._model.flat.condensed.leaving()[1]).astype(np.float64)
    labels = to_host(model.labels_)
    for cluster, points in enumerate(model.exemplar_indices_):
        assert leaving[points].max() == leaving[labels == cluster].max()
    np.testing.assert_array_equal(to_host(model.predict(x)), labels)


def test_every_name_is_taken(ops):
    for name in TREE_NAMES:
        assert len(tree(ops, cloud(20, 2, np.float64), metric=name).weights) == 19


@pytest.mark.parametrize(
    ("options", "pattern"),
    [
        ({"metric": "minkowski", "metric_params": {"p": 0.5}}, r"p from 1 to 32, or infinity; got 0\.5"),
        ({"metric": "minkowski", "metric_params": {"p": 33}}, "p from 1 to 32, or infinity; got 33"),
        ({"metric": "p", "metric_params": {"p": np.nan}}, "p from 1 to 32, or infinity; got nan"),
        ({"metric": "p", "metric_params": {"p": "3"}}, "p from 1 to 32, or infinity; got '3'"),
        ({"metric": "minkowski", "metric_params": {"p": 3, "w": [1, 2]}}, "does not take these metric_params: 'w'"),
        ({"metric": "manhattan", "metric_params": {"p": 3}}, "takes no parameters; got 'p'"),
        ({"metric": "manhattan", "metric_params": [3]}, "metric_params must be a dictionary or None"),
        ({"metric": "canberra"}, "metric must be one of 'chebyshev'.*'sqeuclidean'; got 'canberra'"),
        ({"metric": "precomputed"}, "metric must be one of"),
        ({"metric": max}, "metric must be one of"),
    ],
    ids=str,
)
def test_metrics_that_cannot_be_honoured(ops, options, pattern):
    x = cloud(10, 2, np.float64)
    for call in (lambda: minimum_spanning_tree(x, **options), lambda: EMST(**options).fit(x)):
        with pytest.raises(ValueError, match=pattern):
            call()


def test_points_that_the_metric_is_not_defined_for(ops):
    x = cloud(30, 3, np.float64)
    with pytest.raises(ValueError, match="'haversine' takes"):
        tree(ops, x, metric="haversine")
    x[[7, 20]] = 0
    with pytest.raises(ValueError, match="rows of zeros: X has 2 such rows, first in row 7"):
        tree(ops, x, metric="cosine")


@pytest.mark.parametrize("degree", [1.01, 1.5, 2.7, 3.0, 32.0])
def test_roots_are_rounded_once_or_so(degree):
    powers = np.exp2(np.random.default_rng(0).uniform(-1000, 1000, 10_000))
    exact = [Decimal(power) ** (1 / Decimal(degree)) for power in powers[:500].tolist()]
    roots = Norm("any power", degree).roots(powers)
    assert max(abs(Decimal(root) / e - 1) for root, e in zip(roots[:500].tolist(), exact)) < 4e-16
    assert Norm("powers", degree).roots(np.zeros(1)) == 0


def test_weights_ascend_where_roots_do_not(ops):
    class Ops:
        def __getattr__(self, name):
            return getattr(ops, name)

        def sorted_edges(self, *args, **ahead):
            edges, weights = ops.sorted_edges(*args, **ahead)
            weights[5] = np.nextafter(float(weights[4]), 0)
            return edges, weights

    x = to_device(ops, cloud(20, 2, np.float64))
    norm, statistics = BY_NAME["powers 3"], ops.point_statistics(x)
    weights = to_host(spanning_tree(x, statistics, 1, Ops(), norm=norm)[1])
    assert weights[5] == weights[4] and (np.diff(weights) >= 0).all()
