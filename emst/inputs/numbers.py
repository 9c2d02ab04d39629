"""Parameters that are real numbers."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any


def real_number(value: Any) -> float:
    """A real number as a float, infinite if it is beyond all floats; NaN for anything else, booleans too."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    large: Any = value
    try:
        return float(value)
    except OverflowError:
        return math.inf if large > 0 else -math.inf
