"""Columns of a table, whatever they hold: what a page tells beside the pointer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from emst.io.columns import choose_columns
from emst.io.parquet import read_parquet_table
from emst.io.points import load_array
from emst.io.tables import PLAIN, Dialect, column_names, csv_layout, is_text, rows_differ, text_rows


def read_texts(
    path: Path, columns: Sequence[str | int], n: int, array: str | None = None, *, dialect: Dialect = PLAIN
) -> dict[str, np.ndarray]:
    """Columns of a text, a .parquet, an .npy or an .npz from which `n` points were read.

    Parameters
    ----------
    columns : sequence of str or int
        Names or 0-based numbers.
    array : str, optional
        Which array of an .npz.

    Returns
    -------
    dict of str to array of shape (n,)
        By the names of the columns; without names they are called "column 0", ...

    Raises
    ------
    ValueError
        There is no such column, the format has none, or the rows of a text are not `n`.
    """
    if is_text(path, dialect):
        return _of_text(path, columns, n, dialect)
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        names, count = column_names(path, dialect)
        wanted = [names[i] for i in choose_columns(path, columns, names, count)]
        table = read_parquet_table(path, wanted)
        return {name: _of_arrow(table.column(name)) for name in wanted}
    if suffix not in (".npy", ".npz"):
        raise ValueError(f"{path}: columns to tell in the page are read from .csv, .tsv, .parquet, .npy and .npz")
    found = load_array(path, array)
    names = list(found.dtype.names or [])
    count = len(names) or found.shape[1]
    chosen = choose_columns(path, columns, names, count)
    return {_name(names, i): found[names[i]] if names else found[:, i] for i in chosen}


def _of_text(path: Path, columns: Sequence[str | int], n: int, dialect: Dialect) -> dict[str, np.ndarray]:
    skip, names, count, delimiter = csv_layout(path, dialect)
    chosen = choose_columns(path, columns, names, count)
    fields: list[list[str]] = [[] for _ in chosen]
    for row in text_rows(path, skip, delimiter, dialect):
        for column, i in zip(fields, chosen):
            column.append(row.fields[i].strip() if i < len(row.fields) else "")
    if len(fields[0]) != n:
        raise rows_differ(path, n)
    return {_name(names, i): np.fromiter(column, object, n) for i, column in zip(chosen, fields)}


def _of_arrow(column: Any) -> np.ndarray:
    from pyarrow import types

    if types.is_floating(column.type):
        return column.to_numpy()
    return np.fromiter(column.to_pylist(), object, len(column))


def _name(names: Sequence[str], i: int) -> str:
    return names[i] if names else f"column {i}"
