"""Norms as kernels take them. Device code: metric.cuh."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import cupy
import numpy as np

from emst.backend.records import Norm
from emst.cuda.runtime.arguments import as_struct
from emst.cuda.runtime.constants import ANY_POWER, BRUTE_CHUNK, CHEBYSHEV, EUCLIDEAN, MANHATTAN, PERIODIC, POWERS

NUMBERS = {
    "euclidean": EUCLIDEAN,
    "manhattan": MANHATTAN,
    "chebyshev": CHEBYSHEV,
    "powers": POWERS,
    "any power": ANY_POWER,
}


class Metric(NamedTuple):
    """The metric that a kernel is compiled for, and the norm that it takes, by value. A periodic norm points to
    `period`, which must live until the kernel has run."""

    number: int
    norm: np.ndarray
    period: cupy.ndarray | None


def number_of(norm: Norm) -> int:
    """The metric that a kernel is compiled for."""
    return NUMBERS[norm.kind] + (0 if norm.period is None else PERIODIC)


def metric_of(norm: Norm, dtype: Any) -> Metric:
    """The arguments of kernels for this norm and points of this dtype, on the current GPU.

    Kernels read the period in whole chunks of coordinates."""
    if norm.period is None:
        return _without_period(norm)
    lengths = norm.lengths(dtype)
    period = cupy.asarray(np.resize(lengths, -(-len(lengths) // BRUTE_CHUNK) * BRUTE_CHUNK))
    return Metric(number_of(norm), _fields(norm, period.data.ptr), period)


@functools.lru_cache
def _without_period(norm: Norm) -> Metric:
    return Metric(number_of(norm), _fields(norm, 0), None)


def _fields(norm: Norm, period: int) -> np.ndarray:
    return as_struct([norm.degree, *norm.parts, np.uint64(period).view(np.float64)], np.float64)
