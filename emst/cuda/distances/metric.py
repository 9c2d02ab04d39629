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


class Metric(NamedTuple):
    """The metric that a kernel is compiled for, and the norm that it takes, by value."""

    number: int
    norm: np.ndarray


@functools.cache
def metric_of(norm: Norm) -> Metric:
    """The arguments of kernels for this norm."""
    fields = np.array([norm.degree, *norm.parts])
    return Metric(NUMBERS[norm.kind], fields.view(f"V{fields.nbytes}"))
