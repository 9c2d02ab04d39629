"""Points for several GPUs: an array on the host or on a GPU, or a list of arrays whose rows number through."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.gpus.devices import checked_gpus
from emst.gpus.engine import GPUThreads
from emst.inputs.devices import giver, gpu_of, on_gpu
from emst.inputs.features import check_same_names
from emst.inputs.points import MAX_POINTS, CheckedPoints, check_points, in_range
from emst.inputs.summary import counted
from emst.partitions.chunks import Chunks


@dataclass(frozen=True)
class GivenPoints:
    """Points with checked shapes and dtypes; their values are not checked yet.

    Attributes
    ----------
    pieces : list of numpy.ndarray or cupy.ndarray of shape (m, d)
        In the order of their rows, on the caller's devices.
    dtype : dtype
        float32 or float64: what to compute in.
    gpus : list of int
        That compute. The first is home: results come together there.
    give : callable
        Function that turns a result on any device into the caller's kind of array.
    give_rows : callable
        The same for values of all rows: for a list of arrays, a list as long.
    """

    pieces: list[Array]
    dtype: np.dtype
    gpus: list[int]
    give: Callable[[Array], Any]
    give_rows: Callable[[Array], Any]

    @property
    def n(self) -> int:
        """Number of rows."""
        return sum(map(len, self.pieces))

    @property
    def d(self) -> int:
        """Number of columns."""
        return int(self.pieces[0].shape[1])

    @property
    def _firsts(self) -> list[int]:
        """The number of each piece's first row."""
        return np.cumsum([0, *map(len, self.pieces)])[:-1].tolist()

    def whole(self) -> Array:
        """All rows in one array: the caller's own, or those of a list together on the home."""
        if len(self.pieces) == 1:
            return self.pieces[0]
        with on_gpu(self.gpus[0]):
            ops = backend_of("cuda")
            pieces = [in_range(piece, self.dtype, ops, first) for piece, first in zip(self.pieces, self._firsts)]
            return ops.xp.concatenate(pieces)

    def on_home(self) -> CheckedPoints:
        """The points for one GPU, the home."""
        return CheckedPoints(self.whole(), self.dtype, "cuda", self.gpus[0], self.give, self.give_rows)

    def on_gpus(self, engine: GPUThreads) -> Chunks:
        """The points as chunks. Every GPU gets about as many rows; rows that lie there already are not copied."""
        engine.wait(map(gpu_of, self.pieces))  # the caller's kernels may still write the points
        places = [(i, start, end) for i, (start, end) in _ranges(self.pieces, len(self.gpus))]
        homes = _homes([(gpu_of(self.pieces[i]), end - start) for i, start, end in places], self.gpus)
        firsts = self._firsts
        futures = [
            engine.submit(_placed, self.pieces[i][start:end], self.dtype, firsts[i] + start, at=home)
            for (i, start, end), home in zip(places, homes)
        ]
        sizes = [end - start for _, start, end in places]
        return Chunks(futures, sizes, self.d, self.dtype, [], np.empty((0, self.d)))


def given_points(X: Any, device_ids: Any, *, device: str = "auto", dtype: Any = None) -> GivenPoints:
    """Check everything about `X` and `device_ids` that does not depend on the values in `X`.

    Raises
    ------
    TypeError, ValueError, RuntimeError
        What `check_points` and `checked_gpus` raise; for a list also unequal numbers of columns, or dtypes that are not
        computed in the same dtype.
    """
    gpus = checked_gpus(device_ids, device)
    if not is_list(X):
        data = check_points(X, device="cuda", dtype=dtype)
        return GivenPoints([data.array], data.dtype, _home_first(gpus, data.gpu), data.give, data.give)
    filled = [i for i, one in enumerate(X) if len(one)]
    if not filled:
        raise ValueError("X needs at least one point; its arrays have no rows")
    _check_columns(X, filled[0])
    checked = {i: _check_piece(X[i], i, dtype) for i in filled}
    first = checked[filled[0]]
    for i, one in checked.items():
        if one.dtype != first.dtype:
            raise ValueError(f"X[{i}] is {one.dtype}, but X[{filled[0]}] is {first.dtype}; choose one with dtype=")
    sizes = [len(one) for one in X]
    if sum(sizes) > MAX_POINTS:
        raise ValueError(f"X has {sum(sizes):,} points; ids are 32-bit, so at most {MAX_POINTS:,} are possible")
    give_rows = _list_giver(sizes, [checked[i].give if i in checked else giver(one) for i, one in enumerate(X)])
    pieces = [checked[i].array if i in checked else first.array[:0] for i in range(len(X))]
    return GivenPoints(pieces, first.dtype, _home_first(gpus, first.gpu), first.give, give_rows)


