"""The classes of `emst.compat` are estimators to scikit-learn, and say which data they take."""

import pytest
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from emst.compat import cuml_hdbscan, hdbscan

CLASSES = [hdbscan.HDBSCAN, hdbscan.RobustSingleLinkage, cuml_hdbscan.HDBSCAN]


@parametrize_with_checks([one() for one in CLASSES])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("one", CLASSES, ids=lambda one: f"{one.__module__.split('.')[2]}.{one.__name__}")
def test_tags(one):
    points, distances = (get_tags(one(metric=metric)).input_tags for metric in ("manhattan", "precomputed"))
    assert (points.sparse, points.allow_nan, points.pairwise) == (True, True, False)
    assert (distances.sparse, distances.allow_nan, distances.pairwise) == (True, False, True)
