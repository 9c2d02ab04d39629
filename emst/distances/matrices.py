"""Full distance matrices: validation of given ones, and computation for metrics without a faster way.

A spanning tree needs d(u, v) and d(v, u) to be the same number, or a round of Borůvka's loop could close a cycle. So
every matrix that these functions return is exactly symmetric: where d(u, v) and d(v, u) differ in their last digits,
the lesser one replaces both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from emst.backend import backend_of
from emst.backend.records import Array
from emst.distances.pairwise import ROUNDING, near_one, sklearn_pairwise
from emst.inputs.summary import counted

TILE = 512  # rows and columns of the matrix that are compared with their mirror image at once
BLOCK_BYTES = 1 << 26  # of a block of matrix rows computed on a device
RELATIVE, ABSOLUTE = 1e-7, 1e-9  # scikit-learn's tolerances for symmetry, in float64; float32 rounds more coarsely
ON_DEVICE = ("manhattan", "chebyshev", "minkowski", "euclidean", "sqeuclidean", "cosine")


def check_distances(matrix: Array, *, copy: bool = True) -> Array:
    """Check a precomputed distance matrix, and make it exactly symmetric if it is symmetric up to rounding.

    Parameters
    ----------
    matrix : numpy or cupy array of shape (n, n)
        Infinity means that there is no edge. The diagonal may hold any values that are not negative. As in
        scikit-learn, a diagonal entry counts in its matrix row for the core distance, and nowhere else.
    copy : bool
        Return a changed copy where `matrix` is not exactly symmetric. If false, `matrix` itself is changed.

    Returns
    -------
    array of shape (n, n)
        `matrix` itself (or, if it is read-only, a writable view of its memory), or the copy.

    Raises
    ------
    ValueError
        NaN or negative entries (naming the first and how many), a shape that is not square, asymmetric values. The
        messages begin as scikit-learn's do.
    """
    _refuse(matrix, lambda block: block != block, "np.nan values found in precomputed-dense")
    problem = "The precomputed distance matrix is expected to be symmetric, however"
    advice = "Please verify that the distance matrix was constructed correctly."
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{problem} it has shape {matrix.shape}. {advice}")
    _refuse(matrix, lambda block: block < 0, "The precomputed distance matrix holds negative values")
    exact, relative = True, max(RELATIVE, 16 * float(np.finfo(matrix.dtype).eps))
    for tile, mirror in _mirrored_tiles(matrix):
        equal = tile == mirror
        if not bool(equal.all()):
            exact = False
            with np.errstate(invalid="ignore"):  # infinity less infinity
                equal |= abs(tile - mirror) <= ABSOLUTE + relative * np.minimum(tile, mirror)
            if not bool(equal.all()):
                i, j = _first_unequal(matrix, relative)
                pair = f"X[{i}, {j}] is {float(matrix[i, j])!r} and X[{j}, {i}] is {float(matrix[j, i])!r}"
                raise ValueError(f"{problem} its values appear to be asymmetric: {pair}. {advice}")
    return _unlocked(matrix) if exact else _symmetrise(matrix.copy() if copy else matrix)


class _Unlocked:
    """A writable view of a read-only numpy array, by the array interface."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}


def _unlocked(matrix: Array) -> Array:
    """A writable view of a read-only matrix, such as a memory map or what joblib passes to its workers. Kernels do not
    write to a matrix, but they are compiled for writable arrays: blocks of computed distances."""
    locked = isinstance(matrix, np.ndarray) and not matrix.flags.writeable
    return np.asarray(_Unlocked(matrix)) if locked else matrix


