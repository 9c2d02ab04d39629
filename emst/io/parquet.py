"""Tables in .parquet files, read by pyarrow, which is loaded when it is needed."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from emst.io.columns import choose_columns, first_line, numeric


def read_parquet(
    path: Path, columns: Sequence[str | int] | None, groups: Sequence[int] | None = None
) -> dict[str, np.ndarray]:
    """Columns of numbers by their names, in their dtypes; of some row groups if they are given."""
    parquet = pyarrow_for(path, "reading")
    names = list(parquet_schema(path).names)
    chosen = [names[i] for i in choose_columns(path, columns, names, len(names))]
    with reading_parquet(path):
        if groups is None:
            table = parquet.read_table(path, columns=chosen)
        else:
            with parquet.ParquetFile(path) as file:
                table = file.read_row_groups(list(groups), columns=chosen)
    return numeric(path, {name: _as_array(table.column(name)) for name in chosen})


def _as_array(column: Any) -> np.ndarray:
    """A column of a table; decimal numbers become float64."""
    import pyarrow

    if pyarrow.types.is_decimal(column.type):
        column = column.cast(pyarrow.float64())
    return column.to_numpy()


def read_parquet_table(path: Path, columns: Sequence[str] | None = None) -> Any:
    """Columns, by default all, whatever they hold, as a table of pyarrow."""
    parquet = pyarrow_for(path, "reading")
    with reading_parquet(path):
        return parquet.read_table(path, columns=columns)


def parquet_schema(path: Path) -> Any:
    """Names and types of the columns, as a schema of pyarrow."""
    parquet = pyarrow_for(path, "reading")
    with reading_parquet(path):
        return parquet.read_schema(path)


def parquet_index(path: Path) -> list[str]:
    """Columns that are the index of the data frame that pandas has written; none if its description cannot be read."""
    try:
        described = parquet_schema(path).pandas_metadata or {}
    except json.JSONDecodeError:
        return []
    return [column for column in described.get("index_columns") or [] if isinstance(column, str)]


@contextlib.contextmanager
def reading_parquet(path: Path) -> Iterator[None]:
    """Errors of pyarrow in this context become one sentence."""
    from pyarrow.lib import ArrowException

    try:
        yield
    except ArrowException as error:
        raise ValueError(f"{path} is not a readable .parquet file ({first_line(error)})") from error


def pyarrow_for(path: Path, doing: str) -> Any:
    """The module pyarrow.parquet, or an error that names the extra."""
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise ValueError(f"{path}: {doing} .parquet needs pyarrow: pip install 'emst[parquet]'") from error
    return parquet
