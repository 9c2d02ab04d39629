"""Validation of points, and results in the caller's kind of array.

Host data (lists, numpy, pandas, torch on the CPU) is read by scikit-learn's `check_array`. Data on a GPU (cupy, torch,
anything with ``__cuda_array_interface__`` or a CUDA DLPack capsule) stays on that GPU.
"""

from __future__ import annotations

import contextlib
import numbers
import os
from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.inputs.devices import choose_device, gpu_of, is_cupy_sparse, on_gpu, opened, placed
from emst.inputs.summary import counted

MAX_POINTS = 2**31 - 1  # ids are 32-bit
AS_NUMBERS = {"dtype": "numeric", "ensure_all_finite": False, "input_name": "X"}  # how scikit-learn reads host data


@dataclass(frozen=True)
class CheckedPoints:
    """Points with checked shape and dtype. Their values are not checked yet: the statistics of the points do that.

    Attributes
    ----------
    array : numpy.ndarray or cupy.ndarray of shape (n, d)
        Of any real dtype and layout, on the caller's device: nothing large has been allocated yet.
    dtype : dtype
        float32 or float64: what to compute in.
    device : {"cpu", "cuda"}
        Where to compute.
    gpu : int or None
        Number of the GPU that holds the array; None for the host.
    give : callable
        Function that turns a result on any device into the caller's kind of array on the caller's device.
    give_rows : callable or None
        The same for values of all rows, where the caller gave the rows in a list; None for `give`.
    """

    array: Array
    dtype: np.dtype
    device: str
    gpu: int | None
    give: Callable[[Array], Any]
    give_rows: Callable[[Array], Any] | None = None

    def give_values(self, values: Array) -> Any:
        """Values of all rows as the caller's kind of array."""
        return (self.give_rows or self.give)(values)

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Makes the GPU that holds the caller's data the current one."""
        return on_gpu(self.gpu)


def check_points(X: Any, *, device: str = "auto", dtype: Any = None) -> CheckedPoints:
    """Check everything about `X` and the options that does not depend on the values in `X`.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Of any library, on any device.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where to compute. "auto" takes the GPU that holds the data; for data on the host the current GPU if it can be
        used, otherwise the CPU.
    dtype : {None, float32, float64}, default None
        What to compute in; None as `float_of` says.

    Raises
    ------
    ValueError
        Wrong number of dimensions, no points, no features, too many points, values that are not real numbers, an
        unknown `device` or `dtype`.
    TypeError
        A sparse matrix.
    RuntimeError
        ``device="cuda"`` without CuPy or without a GPU.
    """
    check_dtype(dtype)
    check_holds_points(X)
    array, gpu, give = opened(X)
    if gpu is not None:
        _check_device_array(array)
    elif _is_ready(array):
        pass
    elif np.ma.is_masked(array):
        raise ValueError("X is masked: leave those rows out, or fill them")
    else:
        if hasattr(array, "columns") and hasattr(array, "sparse"):  # pandas: all columns are sparse
            array = array.sparse.to_dense()
        given = array
        try:
            array = check_array(array, **AS_NUMBERS)
            if array.dtype == object:  # lists that hold None, decimals or large integers
                array = check_array(array, **AS_NUMBERS)
        except (ValueError, TypeError, OverflowError) as error:
            if isinstance(error, TypeError) and not hasattr(given, "columns"):
                raise
            raise _explained(given, error) from error
    if len(array) > MAX_POINTS:
        raise ValueError(f"X has {len(array):,} points; ids are 32-bit, so at most {MAX_POINTS:,} are possible")
    return CheckedPoints(array, float_of(array.dtype, dtype), choose_device(device, gpu), gpu, give)


def check_holds_points(X: Any) -> None:
    """Raise ValueError for what leads to points only by another call."""
    if isinstance(X, (str, os.PathLike)):
        raise ValueError(f"X is a path; pass the points in it: emst.read_points({os.fspath(X)!r})")
    if not hasattr(X, "shape") and isinstance(X, Mapping):  # SciPy's DOK matrices are dictionaries
        raise ValueError(f"X is a {type(X).__name__}; pass its columns as a data frame: pandas.DataFrame(X)")
    if type(X).__name__ == "LazyFrame":
        raise ValueError("X is a LazyFrame, whose rows have not been read; pass X.collect()")


def _is_ready(array: Any) -> bool:
    """Whether scikit-learn would return an array of the host as it is: its checks take longer than a small tree's
    search."""
    kind = type(array) is np.ndarray and array.ndim == 2 and array.dtype in (np.float32, np.float64)
    return bool(kind and 0 not in array.shape)


def check_2d(X: Any) -> None:
    """Raise ValueError for an array that does not have two dimensions, and for a structured array."""
    names = getattr(getattr(X, "dtype", None), "names", None)
    if names:
        raise ValueError(
            f"X is a structured array with the fields {', '.join(names)}; points are the rows of a plain one: pass "
            "numpy.lib.recfunctions.structured_to_unstructured(X)"
        )
    if getattr(X, "ndim", 2) != 2:
        raise ValueError(
            f"Expected 2D array X of shape (n_points, n_dimensions), got {X.ndim}D of shape {X.shape}. Reshape your "
            "data with X.reshape(-1, 1) if it has a single dimension, or X.reshape(1, -1) if it is a single point"
        )


