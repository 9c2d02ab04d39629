"""Prediction: where a new point would stand in a clustering that stays as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from emst.backend import Array
from emst.hierarchy.flat import Flat

if TYPE_CHECKING:
    from emst.metrics import Metric


@dataclass(frozen=True, eq=False)
class PredictionData:
    """What a fitted model keeps for prediction: references, no copies. An estimator has it as `_prediction_data`.

    That attribute is None (or missing) where nothing was kept. Arrays live on `device`.
    """

    points: Array  # T[n, d]: the kept rows as the tree saw them: finite, in the metric's image, in the dtype computed in
    rows: Array | None  # int[n]: which rows of the fitted X these are; None if they are all of them
    n_rows: int  # rows of the fitted X
    n_features: int  # columns of the fitted X, before the metric's image
    min_samples: int  # counts the point itself
    flat: Flat | None  # clusters, and labels and probabilities of the kept rows; None for fewer than two of them
    epsilon: float
    metric: Metric
    device: str  # "cpu" or "cuda"


def prediction_data_of(model: Any) -> PredictionData:
    """The model's prediction data, or an error that says what to set.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        The model has not been fitted.
    ValueError
        It has kept nothing to predict from.
    """
    check_is_fitted(model)
    data: PredictionData | None = getattr(model, "_prediction_data", None)
    if data is None:
        raise ValueError(
            f"this {type(model).__name__} has kept nothing to predict from: fit it with prediction_data=True and a "
            "metric that has a tree (euclidean, sqeuclidean, cosine, haversine, minkowski with p=2; alpha=1)"
        )
    return data
