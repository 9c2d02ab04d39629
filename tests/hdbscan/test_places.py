"""Places in degrees: clusters, trees, predictions and centres in kilometres, and what is said of faulty places."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.metrics.pairwise import haversine_distances

from emst import (
    EMST,
    HDBSCANGPU,
    all_points_membership_vectors,
    approximate_predict,
    membership_vector,
    minimum_spanning_tree,
    validity_index,
)

KM = 6371.0088
PARAMS = {"degrees": True, "radius": KM}
TOWNS = {"Wien": (48.2, 16.37), "Suva": (-18.1, 179.97), "Taveuni": (-16.8, -179.97), "Quito": (-0.2, -78.5)}
CENTRES = np.array(list(TOWNS.values()))


def places(n=150, spread=0.05, seed=0):
    """Places around the towns, in degrees: latitude, and longitude from -180 to 180."""
    g = np.random.default_rng(seed)
    x = np.concatenate([town + g.normal(0, spread, (n, 2)) for town in CENTRES])
    x[:, 1] = (x[:, 1] + 180) % 360 - 180
    return x


X = places()


def model(ops, **options):
    return HDBSCANGPU(min_cluster_size=20, metric="haversine", device=ops.name, **options)


def tree(ops, x, **options):
    return minimum_spanning_tree(x, metric="haversine", device=ops.name, **options)


# Results


@pytest.mark.parametrize("alpha", [1.0, 1.3])
def test_degrees_are_radians_and_lengths_are_multiples_of_the_radius(ops, alpha):
    """Bit for bit: one multiplication before, one behind. An alpha takes the matrix of distances."""
    ours = model(ops, metric_params=PARAMS, alpha=alpha).fit(X)
    plain = model(ops, alpha=alpha).fit(np.radians(X))
    np.testing.assert_array_equal(ours.labels_, plain.labels_)
    assert ours.labels_.max() == 3
    exactly = np.testing.assert_array_equal if alpha == 1 else np.testing.assert_allclose
    exactly(ours.core_distances_, KM * plain.core_distances_)
    exactly(ours.single_linkage_tree_.to_numpy()[:, 2], KM * plain.single_linkage_tree_.to_numpy()[:, 2])
    exactly(ours.minimum_spanning_tree_.to_numpy()[:, 2], KM * plain.minimum_spanning_tree_.to_numpy()[:, 2])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("params", [{}, {"degrees": True}, {"radius": 2.0}, PARAMS, {"degrees": False, "radius": 3}])
def test_each_parameter_alone_and_both(ops, params, dtype):
    x = (X * (0.01 if not params.get("degrees") else 1)).astype(dtype)
    radians = np.radians(x.astype(np.float64)) if params.get("degrees") else x.astype(np.float64)
    ours, plain = tree(ops, x, metric_params=params, min_samples=3), tree(ops, radians, min_samples=3)
    assert ours.weights.dtype == np.float64
    np.testing.assert_array_equal(ours.edges, plain.edges)
    np.testing.assert_array_equal(ours.weights, params.get("radius", 1.0) * plain.weights)
    np.testing.assert_array_equal(ours.core_distances, params.get("radius", 1.0) * plain.core_distances)


def test_lengths_are_those_of_the_earth(ops):
    """Scikit-learn's arcs times the radius; from the equator to a pole it is 10,007.6 km."""
    ours = EMST(metric="haversine", metric_params=PARAMS, device=ops.name).fit(X)
    u, v = np.radians(X[ours.edges_]).transpose(1, 0, 2)
    arcs = np.array([haversine_distances([a], [b])[0, 0] for a, b in zip(u, v)])
    np.testing.assert_allclose(ours.weights_, KM * arcs, rtol=1e-6, atol=1e-9)
    assert tree(ops, [[0, 12], [90, 77]], metric_params=PARAMS).total_weight == pytest.approx(10_007.5574)


def test_epsilon_and_cuts_are_in_kilometres(ops):
    """Suva and Taveuni are 145 km apart, across the date line; Quito and Vienna are oceans away."""
    options = {"metric_params": PARAMS, "min_samples": 3}
    fitted = model(ops, **options).fit(X)
    assert fitted.labels_.max() == 3
    suva, taveuni = np.arange(150, 300), np.arange(300, 450)
    assert set(fitted.dbscan_clustering(100.0)[suva]) != set(fitted.dbscan_clustering(100.0)[taveuni])
    for joined in (fitted.recluster(cluster_selection_epsilon=200.0), model(ops, cluster_selection_epsilon=200.0)):
        joined = joined if hasattr(joined, "labels_") else joined.set_params(**options).fit(X)
        assert joined.labels_.max() == 2
        assert len(set(joined.labels_[150:450]) - {-1}) == 1
    joined = fitted.dbscan_clustering(200.0)
    assert len(set(joined[150:450])) == 1


