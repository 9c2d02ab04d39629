"""Medoids: what bounds spare changes nothing, much is spared, and what is not is announced."""

import warnings

import numpy as np
import pytest
from helpers import to_device

from emst import HDBSCANGPU
from emst.distances.metrics import metric_of
from emst.hdbscan import medoids
from emst.hdbscan.centers import _image

METRICS = [("euclidean", 2), ("haversine", 2), ("sqeuclidean", 2), ("cosine", 2), ("manhattan", 2), ("chebyshev", 2)]
METRICS += [("minkowski", p) for p in (1, 1.5, 2.7, 3, 32, np.inf)] + [("canberra", 2)]


def points_of(kind, n, d):
    g = np.random.default_rng(len(kind) * n + d)
    if kind == "lattice":  # ties
        return g.integers(1, 6, (n, d)) / 4
    x = g.normal(size=(n, d))
    if kind == "far":  # few bits are left of the differences
        return x * 1e-12 + 1
    if kind == "subnormal":
        return g.integers(1, 9, (n, d)) * 5e-324
    if kind == "outlier":
        x[0] = 1e9
    return x


def weights_of(kind, n):
    weights = np.random.default_rng(n).random(n)
    if kind == "outlier":
        weights[0] = 0
    return np.ones(n) if kind == "lattice" else weights


@pytest.mark.parametrize("kind", ["plain", "lattice", "far", "subnormal", "outlier"])
@pytest.mark.parametrize(("name", "p"), METRICS)
def test_the_medoid_is_that_of_all_sums(ops, monkeypatch, name, p, kind):
    monkeypatch.setattr(medoids, "ENTRIES", 1000)
    params = {"p": p} if name == "minkowski" else {}
    metric = metric_of(name, params, algorithm="auto", alpha=1.0, sparse=False)
    for n in (2, 7, 150):
        x, weights = points_of(kind, n, 2), weights_of(kind, n)
        image, metric = _image(to_device(ops, x), metric)
        distance = medoids._distances(image, medoids._numbers(image), metric, ops)
        sums = (distance * to_device(ops, weights)).sum(axis=1)
        assert medoids.medoid(image, to_device(ops, weights), metric) == int(sums.argmin())


def two_places(g):
    """The bounds of copies equal the least sum, up to rounding."""
    return np.repeat(g.random((2, 2)), 34, axis=0), g.random(68)


def far_points_without_weight(g):
    """Large numbers are subtracted whose difference is small: rounding must not leave out a medoid."""
    x, weights = g.normal(size=(300, 2)), g.random(300)
    x[::4] *= 1e20
    weights[::4] = 0
    return x, weights


def points_too_near_for_squares(g):
    """The squared distances of the first point have a single digit. The last point, far away, is the medoid."""
    x, weights = np.full((12, 1), -1.22 * 2.0**-537), np.ones(12)
    x[0], x[11], weights[11] = 0, 1, 11.5
    return x, weights


@pytest.mark.parametrize("first", ["the nearest", "the farthest"])
@pytest.mark.parametrize("make", [two_places, far_points_without_weight, points_too_near_for_squares])
def test_rounding_leaves_no_medoid_out(ops, monkeypatch, make, first):
    monkeypatch.setattr(medoids, "ENTRIES", 136)
    if first == "the farthest":
        by_mean = medoids._bounds_by_mean
        monkeypatch.setattr(medoids, "_bounds_by_mean", lambda *args: -by_mean(*args))
    metric = metric_of("euclidean", {}, algorithm="auto", alpha=1.0, sparse=False)
    for seed in range(20):
        x, weights = (to_device(ops, array) for array in make(np.random.default_rng(seed)))
        sums = (medoids._distances(x, medoids._numbers(x), metric, ops) * weights).sum(axis=1)
        assert medoids.medoid(x, weights, metric) == int(sums.argmin()), seed


def rows_computed(monkeypatch, ops, x, name):
    seen = []
    distances = medoids._distances
    monkeypatch.setattr(medoids, "_distances", lambda *args: seen.append(len(args[1])) or distances(*args))
    metric = metric_of(name, {}, algorithm="auto", alpha=1.0, sparse=False)
    image, metric = _image(to_device(ops, x), metric)
    medoids.medoid(image, to_device(ops, np.ones(len(x))), metric)
    return sum(seen)


@pytest.mark.parametrize("name", ["haversine", "manhattan"])
def test_the_triangle_inequality_spares_most_distances(ops, monkeypatch, name):
    """In the plane a multiple of the root of n is left."""
    monkeypatch.setattr(medoids, "ENTRIES", 20 * 8000)
    x = np.random.default_rng(0).normal(size=(8000, 2)) / 10
    assert rows_computed(monkeypatch, ops, x, name) < 1500


@pytest.mark.parametrize(("d", "most"), [(2, 250), (3, 250), (10, 400)])
def test_tangents_spare_nearly_all_distances(ops, monkeypatch, d, most):
    x = np.random.default_rng(0).exponential(size=(8000, d))
    assert rows_computed(monkeypatch, ops, x, "euclidean") < most


def test_tangents_are_given_up_in_many_dimensions(ops, monkeypatch):
    calls = []
    raise_by_tangents = medoids._raise_by_tangents
    monkeypatch.setattr(medoids, "_raise_by_tangents", lambda *args: calls.append(1) or raise_by_tangents(*args))
    assert rows_computed(monkeypatch, ops, np.random.default_rng(0).normal(size=(500, 60)), "euclidean") > 400
    assert len(calls) == 1


@pytest.mark.parametrize("name", ["sqeuclidean", "cosine"])
def test_squares_are_known_from_the_mean(ops, monkeypatch, name):
    monkeypatch.setattr(medoids, "ENTRIES", 20 * 3000)
    x = np.random.default_rng(0).normal(size=(3000, 12))
    assert rows_computed(monkeypatch, ops, x, name) == 20


def clusters(metric, d=2, **options):
    x = np.random.default_rng(0).normal(size=(400, d)) + np.repeat([[2] * d, [40] * d], 200, axis=0)
    return HDBSCANGPU(min_cluster_size=60, min_samples=2, metric=metric, store_centers="medoid", **options).fit(x)


def test_a_long_search_is_announced(ops, monkeypatch):
    monkeypatch.setattr(medoids, "MANY", 20_000)
    monkeypatch.setattr(medoids, "ENTRIES", 2000)
    expected = r"the medoid of a cluster of \d+ points takes up to \de\+04 more distances, about 1 minute. "
    with pytest.warns(UserWarning, match=expected) as caught:
        clusters("canberra", device=ops.name)
    assert {warning.filename for warning in caught} == {__file__}  # it points at the caller's fit
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clusters("sqeuclidean", device=ops.name)  # bounds spare so much that there is nothing to say


def test_a_search_that_bounds_do_not_shorten_is_announced_on_its_way(ops, monkeypatch):
    monkeypatch.setattr(medoids, "MANY", 8000)
    monkeypatch.setattr(medoids, "ENTRIES", 2000)
    with pytest.warns(UserWarning, match="store_centers='centroid' takes a moment"):
        clusters("euclidean", 40, device=ops.name)
