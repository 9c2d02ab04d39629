"""Labels and probabilities of new points in a clustering over many workers: `approximate_predict`."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from emst.dask.engine import DaskEngine
from emst.dask.faults import LostInput, read_again
from emst.dask.inputs import chunks_of
from emst.dask.outputs import DaskEstimator, dask_array
from emst.distances.metrics import check_columns
from emst.inputs.features import check_features
from emst.partitions.model import Model
from emst.partitions.prediction import predicted

__all__ = ["approximate_predict"]

LOST_MODEL = (
    "the model was lost with a worker, and what it was fitted to cannot be read again; fit it again, to paths or to a "
    "dask array that reads its chunks"
)


def approximate_predict(model: Any, X: Any) -> tuple[Any, Any]:
    """Labels of new points in the clustering of a fitted model, which they do not change.

    Parameters
    ----------
    model : HDBSCAN
        Fitted.
    X : dask array, dask data frame, paths, delayed blocks, or array-like of shape (m, d)
        New points, with the columns of the training data; rows may hold NaN and infinities.

    Returns
    -------
    labels : dask array, int64 of shape (m,)
        As `emst.hdbscan.prediction.approximate_predict` returns them, in the chunks of `X`. A row that equals a
        training point gets that point's label.
    probabilities : dask array, float64 of shape (m,)
        Likewise.

    Raises
    ------
    TypeError
        `model` is no `HDBSCAN` of this package; what `emst.dask.minimum_spanning_tree` raises.
    sklearn.exceptions.NotFittedError
        `model` has not been fitted.
    ValueError, RuntimeError, FileNotFoundError
        `X` does not have the columns of the training data; rows of zeros under "cosine"; what
        `emst.dask.minimum_spanning_tree` raises, but for rows that are not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from emst.dask import HDBSCAN, local_cluster
    >>> client = local_cluster(2, device="cpu")
    >>> from emst.dask.prediction import approximate_predict
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, size=(1000, 2)) for c in (0, 20, 40)])
    >>> model = HDBSCAN(min_cluster_size=100, min_samples=5, client=client).fit(X)
    >>> labels, probabilities = approximate_predict(model, np.array([[0.5, 0.5], [20.0, 21.0]]))
    >>> labels.compute()
    array([2, 1])
    >>> client.close()
    """
    if not (isinstance(model, DaskEstimator) and isinstance(model, ClusterMixin)):
        raise TypeError(f"the first argument must be a fitted emst.dask.HDBSCAN; got {type(model).__qualname__}")
    check_is_fitted(model)
    fitted: Model = model._model
    engine: DaskEngine = model._engine

    def predict() -> tuple[Any, Any]:
        with engine.releasing():
            given = chunks_of(X, engine, fitted.fitted.units.dtype, queries=True)
            check_features(model, given.header)
            metric = fitted.fitted.units.metric
            if metric.sphere is not None:
                check_columns(getattr(given.header, "columns", ()), metric)
            labels, probabilities = predicted(fitted, given)
            return (
                dask_array(labels, given.row_chunks, np.int64),
                dask_array(probabilities, given.row_chunks, np.float64),
            )

    try:
        return read_again(X, predict)
    except LostInput:
        if any(future.cancelled() for future in fitted.futures):  # Dask cannot compute it again
            raise LostInput(LOST_MODEL) from None
        raise
