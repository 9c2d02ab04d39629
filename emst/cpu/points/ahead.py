"""Kernels ahead of their first call: nothing, because numba's compiler does one thing at a time."""

from __future__ import annotations

from typing import Any

from emst.backend.records import Norm


def load_ahead(
    n: int,
    d: int,
    dtype: Any,
    norm: Norm,
    k: int,
    labels: Any = None,
    weighted: bool = False,
    partitions: bool = False,
    first_round: bool = False,
) -> None:
    """See `emst.backend.operations`."""
