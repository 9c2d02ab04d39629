"""Results on the workers as dask arrays, and what the estimators that have them share."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np
from distributed import Future
from sklearn.base import BaseEstimator, clone

from emst.inputs.devices import to_host


def dask_array(futures: list[Future], sizes: Sequence[float], dtype: Any, columns: int | None = None) -> da.Array:
    """Arrays on the workers as one dask array of numpy arrays. Each is brought to the host when it is asked for.

    Parameters
    ----------
    futures : list of Future
        Each an array of shape (size,) or (size, columns), on any device.
    sizes : sequence of int or NaN
        Length of every array; `Chunks.row_chunks` for results that go with the input.
    dtype : dtype
        Of the arrays.
    columns : int, optional
        Number of columns of 2-D arrays.

    Returns
    -------
    dask.array.Array
        Its graph holds the results: they leave the workers' memory when the array is dropped.
    """
    name = f"emst-{uuid.uuid4().hex}"
    wide = () if columns is None else (columns,)
    last = () if columns is None else (0,)
    graph = {(name, i, *last): (to_host, future) for i, future in enumerate(futures)}
    chunks = (tuple(sizes), *((size,) for size in wide))
    return da.Array(graph, name, chunks, dtype=dtype, meta=np.empty((0,) * len(chunks), dtype))


class DaskEstimator(BaseEstimator):
    """An estimator with the parameter `client`. Its clones use the same client, which cannot be copied."""

    def __sklearn_clone__(self) -> Any:
        params = self.get_params(deep=False)
        return type(self)(**{name: one if name == "client" else clone(one, safe=False) for name, one in params.items()})
