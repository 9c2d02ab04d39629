"""Columns that a page tells beside the pointer, as texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from emst.inputs.devices import to_host

MISSING = ("nan", "NaT", "None", "<NA>")  # how Python, numpy and pandas write a value that is not there


def hover_texts(hover: Any, n: int, rows: np.ndarray) -> dict[str, list[str]]:
    """The texts of the shown rows, by the names of columns; a value that is missing is an empty text.

    Parameters
    ----------
    hover : mapping of str to array-like of shape (n,), data frame or None
    n : int
        Number of points.
    rows : int array of shape (m,)
        Row numbers of the shown points.

    Raises
    ------
    TypeError
        `hover` is neither a mapping nor a data frame.
    ValueError
        A column does not have one value for each point.
    """
    return {name: texts_of(_column(name, values, n)[rows]) for name, values in _columns(hover).items()}


def texts_of(values: np.ndarray) -> list[str]:
    """Values as Python writes them: floats by the fewest digits that give them back."""
    kind = values.dtype.kind
    if kind == "S":
        values, kind = np.char.decode(values, "utf-8", "replace"), "U"
    if kind in "UT":
        return values.tolist()
    if kind == "O":
        return [value if isinstance(value, str) else _text(value) for value in values.tolist()]
    texts = np.datetime_as_string(values, unit="auto") if kind == "M" else values.astype(str)
    return [_text(text) for text in texts.tolist()]


def numbered(texts: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Each text once, in the order in which they first occur, and the position there of each text, int64[m]."""
    first: dict[str, int] = {}
    numbers = [first.setdefault(text, len(first)) for text in texts]
    return list(first), np.array(numbers, np.int64)


def _text(value: Any) -> str:
    text = str(value)
    return "" if text in MISSING else text


def _columns(hover: Any) -> dict[str, Any]:
    if hover is None:
        return {}
    if isinstance(hover, Mapping):
        return {str(name): values for name, values in hover.items()}
    if hasattr(hover, "columns") and hasattr(hover, "shape"):
        names = list(getattr(hover, "column_names", hover.columns))  # pyarrow's `columns` are the columns themselves
        repeated = next((name for name in names if names.count(name) > 1), None)
        if repeated is not None:
            raise ValueError(f"hover has several columns called {repeated!r}")
        return {str(name): hover[name] for name in names}
    raise TypeError(f"hover must be a mapping of names to values, or a data frame; got {type(hover).__name__}")


def _column(name: str, values: Any, n: int) -> np.ndarray:
    if hasattr(values, "to_list") and not isinstance(values.dtype, np.dtype):
        listed = values.to_list()  # where integers are missing, numpy would make floats of all
        column = np.fromiter(listed, object, len(listed))
    else:
        column = to_host(values)
    if column.shape != (n,):
        raise ValueError(f"hover[{name!r}] must hold one value for each of {n:,} points; its shape is {column.shape}")
    return column
