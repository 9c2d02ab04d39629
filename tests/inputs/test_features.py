"""Features are looked at before any work is done, and a fit that fails leaves a fitted estimator as it was."""

import numpy as np
import pytest
from helpers import cloud

import emst.euclidean
import emst.hdbscan.estimator
from emst import EMST, HDBSCANGPU

ESTIMATORS = [EMST(min_samples=2, device="cpu"), HDBSCANGPU(store_centers="both", prediction_data=True, device="cpu")]


class Stop(Exception):
    pass


def stop(*args, **options):
    raise Stop


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_mixed_column_names_fail_before_the_tree(monkeypatch, estimator):
    pandas = pytest.importorskip("pandas")
    monkeypatch.setattr(emst.euclidean, "minimum_spanning_tree", stop)
    monkeypatch.setattr(emst.hdbscan.estimator, "tree_model", stop)
    with pytest.raises(TypeError, match="column names"):
        estimator.fit(pandas.DataFrame(cloud(50, 2, np.float64), columns=["east", 1]))
    with pytest.raises(Stop):
        estimator.fit(pandas.DataFrame(cloud(50, 2, np.float64), columns=["east", "north"]))


def broken(x):
    x = x.copy()
    x[3] = np.nan
    return x


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("fault", ["names", "rows", "stage"])
def test_a_failed_fit_changes_nothing(monkeypatch, estimator, fault):
    pandas = pytest.importorskip("pandas")
    x = cloud(50, 2, np.float64)
    estimator.fit(pandas.DataFrame(x, columns=["east", "north"]))
    before = dict(vars(estimator))
    other = cloud(40, 3, np.float64)
    if fault == "names":
        other = pandas.DataFrame(other, columns=["a", "b", 3])
    elif fault == "rows":
        other = broken(other) if isinstance(estimator, EMST) else other[:3]  # fewer than min_samples
    else:  # the last thing that can go wrong
        name = "total_weight" if isinstance(estimator, EMST) else "prepare_queries"
        home = emst.euclidean.MinimumSpanningTree if isinstance(estimator, EMST) else emst.hdbscan.estimator.Model
        monkeypatch.setattr(home, name, property(stop) if isinstance(estimator, EMST) else stop)
    with pytest.raises((TypeError, ValueError, Stop)):
        estimator.fit(other)
    assert vars(estimator).keys() == before.keys()
    assert all(vars(estimator)[name] is value for name, value in before.items())


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_names_go_with_the_data_they_came_with(estimator):
    pandas = pytest.importorskip("pandas")
    x = cloud(50, 2, np.float64)
    assert estimator.fit(pandas.DataFrame(x, columns=["east", "north"])).feature_names_in_.tolist() == ["east", "north"]
    estimator.fit(cloud(50, 3, np.float64))
    assert not hasattr(estimator, "feature_names_in_")
    assert estimator.n_features_in_ == 3
