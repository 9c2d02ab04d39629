"""Norms as kernels take them. Device code: metric.cuh."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from emst.backend.records import Norm
from emst.cuda.runtime.constants import ANY_POWER, CHEBYSHEV, EUCLIDEAN, MANHATTAN, POWERS

NUMBERS = {
    "euclidean": EUCLIDEAN,
    "manhattan": MANHATTAN,
    "chebyshev": CHEBYSHEV,
    "powers": POWERS,
    "any power": ANY_POWER,
}
UPPER_BITS = np.int64(-1 << 13)  # 40 of a mantissa: times an exponent, of 11 bits, they make an exact product


class Metric(NamedTuple):
    """The metric that a kernel is compiled for, and the norm that it takes, by value."""

    number: int
    norm: np.ndarray


@functools.cache
def metric_of(norm: Norm) -> Metric:
    """The arguments of kernels for this norm."""
    degree = np.array([norm.degree], np.float64)
    high = (degree.view(np.int64) & UPPER_BITS).view(np.float64)
    fields = np.concatenate([degree, high, degree - high])
    return Metric(NUMBERS[norm.kind], fields.view(f"V{fields.nbytes}"))