def check_real(dtype: np.dtype) -> None:
    """Raise ValueError for a dtype that does not hold real numbers."""
    if dtype.kind not in "biuf":
        more = ". Complex data not supported" if dtype.kind == "c" else ""  # words that scikit-learn's tests look for
        raise ValueError(f"X must hold real numbers; got dtype {dtype}{more}")


def check_finite(bad: int, first: int) -> None:
    """Raise ValueError if statistics counted `bad` rows with NaN or infinity, of which `first` is the first."""
    if bad:
        raise ValueError(f"X contains NaN or infinity in {counted(bad, 'row')}, first in row {first}")


def in_range(X: Array, dtype: np.dtype, ops: Backend, first: int = 0) -> Array:
    """Points on the backend in `dtype`. ValueError if a row, counted from `first`, is finite in `X` but not there."""
    points = ops.asarray(X, dtype)
    if X.dtype.kind != "f" or X.dtype.itemsize <= dtype.itemsize or len(X) == 0 or not ops.point_statistics(points).bad:
        return points
    rows = placed(np.flatnonzero(~np.isfinite(points).all(axis=1)), gpu_of(X))
    finite = rows[np.isfinite(X[rows]).all(axis=1)]
    if len(finite):
        raise ValueError(
            f"X holds numbers beyond the range of {dtype} in {counted(len(finite), 'row')}, first in row "
            f"{first + int(finite.min())}; " + ("compute in float64, or scale X" if dtype == np.float32 else "scale X")
        )
    return points


def check_min_samples(min_samples: Any, n: int, most: str = "the number of points, n_samples = {}") -> int:
    """`min_samples` as an int between 1 and n, or ValueError, which says by `most` what n is."""
    if not isinstance(min_samples, (int, numbers.Integral)) or isinstance(min_samples, bool):
        raise ValueError(f"min_samples must be an integer; got {min_samples!r}")
    if not 1 <= int(min_samples) <= n:
        raise ValueError(f"min_samples must be between 1 and {most.format(n)}; got {min_samples}")
    return int(min_samples)


def check_dtype(dtype: Any) -> None:
    """Raise ValueError unless `dtype` is None, float32 or float64."""
    try:
        supported = dtype is None or np.dtype(dtype) in (np.float32, np.float64)
    except TypeError:
        supported = False
    if not supported:
        raise ValueError(f"dtype must be float32, float64 or None; got {dtype!r}")


def float_of(dtype: np.dtype, wanted: Any) -> np.dtype:
    """What numbers of `dtype` are computed in: `wanted`; by default float16 and float32, in any byte order, in float32,
    everything else in float64.

    Raises
    ------
    ValueError
        `dtype` does not hold real numbers.
    """
    check_real(dtype)
    if wanted is not None:
        return np.dtype(wanted)
    return np.dtype(np.float32 if dtype.kind == "f" and dtype.itemsize <= 4 else np.float64)


def _explained(X: Any, error: Exception) -> ValueError:
    """What scikit-learn found wrong with host data, in our words where its own do not name the argument, or print
    complex numbers."""
    if isinstance(error, OverflowError):
        return ValueError(f"X holds an integer that no float64 can hold: {error}")
    if isinstance(X, (list, tuple)) and len({len(row) if isinstance(row, Sized) else 0 for row in X}) > 1:
        return ValueError("X must hold rows of equally many numbers")
    try:
        check_2d(X)
        if np.iscomplexobj(X):
            check_real(np.asarray(X).dtype)
    except ValueError as ours:
        return ours
    column = _column_without_numbers(X)
    return ValueError(f"X: {error}" if column is None else f"X must hold real numbers; its column {column}")


def _column_without_numbers(X: Any) -> str | None:
    """The first column of a data frame that holds something else than real numbers, as words for an error; or None."""
    names = getattr(X, "column_names", None) or getattr(X, "columns", None)
    for name in () if names is None else names:
        values = np.asarray(X[name])
        if values.ndim == 1 and values.dtype.kind in "mM":
            return f"{name!r} holds {values.dtype}"
        if values.ndim == 1 and values.dtype.kind not in "biuf" and not all(map(_is_real_or_missing, values)):
            return f"{name!r} holds text, or other objects"
    return None


def _is_real_or_missing(value: Any) -> bool:
    try:
        float(value)
    except (ValueError, TypeError):
        return value is None or type(value).__name__ == "NAType"
    return True


def _check_device_array(X: Any) -> None:
    if is_cupy_sparse(X):
        raise TypeError("X is a sparse matrix on a GPU; sparse features are read on the host: pass X.get()")
    check_2d(X)
    if 0 in X.shape:
        raise ValueError(f"X needs at least one point and one dimension; got shape {X.shape}")
