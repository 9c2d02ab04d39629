"""Number and names of the features of a data set, as scikit-learn keeps them with an estimator.

They are found before any work is done, so that data which no estimator takes fails at once, and given to the estimator
after it, so that a failed fit changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from emst.inputs.devices import native_array
from emst.inputs.points import check_holds_points

ATTRIBUTES = ("n_features_in_", "feature_names_in_")


def features_of(X: Any) -> dict[str, Any]:
    """`n_features_in_` and, where `X` has string column names, `feature_names_in_`.

    Raises
    ------
    TypeError
        Column names of which only some are strings.
    """
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "fiu":  # no names; scikit-learn takes its time
        return {"n_features_in_": X.shape[1]}
    if hasattr(X, "__cuda_array_interface__") and X.ndim == 2:
        return {"n_features_in_": X.shape[1]}
    check_holds_points(X)
    probe = BaseEstimator()
    try:
        validate_data(probe, X if hasattr(X, "shape") else _sized(X), skip_check_array=True)
    except Exception as error:
        repeated = _repeated_name(X)
        if repeated is not None:
            raise ValueError(f"X has several columns called {repeated!r}; rename them, or pass X.to_numpy()") from error
        raise
    return dict(vars(probe))


def check_same_names(named: Sequence[tuple[str, Sequence[Any]]]) -> None:
    """Raise ValueError where arrays of rows differ in the names of their columns. Each has what errors call it."""
    for array, names in named:
        if list(names) != list(named[0][1]):
            has, first = (", ".join(map(str, each)) for each in (names, named[0][1]))
            raise ValueError(f"{array} has the columns {has}, but {named[0][0]} has {first}")


def _repeated_name(X: Any) -> Any:
    """The first name that several columns of a data frame have; None if there is none."""
    names = list(getattr(X, "columns", ()))
    return next((name for i, name in enumerate(names) if name in names[:i]), None)


def set_features(estimator: Any, features: dict[str, Any]) -> None:
    """Set the attributes that `features_of` found, and remove those that an earlier fit left."""
    for name in ATTRIBUTES:
        vars(estimator).pop(name, None)
    vars(estimator).update(features)


def check_features(estimator: Any, X: Any) -> None:
    """Raise ValueError where `X` does not have the features that the estimator was fitted to."""
    validate_data(estimator, X if hasattr(X, "shape") else _sized(X), reset=False, skip_check_array=True)


def tag_inputs(tags: Any, metric: Any) -> None:
    """Say in scikit-learn's tags which data a clustering by `HDBSCANGPU` takes under a metric."""
    inputs, distances = tags.input_tags, metric == "precomputed"
    inputs.sparse, inputs.allow_nan, inputs.pairwise = True, not distances, distances


def _sized(X: Any) -> Any:
    """Data without a shape as scikit-learn can count its features. For an empty list it would raise IndexError."""
    return np.asarray(X) if isinstance(X, (list, tuple)) and len(X) == 0 else native_array(X)