def distance_matrix(X: Any, metric: Any, metric_params: dict[str, Any] | None = None) -> Array:
    """The exactly symmetric matrix of the distances between all points, on the device of `X`.

    Parameters
    ----------
    X : numpy array, cupy array or scipy sparse matrix of shape (n, d)
        One point a row.
    metric : str or callable
        Anything `sklearn.metrics.pairwise_distances` takes. A cupy array's Manhattan, Chebyshev, Minkowski, Euclidean,
        squared Euclidean and cosine distances are computed on its device, others on the host and moved.
    metric_params : dict, optional
        Parameters of the metric.

    Returns
    -------
    float32 or float64 array of shape (n, n)

    Raises
    ------
    ValueError
        The metric gives NaN or negative values, or has no such parameters.
    """
    params = metric_params or {}
    on_host = not hasattr(X, "__cuda_array_interface__")
    ops = backend_of("cpu" if on_host else "cuda")
    if not on_host and metric in ON_DEVICE and params.keys() <= {"p"}:
        matrix = by_blocks(X, metric, **params)
    else:
        matrix = sklearn_pairwise(X if on_host else X.get(), None, metric, params)
        matrix = ops.asarray(matrix, matrix.dtype if matrix.dtype == np.float32 else np.float64)
    _refuse(matrix, lambda block: block != block, f"metric={metric!r} gives NaN")
    _refuse(matrix, lambda block: block < -ROUNDING, f"metric={metric!r} gives negative values")
    return np.maximum(_symmetrise(matrix), 0, out=matrix)


def by_blocks(X: Array, metric: str, p: float = 2.0) -> Array:
    """Distance matrix of one of the metrics `ON_DEVICE`, a block of matrix rows at a time, on the device of `X`."""
    n = len(X)
    matrix = np.empty_like(X, shape=(n, n))
    if metric == "cosine":
        X = near_one(X)
        length = np.sqrt((X * X).sum(axis=1, keepdims=True))
        X = X / np.where(length == 0, 1, length)
    size = max(1, BLOCK_BYTES // (n * X.dtype.itemsize))
    for first in range(0, n, size):
        block = matrix[first : first + size]
        if metric == "cosine":
            block[:] = np.clip(1 - X[first : first + size] @ X.T, 0, 2)
        else:
            fill_distances(block, X[first : first + size], X, metric, p)
    np.fill_diagonal(matrix, 0)
    return matrix


def fill_distances(
    block: Array, rows: Array, X: Array, metric: str, p: float = 2.0, period: tuple[float, ...] | None = None
) -> None:
    """Set `block` to the distances from the points `rows` to all points `X`, one coordinate after the other; with a
    `period`, in the box of these lengths."""
    block[:] = 0
    for i in range(X.shape[1]):
        t = abs(rows[:, i, None] - X[None, :, i])
        if period is not None:
            t = np.minimum(t, period[i] - t)
        if metric == "chebyshev":
            np.maximum(block, t, out=block)
        else:
            block += t if metric == "manhattan" else t**p if metric == "minkowski" else t * t
    if metric == "euclidean":
        np.sqrt(block, out=block)
    elif metric == "minkowski":
        block **= 1 / p


def _refuse(matrix: Array, bad: Any, what: str) -> None:
    """Raise ValueError if any entry is bad: how many are, and the position of the first."""
    count, place = 0, ""
    for first in range(0, len(matrix), TILE):
        wrong = bad(matrix[first : first + TILE])
        here = int(wrong.sum())
        if here and not count:
            row, column = divmod(int(wrong.argmax()), matrix.shape[1])
            place = f"first in row {first + row}, column {column}"
        count += here
    if count:
        raise ValueError(f"{what}: {counted(count, 'entry', 'entries')}, {place}")


def _mirrored_tiles(matrix: Array) -> Iterator[tuple[Array, Array]]:
    """Views of every tile on and above the diagonal, and of its mirror image, transposed."""
    for a in range(0, len(matrix), TILE):
        for b in range(a, len(matrix), TILE):
            yield matrix[a : a + TILE, b : b + TILE], matrix[b : b + TILE, a : a + TILE].T


def _first_unequal(matrix: Array, relative: float) -> tuple[int, int]:
    """Row and column of the first value that is not that on the other side of the diagonal."""
    for i in range(len(matrix)):
        row, column = matrix[i], matrix[:, i]
        with np.errstate(invalid="ignore"):
            unequal = (row != column) & ~(abs(row - column) <= ABSOLUTE + relative * np.minimum(row, column))
        if bool(unequal.any()):
            return i, int(unequal.argmax())
    raise AssertionError("the matrix is symmetric")


def _symmetrise(matrix: Array) -> Array:
    """Replace both values of every pair by the lesser one, in place."""
    for tile, mirror in _mirrored_tiles(matrix):
        if bool((tile != mirror).any()):
            tile[:] = np.minimum(tile, mirror)
            mirror[:] = tile
    return matrix
