"""Periodic boxes: points whose coordinates wrap around, as in simulations of the universe and of molecules.

A coordinate x stands for all x + k L with whole k, where L is the length of its column. `Box.wrap` brings it to
[0, L), once, in the dtype that is computed in. The searches then take min(t, L - t) as the difference of two
coordinates that are t apart; see `emst.backend.records.Norm`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from emst.backend.records import Array
from emst.inputs.summary import counted

METRICS = ("euclidean", "manhattan", "chebyshev", "minkowski")  # that take a period
Average = Callable[[Array, Array], Array]  # rows float64[n, d], weights float64[n] -> float64[d]


@dataclass(frozen=True)
class Box:
    """The lengths of a periodic box.

    Attributes
    ----------
    period : tuple of float
        The length of each column, infinite where the box is open.
    every : bool
        Whether the one length of `period` is that of every column: see `of_columns`.
    """

    period: tuple[float, ...]
    every: bool = False

    def of_columns(self, d: int, dtype: np.dtype) -> Box:
        """The box for points of d columns that are computed in `dtype`, to which the lengths are rounded.

        Raises
        ------
        ValueError
            There is not one length for each column, or a length leaves the range of `dtype`.
        """
        period = self.period * d if self.every else self.period
        if len(period) != d:
            raise ValueError(
                f"period in metric_params has {counted(len(period), 'length')}, but X has {counted(d, 'column')}: "
                "pass one number, or one for each column"
            )
        with np.errstate(over="ignore"):
            rounded = np.array(period).astype(dtype)
        for given, length in zip(period, rounded):
            if given < math.inf and not np.finfo(dtype).tiny <= length < math.inf:
                raise ValueError(f"period in metric_params: {given:g} is beyond the range of {dtype}")
        return Box(tuple(map(float, rounded)))

    def wrap(self, points: Array) -> Array:
        """The points T[n, d] with the coordinates of every column in [0, L). `points` itself if all of them are.

        The remainder of the division by L is exact. If it is below 0, L is added, which may round to L; that is 0.
        A coordinate within [0, L) keeps its bits. Others that are nearer to a multiple of L than the least normal
        number become 0, because a GPU may take them for 0.
        """
        wrapped = points
        for i, period in enumerate(self.period):
            if period == math.inf:
                continue
            column, length = points[:, i], points.dtype.type(period)
            outside = np.signbit(column) | ~(column < length)
            if not bool(outside.any()):
                continue
            if wrapped is points:
                wrapped = points.copy()
            with np.errstate(invalid="ignore"):  # of infinite coordinates, which become NaN
                rest = np.fmod(column, length)
            rest = np.where(rest < 0, rest + length, rest)
            zero = (rest >= length) | (abs(rest) < np.finfo(points.dtype).tiny)
            rest = np.where(zero, points.dtype.type(0), rest)
            wrapped[:, i] = np.where(outside, rest, column)
        return wrapped

    def mean(self, rows: Array, weights: Array, average: Average) -> Array:
        """The weighted mean of rows, float64[d], in the box; `average` takes means without wrapping.

        In a periodic column, every coordinate is first moved by whole lengths to within L / 2 of the middle of all:
        the direction of their mean on a circle of circumference L. For points that lie within half the box this is the
        mean of the coordinates as if the box were open there. For others no mean is defined, and this is one of many.
        """
        rows = self.wrap(rows)
        moved = rows.copy()
        for i, length in enumerate(self.period):
            if length == math.inf:
                continue
            angle = rows[:, i] * (2 * math.pi / length)
            x, y = (float(c) for c in average(np.stack([np.cos(angle), np.sin(angle)], axis=1), weights))
            middle = math.atan2(y, x) / (2 * math.pi) * length
            apart = rows[:, i] - middle
            moved[:, i] = rows[:, i] - length * np.rint(apart / length)
        return self.wrap(average(moved, weights)[None])[0]


def box_of(period: Any, name: str) -> Box | None:
    """The box that the parameter `period` of the metric `name` describes; None if all columns are open.

    Raises
    ------
    ValueError
        The metric takes no period, or some length is no finite number of at least 0.
    """
    if name not in METRICS:
        raise ValueError(f"metric={name!r} takes no period; these do: {', '.join(map(repr, METRICS))}")
    every = isinstance(period, Real)
    try:
        lengths = [period] if every else list(period)
    except TypeError:
        lengths = []
    if not lengths or not all(_is_length(length) for length in lengths):
        raise ValueError(
            "period in metric_params must be a finite length, or one for each column, with 0 for an open column; "
            f"got {period!r}"
        )
    if not any(lengths):
        return None
    return Box(tuple(float(length) if length else math.inf for length in lengths), every)


def _is_length(length: Any) -> bool:
    if not isinstance(length, Real) or isinstance(length, (bool, np.bool_)):
        return False
    try:
        return 0 <= float(length) < math.inf
    except OverflowError:  # an integer beyond the range of float64
        return False
