"""The one line that `repr` shows of a result: kind, size, components, total weight, device."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import numpy as np

from emst.backend import backend_of
from emst.backend.records import Array
from emst.inputs.devices import native_array, on_device_of


def one_line(result: object, *parts: str) -> str:
    """``<Kind: part, part, ...>``."""
    return f"<{type(result).__name__}: {', '.join(parts)}>"


def meant(value: Any, names: Sequence[str]) -> str:
    """The one of these names that is nearly the value, as the end of a message."""
    near = difflib.get_close_matches(value.lower(), names, 1, 0.75) if isinstance(value, str) else []
    return f": did you mean {near[0]!r}?" if near else ""


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """A number with its noun, such as "1 edge" or "1,000 edges"."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def total_of(values: Any) -> float:
    """Sum of floats, in float64. It is taken where the values live: nothing but the sum is copied from a GPU."""
    values = native_array(values)
    with on_device_of(values), np.errstate(over="ignore", invalid="ignore"):
        return backend_of(device_of(values)).total(values)


def float_sum(values: Any) -> str:
    """`total_of` values, to six digits."""
    return f"{total_of(values):,.6g}"


def infinite_and_sum(values: Array) -> tuple[int, str]:
    """How many of the values are infinite, and the sum of the others as `float_sum` writes it."""
    with on_device_of(values):
        finite = values < np.inf
        return len(values) - int(finite.sum()), float_sum(values[finite])


def device_of(array: Any) -> str:
    """Where a numpy or cupy array lives: "cpu" or "cuda"."""
    return "cuda" if hasattr(array, "__cuda_array_interface__") else "cpu"