def test_new_points_are_in_degrees_too(ops):
    fitted = model(ops, metric_params=PARAMS, prediction_data=True).fit(X)
    plain = model(ops).fit(np.radians(X))
    new = np.concatenate([places(20, seed=1), X[:5]])
    for ours, theirs in zip(approximate_predict(fitted, new), approximate_predict(plain, np.radians(new))):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    np.testing.assert_array_equal(approximate_predict(fitted, X)[0], fitted.labels_)
    np.testing.assert_array_equal(approximate_predict(fitted, X)[1], fitted.probabilities_)
    assert set(fitted.predict(new)) >= {0, 1, 2, 3}
    np.testing.assert_allclose(membership_vector(fitted, new), membership_vector(plain, np.radians(new)), rtol=1e-9)
    np.testing.assert_allclose(
        all_points_membership_vectors(fitted), all_points_membership_vectors(plain), rtol=1e-9, atol=1e-300
    )


def test_pickles_clones_and_parameters(ops):
    fitted = model(ops, metric_params=PARAMS, store_centers="both").fit(X)
    assert clone(fitted).get_params()["metric_params"] == PARAMS
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(X), fitted.labels_)
    np.testing.assert_array_equal(again.core_distances_, fitted.core_distances_)
    other = again.recluster(min_cluster_size=30, store_centers="centroid")
    np.testing.assert_array_equal(other.centroids_, fitted.recluster(min_cluster_size=30).centroids_)


def test_validity(ops):
    labels = model(ops, metric_params=PARAMS).fit(X).labels_
    ours = validity_index(X, labels, metric="haversine", **PARAMS)
    assert ours == pytest.approx(validity_index(np.radians(X), labels, metric="haversine"), rel=1e-9)
    with pytest.raises(ValueError, match=r"600 rows beyond, first \(.*\) in row 0\. For places in degrees pass"):
        validity_index(X, np.repeat([0, 1], 300), metric="haversine")
    with pytest.raises(ValueError, match=r"300 rows beyond, first \(.*\) in row 300\. "):
        validity_index(X, np.repeat([-1, 0, 1], [300, 150, 150]), metric="haversine")


# Centres


@pytest.mark.parametrize("alpha", [1.0, 2.0])
@pytest.mark.parametrize("unit", ["degrees", "radians"])
@pytest.mark.parametrize("first", [-180, 0, -360])
def test_centroids_across_the_date_line(ops, unit, first, alpha):
    """Fiji's mean longitude is near 180 degrees, not near 0; it is counted as those of the places are."""
    x = X.copy()
    x[:, 1] = (x[:, 1] - first) % 360 + first
    factor, params = (1.0, PARAMS) if unit == "degrees" else (np.pi / 180, {})
    fitted = model(ops, metric_params=params, store_centers="both", alpha=alpha).fit(x * factor)
    centroids = fitted.centroids_ / factor
    assert (centroids[:, 1] >= first).all() and (centroids[:, 1] <= first + 360).all()
    towns = CENTRES[haversine_distances(np.radians(centroids), np.radians(CENTRES)).argmin(axis=1)]
    assert len(np.unique(towns, axis=0)) == 4
    assert (np.degrees(haversine_distances(np.radians(centroids), np.radians(towns))).diagonal() < 0.02).all()
    for medoid in fitted.medoids_:
        assert (x * factor == medoid).all(axis=1).any()


def test_a_centroid_beside_the_date_line_stays_on_the_map(ops):
    """Its places lie unevenly on both sides."""
    x = [[-17.7, 178.0], [-16.8, -180.0], [-16.9, -179.9], [48.2, 16.4], [48.1, 17.1], [47.5, 19.0]]
    fitted = HDBSCANGPU(2, 2, metric="haversine", metric_params=PARAMS, store_centers="centroid", device=ops.name)
    longitudes = sorted(fitted.fit(x).centroids_[:, 1])
    assert longitudes == pytest.approx([17.0796, 179.9852], abs=1e-3)