def is_list(X: Any) -> bool:
    """Whether this is a list of arrays of rows, and not itself an array-like of rows."""
    return isinstance(X, (list, tuple)) and len(X) > 0 and all(getattr(one, "ndim", 0) == 2 for one in X)


def first_of(X: Any, device_ids: Any) -> Any:
    """What names and numbers the columns: the data itself, or the first array of a list."""
    return X[0] if device_ids is not None and is_list(X) else X


def row_count(X: Any, device_ids: Any) -> int:
    """Number of rows of the data, or of all arrays of a list together."""
    if device_ids is not None and is_list(X):
        return sum(map(len, X))
    if getattr(X, "shape", ()):
        return int(X.shape[0])
    if not hasattr(X, "__len__"):
        raise ValueError(f"X must be an array of shape (n, d); got {X!r}")
    return len(X)


def _check_columns(X: Any, first: int) -> None:
    """Raise ValueError where the arrays of a list differ in the number of their columns, or in names."""
    for i, one in enumerate(X):
        if one.shape[1] != X[first].shape[1]:
            columns = [counted(each.shape[1], "column") for each in (one, X[first])]
            raise ValueError(f"X[{i}] has {columns[0]}, but X[{first}] has {columns[1]}")
    if getattr(X[first], "columns", None) is not None:
        order = [first, *range(len(X))]
        check_same_names([(f"X[{i}]", X[i].columns) for i in order if getattr(X[i], "columns", None) is not None])


def _check_piece(piece: Any, i: int, dtype: Any) -> CheckedPoints:
    try:
        return check_points(piece, device="cuda", dtype=dtype)
    except (TypeError, ValueError) as error:
        raise type(error)(f"X[{i}]: {error}") from error


def _home_first(gpus: list[int], gpu: int | None) -> list[int]:
    """The GPUs, the one that holds the data first."""
    return gpus if gpu not in gpus else [gpu, *(other for other in gpus if other != gpu)]


def _list_giver(sizes: list[int], gives: list[Callable[[Array], Any]]) -> Any:
    ends = np.cumsum(sizes).tolist()

    def give(result: Array) -> Any:
        with on_gpu(gpu_of(result)):
            return [one(result[end - size : end]) for one, size, end in zip(gives, sizes, ends)]

    return give


def _ranges(pieces: list[Array], count: int) -> list[tuple[int, tuple[int, int]]]:
    """Ranges of rows of the pieces, each of at most a share of all rows."""
    share = max(math.ceil(sum(map(len, pieces)) / count), 1)
    return [
        (i, (start, min(start + share, len(piece))))
        for i, piece in enumerate(pieces)
        for start in range(0, max(len(piece), 1), share)
    ]


def _homes(ranges: list[tuple[int | None, int]], gpus: list[int]) -> list[int]:
    """Which of the GPUs takes each range, given by where it lies and its rows: its own, while that has not more than
    its share, or the one that has the fewest rows."""
    share, rows = sum(size for _, size in ranges) / len(gpus), [0] * len(gpus)
    homes = []
    for gpu, size in ranges:
        own = gpus.index(gpu) if gpu in gpus else -1
        home = own if own >= 0 and rows[own] + size <= share + 1 else int(np.argmin(rows))
        rows[home] += size
        homes.append(home)
    return homes


def _placed(ops: Backend, rows: Array, dtype: np.dtype, first: int) -> Array:
    """Task: rows on the GPU. Errors count them from `first`."""
    return in_range(rows, dtype, ops, first)
