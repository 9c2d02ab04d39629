"""Weights of rows on Dask. `tests/partitions/test_weights.py` tests the method with more points."""

import dask
import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from helpers import to_host

import emst
from emst.dask import EMST, minimum_spanning_tree
from emst.dask.hdbscan import HDBSCAN

PARAMETERS = {"min_cluster_size": 20, "min_samples": 6}
ROWS = 240


def points(rng):
    X = rng.random((5, 2))[rng.integers(0, 5, ROWS)] * 9 + rng.standard_normal((ROWS, 2)) / 5
    X[3], X[90, 1] = np.nan, np.inf
    return X


WEIGHTS = {
    "other chunks": lambda w: da.from_array(w, chunks=((100, 0, 37, 103),)),
    "chunks of unknown sizes": lambda w: da.from_array(np.r_[-1, w], chunks=50)[da.from_array(np.r_[-1, w], 50) >= 0],
    "a series": lambda w: dd.from_pandas(pd.Series(w), npartitions=3),
    "a column": lambda w: dd.from_pandas(pd.DataFrame({"w": w}), npartitions=2)["w"],
    "a list": lambda w: w.tolist(),
}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_weights_come_into_the_chunks_of_the_points(where, rng, kind):
    X, weights = points(rng), rng.integers(0, 5, ROWS)
    wanted = emst.HDBSCAN(**PARAMETERS, device=where["device"]).fit(X, sample_weight=weights)
    chunks = da.from_array(X, chunks=((90, 1, 149), 2))
    found = HDBSCAN(**PARAMETERS, partitions=4, **where).fit(chunks, sample_weight=WEIGHTS[kind](weights))
    labels, probabilities = found.to_local()
    np.testing.assert_array_equal(labels, to_host(wanted.labels_))
    np.testing.assert_array_equal(probabilities, to_host(wanted.probabilities_))
    assert found.labels_.chunks == (chunks.chunks[0],)
    if kind == "a list":
        client = where["client"]
        np.testing.assert_array_equal(found.cluster_persistence_, wanted.cluster_persistence_)
        cores = found.core_distances_.compute(scheduler=client)
        np.testing.assert_array_equal(cores, to_host(wanted.core_distances_))
        np.testing.assert_array_equal(found.condensed_tree_.to_numpy(), wanted.condensed_tree_.to_numpy())
        queries = X[:40] + 0.05
        np.testing.assert_array_equal(
            found.predict(queries).compute(scheduler=client), to_host(wanted.predict(queries))
        )
        again = found.recluster(min_cluster_size=8).to_local()[0]
        np.testing.assert_array_equal(again, to_host(wanted.recluster(min_cluster_size=8).labels_))
        again = found.fit_predict(chunks, sample_weight=weights).compute(scheduler=client)
        np.testing.assert_array_equal(again, labels)


def test_weights_of_one_are_no_weights(where, rng):
    X = points(rng)
    found = HDBSCAN(**PARAMETERS, **where).fit(X, sample_weight=np.ones(ROWS))
    assert found._model.fitted.tree.search.bits is None
    assert found.condensed_tree_.to_numpy()["child_size"].dtype == np.int64


@pytest.mark.parametrize("k", [1, 7])
def test_trees(where, rng, k):
    X, weights = np.round(points(rng)[100:], 1), rng.integers(1, 9, ROWS - 100)
    wanted = emst.minimum_spanning_tree(X, min_samples=k, sample_weight=weights, device=where["device"])
    given = {"min_samples": k, "partitions": 3, **where}
    fitted = EMST(**given).fit(X, sample_weight=weights)
    for found in (fitted.to_local(), minimum_spanning_tree(X, sample_weight=weights, **given).to_local()):
        np.testing.assert_array_equal(found.edges, to_host(wanted.edges))
        np.testing.assert_array_equal(found.weights, to_host(wanted.weights))
        if k > 1:
            np.testing.assert_array_equal(found.core_distances, to_host(wanted.core_distances))
    height = float(to_host(wanted.weights)[70])
    cut = fitted.cut(height, 3).compute(scheduler=where["client"])
    np.testing.assert_array_equal(cut, to_host(wanted.cut(height, 3)))


BAD = {
    r"must have one weight for each of the 240 rows of X; got shape \(239,\)": lambda w: da.from_array(
        w[1:], chunks=60
    ),
    "got a data frame: pass its column": lambda w: dd.from_pandas(pd.DataFrame({"w": w}), npartitions=3),
    r"must have one weight for each of the 240 rows of X; got shape \(240, 1\)": lambda w: w[:, None],
    r"rows of X; got shape \(240, 2\)": lambda w: da.from_array(np.stack([w, w], axis=1), chunks=60),
    r"it is NaN in 2 rows, first in 70$": lambda w: da.from_array(
        np.where(w[:, None] == 0, np.nan, 1)[:, 0], chunks=60
    ),
    r"it is negative in 238 rows, first in 0$": lambda w: -w,
    r"every weight is zero": lambda w: 0 * w,
    r"must hold real numbers; got dtype": lambda w: w.astype(str),
    r"must sum to less than 2\*\*52": lambda w: (w + 1) * 2.0**46,
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_weights(where, rng, sentence):
    X, weights = rng.random((ROWS, 2)), rng.integers(1, 9, ROWS)
    weights[[70, 150]] = 0
    for fit in (HDBSCAN(**where).fit, EMST(**where).fit):
        with pytest.raises(ValueError, match=f"^sample_weight .*{sentence}"):
            fit(da.from_array(X, chunks=(50, 2)), sample_weight=BAD[sentence](weights))


def test_what_takes_no_such_weights_says_so(where, rng):
    X, weights = rng.random((ROWS, 2)), rng.integers(0, 2, ROWS) * 2
    with pytest.raises(ValueError, match=r"^sample_weight must be positive; it is 0 in .* rows, first in"):
        EMST(**where).fit(X, sample_weight=weights)
    with pytest.raises(
        TypeError, match=r"^sample_weight is a dask collection of type Bag; pass a dask array or a series"
    ):
        HDBSCAN(**where).fit(X, sample_weight=db.from_sequence(weights.tolist()))
    with pytest.raises(TypeError, match=r"^sample_weight is a dask collection of type Delayed.*; pass a dask array"):
        HDBSCAN(**where).fit(X, sample_weight=dask.delayed(weights))
    with pytest.raises(
        ValueError, match=r"^min_samples .900. must be at most the sum of sample_weight over finite rows"
    ):
        HDBSCAN(min_samples=900, **where).fit(X, sample_weight=weights)
    with pytest.raises(ValueError, match=r"^min_samples must be between 1 and the sum of sample_weight .*; got 900$"):
        EMST(min_samples=900, **where).fit(X, sample_weight=weights + 1)
    with pytest.raises(ValueError, match=r"X has 1 row without NaN and infinity, with a weight above 0; HDBSCAN over"):
        HDBSCAN(**where).fit(X, sample_weight=np.where(np.arange(ROWS) == 7, 9, 0))
    X[[5, 9]] = 0
    weights[5], weights[9] = 0, 1
    with pytest.raises(ValueError, match=r"not defined for rows of zeros: X has 1 such row, first in row 5$"):
        HDBSCAN(metric="cosine", **where).fit(X, sample_weight=weights)
