"""Clusterings on Dask are those of one device, bit for bit. `tests/partitions/test_clusters.py` tests the method with
more points."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import emst
from emst.dask import EMST
from emst.dask.hdbscan import HDBSCAN


def blobs(rng, n):
    centers = rng.random((8, 2)) * 10
    return centers[rng.integers(0, 8, n)] + rng.standard_normal((n, 2)) / 5


def with_bad_rows(X):
    X = X.copy()
    X[[3, 400]], X[5, 1], X[-1, 0] = np.nan, np.inf, -np.inf
    X[7] = np.inf, np.nan
    return X


def assert_same(found, wanted):
    labels, probabilities = found.to_local()
    assert labels.dtype == wanted.labels_.dtype and np.array_equal(labels, wanted.labels_)
    assert np.array_equal(probabilities, wanted.probabilities_, equal_nan=True)
    assert np.array_equal(found.cluster_persistence_, wanted.cluster_persistence_)


OPTIONS = [
    {},
    {"min_cluster_size": 40, "min_samples": 3, "cluster_selection_method": "leaf", "alpha": 1.3},
    {"min_samples": 1, "allow_single_cluster": True, "cluster_selection_epsilon": 0.3, "max_cluster_size": 500},
    {"metric": "minkowski", "metric_params": {"p": 3}, "cluster_selection_persistence": 0.05},
    {"metric_params": {"period": 3.7}, "min_cluster_size": 15, "min_samples": 3},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_the_clusters_of_one_device(where, rng, options):
    X = with_bad_rows(blobs(rng, 800))
    wanted = emst.HDBSCAN(device=where["device"], **options).fit(X)
    found = HDBSCAN(partitions=5, **options, **where).fit(X)
    assert found.report_.partitions == 5 and found.device_ == where["device"]
    assert_same(found, wanted)
    cores = found.core_distances_.compute(scheduler=where["client"])
    assert np.array_equal(cores, wanted.core_distances_, equal_nan=True)
    assert np.array_equal(found.condensed_tree_.to_numpy(), wanted.condensed_tree_.to_numpy())


def test_recluster(where, rng):
    X = blobs(rng, 1000)
    first = HDBSCAN(min_cluster_size=20, min_samples=4, partitions=4, **where).fit(X)
    wanted = emst.HDBSCAN(min_cluster_size=20, min_samples=4, device=where["device"]).fit(X)
    labels = first.to_local()[0]
    for size in (60, 3):
        other = first.recluster(min_cluster_size=size)
        assert_same(other, wanted.recluster(min_cluster_size=size))
        assert other.min_samples == 4
    assert first.min_cluster_size == 20 and np.array_equal(first.to_local()[0], labels)
    with pytest.raises(ValueError, match=r"recluster takes .*; got min_samples"):
        first.recluster(min_samples=3)


def test_places_out_of_range(where, rng):
    """The first row is named as in the caller's chunks, also where rows with NaN were left out before."""
    X = np.stack([rng.normal(50, 2, 600), rng.normal(10, 5, 600)], axis=1)
    X[[1, 250]] = np.nan
    chunks = da.from_array(np.where(np.arange(600)[:, None] < 200, X * 0.01, X), chunks=(200, 2))
    message = r"X has 399 rows beyond, first .* in row 200 \(chunk 1, row 0 of it\)\. For places in degrees pass"
    with pytest.raises(ValueError, match=message):
        HDBSCAN(metric="haversine", **where).fit(chunks)
    X[[1, 250]], X[300] = 1, [200, 3]
    for estimator in (HDBSCAN, EMST):
        fitted = estimator(metric="haversine", metric_params={"degrees": True}, **where)
        with pytest.raises(ValueError, match=r"X has 1 row beyond, first \(200, 3\) in row 300; if longitude"):
            fitted.fit(X)
    X[300] = 3
    fitted = HDBSCAN(metric="haversine", metric_params={"degrees": True}, **where).fit(X)
    X[[2, 301]] = [[np.nan, 0], [-91, 400]]
    with pytest.raises(ValueError, match=r"X has 1 row beyond, first \(-91, 400\) in row 301$"):
        fitted.predict(X)


def test_names_of_places(where):
    frame = dd.from_pandas(pd.DataFrame({"lon": [1.0, 2, 3, 4], "lat": [5.0, 6, 7, 8]}), npartitions=2)
    for estimator in (HDBSCAN, EMST):
        with pytest.raises(ValueError, match=r"X has the columns lon, lat; .* pass X\[\['lat', 'lon'\]\]"):
            estimator(metric="haversine", metric_params={"degrees": True}, **where).fit(frame)
        with pytest.warns(UserWarning, match="X has the columns lat and lon, but metric='euclidean'"):
            estimator(min_samples=2, **where).fit(frame)


