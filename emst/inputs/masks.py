"""Masked arrays of NumPy where a mask has no meaning: NumPy's functions would use the values behind it."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_unmasked(name: str, values: Any) -> None:
    """Raise ValueError for an array with masked values."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must not be masked: leave the masked values out, or fill them")
