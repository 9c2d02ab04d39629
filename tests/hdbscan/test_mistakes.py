"""What newcomers get wrong: the message names the way out."""

import datetime
import pathlib

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import emst
from emst import EMST, HDBSCANGPU

X = np.random.default_rng(3).random((50, 2))


def asymmetric(by=1.0):
    matrix = squareform(pdist(X))
    matrix[3, 7] += by
    return matrix


@pytest.mark.parametrize(
    "metric, meant",
    [("euclidian", "euclidean"), ("Manhatten", "manhattan"), ("cosin", "cosine"), ("havesine", "haversine")],
)
@pytest.mark.parametrize("make", [EMST, HDBSCANGPU])
def test_a_metric_that_is_misspelt(make, metric, meant):
    with pytest.raises(ValueError, match=f"got '{metric}': did you mean '{meant}'\\?$"):
        make(metric=metric, device="cpu").fit(X)
    with pytest.raises(ValueError, match=r"got 'zzz'$"):
        make(metric="zzz", device="cpu").fit(X)


@pytest.mark.parametrize(
    ("returned", "shown"),
    [(np.zeros(2), r"an array of shape \(2,\)"), ("x", "'x'"), (None, "None"), (1j, "1j"), ([0.0], r"\[0.0\]")],
    ids=["array", "text", "None", "complex", "list"],
)
def test_a_function_that_returns_no_number(returned, shown):
    with pytest.raises(ValueError, match=f"metric must be a function that returns a number; it returned {shown}"):
        HDBSCANGPU(metric=lambda a, b: returned, device="cpu").fit(X)


def test_a_method_that_is_misspelt():
    with pytest.raises(ValueError, match="did you mean 'leaf'"):
        HDBSCANGPU(cluster_selection_method="leafs", device="cpu").fit(X)


@pytest.mark.parametrize("make", [EMST, HDBSCANGPU])
@pytest.mark.parametrize("path", ["places.csv", pathlib.Path("places.csv")])
def test_a_path(make, path):
    with pytest.raises(ValueError, match=r"^X is a path; pass the points in it: emst\.read_points\('places\.csv'\)$"):
        make(device="cpu").fit(path)


@pytest.mark.parametrize("make", [EMST, HDBSCANGPU])
@pytest.mark.parametrize("kind", ["tz", "period", "category", "polars"])
def test_frames_of_other_kinds(make, kind):
    pandas = pytest.importorskip("pandas")
    dates = pandas.date_range("2024-01-01", periods=50)
    others = {
        "tz": dates.tz_localize("UTC"),
        "period": dates.to_period("D"),
        "category": pandas.Categorical(["a"] * 50),
    }
    if kind == "polars":
        frame = pytest.importorskip("polars").DataFrame({"x": X[:, 0], "what": ["a"] * 50})
    else:
        frame = pandas.DataFrame({"x": X[:, 0], "what": others[kind]})
    with pytest.raises(ValueError, match=r"^X must hold real numbers; its column 'what' holds "):
        make(device="cpu").fit(frame)


def test_missing_values_are_not_the_fault():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": pandas.array([True, None] * 25, "boolean"), "what": ["a"] * 50})
    with pytest.raises(ValueError, match="column 'what' holds text"):
        HDBSCANGPU(device="cpu").fit(frame)


@pytest.mark.parametrize(
    "values, held",
    [
        (["a"] * 50, "text, or other objects"),
        ([datetime.datetime(2024, 1, 1)] * 50, r"datetime64\[.*\]"),
        ([datetime.timedelta(1)] * 50, r"timedelta64\[.*\]"),
        ([[1]] * 50, "text, or other objects"),
    ],
)
@pytest.mark.parametrize("make", [EMST, HDBSCANGPU])
def test_a_frame_with_other_columns(make, values, held):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": X[:, 0], "what": pandas.Series(values), "y": X[:, 1]})
    with pytest.raises(ValueError, match=f"^X must hold real numbers; its column 'what' holds {held}$"):
        make(device="cpu").fit(frame)


def test_fewer_points_than_the_default():
    with pytest.raises(ValueError) as raised:
        HDBSCANGPU(device="cpu").fit(X[:3])
    assert str(raised.value).startswith(
        "X has 3 samples, which is fewer than min_cluster_size (5): no cluster is possible"
    )


def test_where_a_matrix_is_not_symmetric():
    with pytest.raises(ValueError, match=r"asymmetric: X\[3, 7\] is [\d.]+ and X\[7, 3\] is [\d.]+\."):
        HDBSCANGPU(metric="precomputed", device="cpu").fit(asymmetric())
    with pytest.raises(ValueError, match=r"asymmetric: X\[3, 7\] is inf and X\[7, 3\] is"):
        HDBSCANGPU(metric="precomputed", device="cpu").fit(asymmetric(np.inf))
    HDBSCANGPU(metric="precomputed", device="cpu").fit(asymmetric(1e-15))


def test_a_vector_of_distances():
    with pytest.raises(ValueError, match=r"X has shape \(1225,\)\. Of a vector .*squareform\(X\) makes one"):
        HDBSCANGPU(metric="precomputed", device="cpu").fit(pdist(X))
    assert len(HDBSCANGPU(metric="precomputed", device="cpu").fit(squareform(pdist(X))).labels_) == 50


def test_eps():
    with pytest.raises(
        TypeError, match=r"no parameter 'eps': use cluster_selection_epsilon, or .*dbscan_clustering\(eps\)"
    ):
        HDBSCANGPU(eps=0.5)
    assert hasattr(emst.HDBSCANGPU, "dbscan_clustering")