def test_a_centroid_is_the_mean_of_unit_vectors(ops):
    """At a pole, means of angles have no meaning."""
    g = np.random.default_rng(2)
    pole = np.stack([90 - abs(g.normal(0, 1, 200)), g.uniform(-180, 180, 200)], axis=1)
    fitted = model(ops, metric_params=PARAMS, store_centers="centroid", allow_single_cluster=True).fit(pole)
    assert fitted.labels_.max() == 0
    latitude, longitude = np.radians(pole).T
    unit = np.stack([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], 1)
    mean = np.average(unit, axis=0, weights=np.where(fitted.labels_ == 0, fitted.probabilities_, 0))
    expected = np.degrees([np.arctan2(mean[2], np.hypot(mean[0], mean[1])), np.arctan2(mean[1], mean[0])])
    np.testing.assert_allclose(fitted.centroids_[0], expected, rtol=1e-9)
    assert fitted.centroids_[0, 0] > 89.5


# Faults

DEGREES_AS_RADIANS = (
    r"takes radians, latitude up to pi/2 and longitude up to 2 pi; X has 600 rows beyond, first \(48\.2063, 16\.3634\) "
    r"in row 0\. For places in degrees pass metric_params=\{'degrees': True\} \(on the command line --degrees\)$"
)


def fits(ops, x, **options):
    """The ways in which places are fitted."""
    return [
        lambda: model(ops, **options).fit(x),
        lambda: model(ops, alpha=2.0, **options).fit(x),
        lambda: EMST(metric="haversine", device=ops.name, **options).fit(x),
        lambda: tree(ops, x, **options),
    ]


def test_degrees_that_are_not_announced(ops):
    """Read as radians they gave 133 clusters in place of 282, and no word."""
    for fit in fits(ops, X):
        with pytest.raises(ValueError, match=DEGREES_AS_RADIANS):
            fit()


@pytest.mark.parametrize(
    ("params", "x", "message"),
    [
        (
            PARAMS,
            X[:, ::-1],
            r"X has 300 rows beyond, first .* in row 150; if longitude comes first, turn .* round: latitude must",
        ),
        ({}, X[:, ::-1], r"in row 0; if longitude comes first, .* For places in degrees also pass metric_params"),
        (
            {},
            np.radians(X)[:, ::-1],
            r"; if longitude comes first, .* column 0. For places in degrees pass metric",
        ),
        ({}, [[3, 0], [3, 7], [1, 1]], r"X has 2 rows beyond, first \(3, 0\) in row 0\. For places in degrees pass"),
        (
            {},
            [[100, 2], [3, 7], [1, 1]],
            r"also pass metric_params=\{'degrees': True\} \(on the command line --degrees\)$",
        ),
        (PARAMS, X * 4, r"takes degrees, latitude up to 90 and longitude up to 360; X has .* in row 0$"),
        ({}, X * 10, r"takes radians, .* in row 0$"),
        (PARAMS, [[1, 2], [3, 361], [-91, 4], [2, 0]], r"X has 2 rows beyond, first \(3, 361\) in row 1$"),
        (PARAMS, np.ones((9, 3)), r"takes \(latitude, longitude\) in degrees; X has 3 columns"),
        ({}, np.ones((9, 1)), r"takes \(latitude, longitude\) in radians; X has 1 column$"),
    ],
)
def test_angles_beyond_the_limits(ops, params, x, message):
    for fit in fits(ops, np.asarray(x, float), metric_params=params, min_samples=2):
        with pytest.raises(ValueError, match=message):
            fit()


def test_rows_are_counted_as_the_caller_does(ops):
    x = X.copy()
    x[[3, 5]], x[9, 0] = [[np.nan, 0], [np.inf, 400]], 95
    with pytest.raises(ValueError, match=r"X has 1 row beyond, first \(95, .*\) in row 9$"):
        model(ops, metric_params=PARAMS).fit(x)
    x[9, 0] = 45
    assert model(ops, metric_params=PARAMS).fit(x).labels_[[3, 5]].tolist() == [-3, -2]


def test_poles_and_full_circles_are_places(ops):
    edge = [[90, 360], [-90, -360], [90, -180], [45, 180], [0, 0]]
    assert tree(ops, edge, metric_params=PARAMS).weights[0] == pytest.approx(0, abs=1e-8)
    for dtype in (np.float32, np.float64):
        tree(ops, np.radians(edge).astype(dtype))  # rounded up to more than pi / 2
        tree(ops, np.radians(edge), dtype=dtype)
    with pytest.raises(ValueError, match="3 rows beyond"):
        tree(ops, np.radians(edge) * 1.001)


def test_radians_that_are_called_degrees(ops):
    """They are near (0, 0), and lengths are too small by a factor of 57."""
    for fit in fits(ops, np.radians(X), metric_params=PARAMS):
        with pytest.warns(UserWarning, match="if these places are in radians, leave degrees out") as found:
            fit()
        assert [one.filename for one in found] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree(ops, [[0, 0], [0, 1], [2, 0]], metric_params=PARAMS)


