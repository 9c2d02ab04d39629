"""Arrays that scikit-learn would return as they are skip its checks, and only those."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from emst.inputs.features import features_of
from emst.inputs.points import AS_NUMBERS, _is_ready, check_points

X = np.random.default_rng(0).random((20, 6))
ARRAYS = {
    "float64": X,
    "float32": X.astype(np.float32),
    "columns": np.asfortranarray(X),
    "gaps": X[::2, ::3],
    "NaN": np.where(X > 0.9, np.nan, X),
    "read-only": np.broadcast_to(X[:1], (20, 6)),
    "one point": X[:1],
    "integers": (9 * X).astype(int),
    "float16": X.astype(np.float16),
    "other byte order": X.astype(X.dtype.newbyteorder()),
    "masked": np.ma.masked_greater(X, 2.0),
    "objects": X.astype(object),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_the_array_is_that_of_scikit_learn(name):
    expected, found = check_array(ARRAYS[name], **AS_NUMBERS), check_points(ARRAYS[name], device="cpu").array
    assert type(found) is type(expected) and found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    assert not _is_ready(ARRAYS[name]) or expected is ARRAYS[name]
    assert _is_ready(ARRAYS[name]) == (list(ARRAYS).index(name) < 7)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (3,), (3, 2, 1)])
def test_shapes_without_points_are_not_ready(shape):
    assert not _is_ready(np.zeros(shape))
    with pytest.raises(ValueError):
        check_points(np.zeros(shape), device="cpu")


@pytest.mark.parametrize("name", ARRAYS)
def test_the_features_are_those_of_scikit_learn(name):
    probe = BaseEstimator()
    validate_data(probe, ARRAYS[name], skip_check_array=True)
    assert features_of(ARRAYS[name]) == vars(probe)
