"""Which columns of a file are taken, and what they must hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

INDEX_NAMES = ("", "Unnamed: 0")  # of a first column: what pandas and R write for row numbers and names


def index_column(names: Sequence[str]) -> list[int]:
    """Position of a first column without a name, which numbers or names the rows; of pandas' index in a .parquet."""
    if len(names) > 1 and names[0] in INDEX_NAMES:
        return [0]
    return [i for i, name in enumerate(names) if name == "__index_level_0__"][: len(names) - 1]


def chosen_columns(path: Path, columns: Sequence[str | int] | None, names: Sequence[str], count: int) -> list[int]:
    """As `choose_columns`; but without `columns`, an index column is left out."""
    chosen = choose_columns(path, columns, names, count)
    return chosen if columns is not None else [i for i in chosen if i not in index_column(names)]


def choose_columns(path: Path, columns: Sequence[str | int] | None, names: Sequence[str], count: int) -> list[int]:
    """Positions of the wanted columns among `count`; each is given by its name or by its 0-based number."""
    if columns is None:
        return list(range(count))
    there = ", ".join(names) if names else f"columns 0 to {count - 1}, without names"
    chosen = []
    for column in map(str, columns):
        if list(names).count(column) > 1:
            raise ValueError(f"{path}: column {column!r} occurs more than once; ask for it by its number")
        if column in names:
            chosen.append(list(names).index(column))
        elif column.isdecimal() and int(column) < count:
            chosen.append(int(column))
        else:
            raise ValueError(f"{path}: no column {column!r}; it has {there}{_another_separator(names)}")
    return chosen


def _another_separator(names: Sequence[str]) -> str:
    """A hint if the only column has a name that another separator would split."""
    sep = next((sep for sep in ";\t," if len(names) == 1 and sep in names[0]), None)
    return "" if sep is None else f", a single column; sep={sep!r} may separate it"


def numeric(path: Path, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The columns unchanged; ValueError if one of them does not hold numbers."""
    for name, values in columns.items():
        if values.dtype.kind not in "iuf":
            held = "text" if values.dtype.kind in "SUT" else values.dtype
            raise ValueError(f"{path}: column {name!r} holds {held}, not numbers; choose others with columns=")
    return columns


def first_line(error: BaseException) -> str:
    """The first line of an error's message."""
    return (str(error) or type(error).__name__).splitlines()[0]