def test_new_points_out_of_range(ops):
    fitted = model(ops).fit(np.radians(X))
    new = np.concatenate([[[np.nan, 1]], np.radians(X[:2]), X[:2]])
    for ask in (fitted.predict, lambda x: membership_vector(fitted, x)):
        with pytest.raises(ValueError, match=r"2 rows beyond, first \(48.* in row 3\. For places in degrees pass"):
            ask(new)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"degrees": 1}, "degrees of metric='haversine' must be True or False; got 1"),
        ({"degrees": "yes"}, "degrees of metric='haversine' must be True or False; got 'yes'"),
        ({"radius": 0}, "radius of metric='haversine' must be a finite number greater than 0; got 0"),
        ({"radius": np.inf}, "radius of metric='haversine' must be a finite number greater than 0; got inf"),
        ({"radius": "km"}, "radius of metric='haversine' must be a finite number greater than 0; got 'km'"),
        ({"radius": True}, "radius of metric='haversine' must be a finite number greater than 0; got True"),
        ({"unit": "km"}, "metric='haversine' takes the parameters 'degrees' and 'radius'; got 'unit'"),
    ],
)
def test_parameters_out_of_range(ops, params, message):
    for fit in fits(ops, X, metric_params=params):
        with pytest.raises(ValueError, match=message):
            fit()


def test_other_metrics_have_no_degrees(ops):
    with pytest.raises(ValueError, match="metric='euclidean' takes no parameters; got 'degrees'"):
        HDBSCANGPU(metric_params={"degrees": True}, device=ops.name).fit(X)


def test_places_are_dense(ops):
    with pytest.raises(ValueError, match=r"takes latitude and longitude as dense columns: pass X\.toarray\(\)"):
        model(ops, metric_params=PARAMS).fit(csr_matrix(X))


# Names of columns


@pytest.mark.parametrize("names", [("lat", "lon"), ("Latitude", "Longitude"), ("LAT", "lng"), ("lat", "long")])
def test_columns_in_the_other_order(ops, names):
    frame = pd.DataFrame(X, columns=names)
    assert model(ops, metric_params=PARAMS).fit(frame).labels_.max() == 3
    message = rf"X has the columns {names[1]}, {names[0]}; .* in this order: pass X\[\['{names[0]}', '{names[1]}'\]\]"
    for fit in fits(ops, frame[list(names[::-1])], metric_params=PARAMS):
        with pytest.raises(ValueError, match=message):
            fit()
    with pytest.raises(ValueError, match=message):
        validity_index(frame[list(names[::-1])], np.repeat([0, 1], 300), metric="haversine", **PARAMS)
    with pytest.raises(ValueError, match=message):
        model(ops, metric_params=PARAMS).fit(X).predict(frame[list(names[::-1])])


def test_columns_beside_places(ops):
    frame = pd.DataFrame(np.column_stack([np.arange(len(X)), X]), columns=["id", "lat", "lon"])
    with pytest.raises(ValueError, match=r"X has the columns id, lat, lon; .* pass X\[\['lat', 'lon'\]\]"):
        model(ops, metric_params=PARAMS).fit(frame)


def test_a_plane_of_latitudes_and_longitudes_warns(ops):
    frame = pd.DataFrame(X, columns=["lon", "lat"])
    advice = r"pass X\[\['lat', 'lon'\]\] with metric='haversine', metric_params=\{'degrees': True\}"
    for fit in (
        lambda: HDBSCANGPU(device=ops.name).fit(frame),
        lambda: EMST(device=ops.name).fit(frame),
        lambda: minimum_spanning_tree(frame, metric="l2", device=ops.name),
    ):
        with pytest.warns(UserWarning, match=f"X has the columns lat and lon, but metric='euclidean' .* {advice}") as w:
            fit()
        assert [one.filename for one in w] == [__file__]


@pytest.mark.parametrize("names", [("x", "y"), ("lat", "y"), ("lat", "latitude"), (0, 1)])
def test_other_names_do_not_warn(ops, names):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HDBSCANGPU(device=ops.name).fit(pd.DataFrame(X, columns=names))
        if len(set(names) & {"lat", "latitude"}) == 0:
            model(ops, metric_params=PARAMS).fit(pd.DataFrame(X, columns=names))
        HDBSCANGPU(device=ops.name).fit(pd.DataFrame(np.column_stack([X, X[:, 0]]), columns=["lat", "lon", "height"]))
        HDBSCANGPU(device=ops.name).fit(X)
