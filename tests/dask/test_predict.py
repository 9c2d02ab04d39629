"""Predictions on Dask are those of one device, bit for bit. `tests/partitions/test_prediction.py` tests the method with
more points."""

import dask.array as da
import numpy as np
import pytest
from helpers import around, blobs
from sklearn.exceptions import NotFittedError

import emst
from emst.dask.hdbscan import HDBSCAN
from emst.dask.prediction import approximate_predict
from emst.hdbscan.prediction import approximate_predict as predict_on_one


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request):
    return request.param


def fitted(client, device, x, partitions=3, **params):
    """A model over partitions, and one of one device."""
    model = HDBSCAN(device=device, partitions=partitions, client=client, **params).fit(x)
    return model, emst.HDBSCANGPU(device=device, **params).fit(x)


def check(model, single, x, queries):
    """Labels and probabilities of new points and of the points themselves."""
    found = approximate_predict(model, np.concatenate([queries, x]).astype(queries.dtype))
    expected = predict_on_one(single, queries)
    for ours, theirs, own in zip(found, expected, (model.labels_, model.probabilities_)):
        ours = ours.compute()
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours[: len(queries)], theirs)
        np.testing.assert_array_equal(ours[len(queries) :], own.compute())
    return expected


@pytest.mark.parametrize("k", [1, 5])
def test_new_points(client, device, k):
    x = blobs()
    model, single = fitted(client, device, x, min_samples=k, alpha=1.3)
    assert len(model._model.fitted.tree.places) > 1
    labels, _ = check(model, single, x, around(x))
    assert len(np.unique(labels)) > 2


def test_rows_that_are_not_finite(client, device):
    x = blobs()
    x[5, 1], x[8, 0] = np.nan, np.inf
    model, single = fitted(client, device, x)
    queries = np.concatenate([around(blobs()), [[np.nan, 0], [np.inf, 0], [np.inf, -np.inf]]])
    labels, probabilities = check(model, single, x, queries)
    assert labels[-3:].tolist() == [-3, -2, -3] and np.isnan(probabilities[-3]) and probabilities[-2] == 0
    bad = model.predict(np.full((3, 2), np.nan)).compute()
    assert bad.dtype == np.int64 and bad.tolist() == [-3] * 3


def test_chunks(client, device):
    """Results are in the chunks of the new points; some chunks are empty, or of unknown sizes."""
    x = blobs()
    model, single = fitted(client, device, x)
    queries = around(x)
    expected, probabilities = predict_on_one(single, queries)
    labels = model.predict(da.from_array(queries, chunks=(50, 2)))
    assert isinstance(labels, da.Array) and labels.chunks[0] == (50, 50, 50, 30)
    np.testing.assert_array_equal(labels.compute(), expected)
    kept = np.repeat([True, False, True, True], [50, 50, 50, 30])
    some = da.from_array(queries, chunks=(50, 2))[da.from_array(kept, chunks=50)]
    found = approximate_predict(model, some)
    assert np.isnan(found[0].chunks[0]).all()
    np.testing.assert_array_equal(found[0].compute(), expected[kept])
    np.testing.assert_array_equal(found[1].compute(), probabilities[kept])


def test_after_recluster(client, device):
    x = blobs()
    model, single = fitted(client, device, x, min_cluster_size=5)
    options = {"cluster_selection_method": "leaf", "min_cluster_size": 12}
    check(model.recluster(**options), single.recluster(**options), x, around(x))


def test_dtype_of_queries(client, device):
    """New points are computed in the dtype of the points."""
    x = blobs(dtype=np.float32)
    model, single = fitted(client, device, x)
    for queries in (around(blobs()), np.arange(8).reshape(4, 2)):
        for ours, theirs in zip(approximate_predict(model, queries), predict_on_one(single, queries)):
            np.testing.assert_array_equal(ours.compute(), theirs)


def test_what_is_refused(client, device):
    x = blobs(n=60)
    with pytest.raises(NotFittedError):
        HDBSCAN(client=client, device=device).predict(x)
    model = HDBSCAN(client=client, device=device, metric="cosine").fit(x)
    with pytest.raises(ValueError, match="X has 1 features, but HDBSCAN is expecting 2 features as input"):
        model.predict(x[:, :1])
    with pytest.raises(TypeError, match=r"must be a fitted emst\.dask\.HDBSCAN; got ndarray"):
        approximate_predict(x, model)
    queries = blobs(n=40)
    queries[[3, 26]], queries[30] = np.nan, 0  # a row is left out of every chunk, before the one of zeros
    with pytest.raises(ValueError, match=r"metric='cosine' is not defined for row 30 of X, which is all zeros"):
        model.predict(queries)
    chunks = da.from_array(queries, chunks=(25, 2))
    with pytest.raises(ValueError, match=r"not defined for row 30 \(chunk 1, row 5 of it\) of X, which is all zeros"):
        model.predict(chunks)