def test_results_have_the_chunks_of_the_input(where, rng):
    X = with_bad_rows(blobs(rng, 800))
    chunks = da.from_array(X, chunks=((300, 0, 100, 399, 1), 2))
    found = HDBSCAN(partitions=3, **where).fit(chunks)
    for result in (found.labels_, found.probabilities_, found.core_distances_):
        assert result.chunks == (chunks.chunks[0],)
    assert_same(found, emst.HDBSCAN(device=where["device"]).fit(X))
    assert found.n_features_in_ == 2
    assert np.array_equal(found.fit_predict(chunks).compute(scheduler=where["client"]), found.to_local()[0])


def test_a_chunk_whose_rows_are_all_bad(where, rng):
    X = np.concatenate([np.full((50, 2), np.nan), blobs(rng, 300), np.full((50, 2), np.inf)])
    found = HDBSCAN(partitions=3, **where).fit(da.from_array(X, chunks=(50, 2)))
    assert_same(found, emst.HDBSCAN(device=where["device"]).fit(X))


def test_a_fit_that_fails_leaves_the_estimator(where, rng):
    X = rng.random((20, 2))
    found = HDBSCAN(partitions=2, **where).fit(X)
    labels = found.labels_
    with pytest.raises(ValueError, match="min_samples"):
        found.set_params(min_samples=50).fit(X)
    assert found.labels_ is labels
    with pytest.raises(ValueError, match="min_cluster_size must be"):
        found.set_params(min_cluster_size=1).fit(X)
    with pytest.raises(ValueError, match="min_cluster_size must be an integer of at least 2; got 'auto'"):
        found.set_params(min_cluster_size="auto").fit(X)


def test_clones_have_the_client(where):
    one = HDBSCAN(metric_params={}, **where)
    two = clone(one)
    assert two.client is one.client and two.get_params().keys() == one.get_params().keys()
    assert two.metric_params == {} and two.metric_params is not one.metric_params


@pytest.mark.parametrize("kind", ["pandas", "dask", "parquet"])
def test_names_of_columns(where, tmp_path, kind):
    table = pd.DataFrame(np.random.default_rng(3).normal(size=(60, 2)), columns=["x", "y"])
    if kind == "parquet":
        table.to_parquet(tmp_path / "points.parquet")
        table[["y", "x"]].to_parquet(tmp_path / "others.parquet")
        X, others = tmp_path / "points.parquet", tmp_path / "others.parquet"
    else:
        X, others = table, table[["y", "x"]]
        if kind == "dask":
            X, others = (dd.from_pandas(one, npartitions=2) for one in (X, others))
    mst, model = EMST(**where).fit(X), HDBSCAN(**where).fit(X)
    for one in (mst, model, model.recluster(min_cluster_size=9)):
        assert one.n_features_in_ == 2 and one.feature_names_in_.tolist() == ["x", "y"]
    assert np.array_equal(model.predict(X).compute(scheduler=where["client"]), model.to_local()[0])
    with pytest.raises(ValueError, match="feature names should match those that were passed during fit"):
        model.predict(others)
    assert not hasattr(mst.fit(table.to_numpy()), "feature_names_in_")


def test_column_names_of_two_kinds(where):
    table = pd.DataFrame(np.eye(3), columns=["x", 1, "z"])
    for estimator in (EMST(**where), HDBSCAN(**where)):
        with pytest.raises(TypeError, match="all input features have string names"):
            estimator.fit(table)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "canberra"}, "metric must be one of"),
        ({"metric": "minkowski", "metric_params": {"w": [1, 2]}}, "does not take these metric_params: 'w'"),
        ({"metric": "haversine", "alpha": 2.0}, "would need the matrix of all distances: alpha is not 1"),
    ],
)
def test_metrics_that_need_a_matrix(where, options, message):
    with pytest.raises(ValueError, match=message):
        HDBSCAN(**options, **where).fit(np.eye(2))


@pytest.mark.parametrize(
    ("X", "min_samples", "message"),
    [
        (np.ones((1, 2)), 1, "n_samples=1 while HDBSCAN requires more than one sample"),
        (np.ones((3, 2)), 4, r"min_samples \(4\) must be at most the number of samples in X \(3\)"),
        (np.ones((3, 2)), None, r"X has 3 samples, which is fewer than min_cluster_size \(5\)"),
        (
            np.array([[1, 2], [3, 4], [np.nan, 2]]),
            3,
            r"min_samples \(3\) must be at most the number of finite rows in X \(2\)",
        ),
        (np.full((3, 2), np.nan), 1, "X has 0 rows without NaN and infinity; HDBSCAN over workers needs two"),
        (np.array([[1, 2], [np.inf, 2]]), 2, "X has 1 row without NaN and infinity; HDBSCAN over workers needs two"),
    ],
)
def test_too_few_points(where, X, min_samples, message):
    with pytest.raises(ValueError, match=message):
        HDBSCAN(min_samples=min_samples, **where).fit(X)
