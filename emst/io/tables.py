"""Tables of numbers: where CSV (`read_csv`) and Parquet (`read_parquet`) files are read, for points and for graphs.

numpy parses a CSV. If it fails, the file is read once more line by line, only to find the line and the column at fault.
"""

from __future__ import annotations

import contextlib
import csv
import itertools
import math
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

FIRST_ROWS = 1000  # of a .csv: they decide whether a column holds numbers


def column_names(path: Path) -> tuple[list[str], int]:
    """Names of the columns of a .csv (none if it begins with numbers) or .parquet, and how many columns there are."""
    if path.suffix.lower() == ".csv":
        _, names, count, _ = _csv_layout(path)
        return names, count
    names = _parquet_names(path, pyarrow_for(path, "reading"))
    return names, len(names)


def no_rows(path: Path, names: Sequence[str]) -> Any:
    """A table of pyarrow with the columns of a .parquet and no rows."""
    pyarrow_for(path, "reading")
    import pyarrow

    return pyarrow.table({name: np.empty(0) for name in names})


def read_columns(path: Path, columns: Sequence[str]) -> list[np.ndarray]:
    """Columns of a .csv (int64 if every field is an integer, float64 otherwise) or of a .parquet (in their dtypes)."""
    if path.suffix.lower() == ".csv":
        return list(read_csv(path, columns, gaps=False, whole=True).T)
    return list(read_parquet(path, columns).values())


def numeric_columns(path: Path) -> list[bool]:
    """Which columns hold numbers. Of a .csv the first rows decide; without rows all columns count as numbers."""
    if path.suffix.lower() == ".csv":
        skip, _, count, delimiter = _csv_layout(path)
        rows = [fields for _, fields in itertools.islice(_csv_rows(path, skip, delimiter), FIRST_ROWS)]
        columns = [[fields[i] for fields in rows if i < len(fields)] for i in range(count)]
        return [not column or any(map(_is_number, column)) for column in columns]
    parquet = pyarrow_for(path, "reading")
    from pyarrow import types

    with _reading_parquet(path):
        kinds = parquet.read_schema(path).types
    return [types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) for kind in kinds]


def row_as_written(path: Path, row: int) -> tuple[str, list[str]]:
    """Where in the file this row of the table stands (line of a .csv, row of a .parquet), and the fields of a .csv."""
    if path.suffix.lower() == ".csv":
        skip, _, _, delimiter = _csv_layout(path)
        number, fields = next(itertools.islice(_csv_rows(path, skip, delimiter), row, None))
        return f"line {number}", fields
    return f"row {row}", []


def read_csv(path: Path, columns: Sequence[str] | None, gaps: bool, whole: bool = False) -> np.ndarray:
    """Numbers separated by commas (or semicolons, or tabs), with or without a line of column names: float64[n, k].

    `columns` are names or 0-based numbers; None means all. With `gaps` an empty field is NaN. With `whole` the table is
    int64 if every number is written as an integer.
    """
    skip, names, count, delimiter = _csv_layout(path)
    used = choose_columns(path, columns, names, count)
    layout: dict[str, Any] = {"used": used, "count": count, "delimiter": delimiter, "skiprows": skip}
    if whole:
        with contextlib.suppress(ValueError, DeprecationWarning):
            if len(table := _loaded_text(path, dtype=np.int64, **layout)):
                return table
    try:
        try:
            table = _loaded_text(path, **layout)
        except ValueError:
            if not gaps:
                raise
            table = _loaded_text(path, converters=_number_or_gap, **layout)  # slower: Python converts every field
    except ValueError as error:
        raise _csv_fault(path, skip, delimiter, names, count, used, gaps, error) from error
    if len(table) == 0:
        raise ValueError(f"{path} holds no rows")
    return table


def _loaded_text(path: Path, used: list[int], count: int, **layout: Any) -> np.ndarray:
    """Columns of a .csv. If all are wanted, a line with more fields than the first is an error."""
    every = sorted(used) == list(range(count))
    table = _loaded(path, usecols=None if every else used, **layout)
    if not every:
        return table
    if len(table) and table.shape[1] != count:
        raise ValueError(f"{table.shape[1]} fields in every row, {count} in the first line")
    return table[:, used] if len(table) and used != sorted(used) else table


def _loaded(path: Path, **layout: Any) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the caller reports an empty file
        warnings.simplefilter("error", DeprecationWarning)  # older versions of numpy read 1.5 as the integer 1
        return np.loadtxt(path, ndmin=2, encoding="utf-8-sig", quotechar='"', **layout)


def _csv_layout(path: Path) -> tuple[int, list[str], int, str]:
    """Number of lines before the first row, names of the columns (or none), number of columns, separator."""
    try:
        line, first, delimiter = _first_fields(path)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text") from error
    except csv.Error as error:
        raise ValueError(f"{path} is not a readable .csv file ({error})") from error
    if len(first) == 1 and _spaced(path, line - 1):
        raise ValueError(f"{path}: fields must be separated by commas, semicolons or tabs, not by spaces")
    # A line that holds a number is data: to take it for names would lose a row without a message.
    names = [] if any(map(_is_number, first)) else [field.strip() for field in first]
    return (line if names else line - 1), names, len(first), delimiter


def _spaced(path: Path, skip: int) -> bool:
    """Whether one of the first two lines of a single column consists of several numbers."""
    firsts = [fields[0].split() for _, fields in itertools.islice(_csv_rows(path, skip, ","), 2)]
    return any(len(words) > 1 and all(map(_is_number, words)) for words in firsts)


def _csv_rows(path: Path, skip: int, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of every line that is a row."""
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        for number, line in enumerate(file, start=1):
            text = line.split("#")[0].strip("\r\n")
            if number > skip and text:
                yield number, next(csv.reader([text], delimiter=delimiter))


def _first_fields(path: Path) -> tuple[int, list[str], str]:
    """Number of the first line that is neither empty nor a comment, its fields, and their separator."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        for number, line in enumerate(file, start=1):
            text = line.split("#")[0].strip()
            if text:
                delimiter = max(",;\t", key=text.count)
                return number, next(csv.reader([text], delimiter=delimiter)), delimiter
    raise ValueError(f"{path} holds no rows")


def _csv_fault(
    path: Path,
    skip: int,
    delimiter: str,
    names: list[str],
    count: int,
    used: list[int],
    gaps: bool,
    error: ValueError,
) -> ValueError:
    """The error that names the first line, and the column, which numpy could not read."""
    for number, fields in _csv_rows(path, skip, delimiter):
        if max(used) >= len(fields) or len(used) == count < len(fields):
            needed = count if len(used) == count else max(used) + 1
            found = f"{len(fields)} field{'s' * (len(fields) != 1)}"
            return ValueError(f"{path}, line {number}: {found} where {needed} are needed")
        for i in used:
            if not (_is_number(fields[i]) or (gaps and not fields[i].strip())):
                column = repr(names[i]) if names else str(i)
                found = f"{fields[i]!r} is not a number" if fields[i].strip() else "there is no value"
                hint = "" if len(used) < count else "; --columns chooses which columns to read"
                return ValueError(f"{path}, line {number}, column {column}: {found}{hint}")
    return ValueError(f"{path}: {first_line(error)}")


def choose_columns(path: Path, columns: Sequence[str] | None, names: Sequence[str], count: int) -> list[int]:
    """Positions of the wanted columns among `count`; each is given by its name or by its 0-based number."""
    if columns is None:
        return list(range(count))
    there = ", ".join(names) if names else f"columns 0 to {count - 1}, without names"
    chosen = []
    for column in columns:
        if list(names).count(column) > 1:
            raise ValueError(f"{path}: column {column!r} occurs more than once; ask for it by its number")
        if column in names:
            chosen.append(list(names).index(column))
        elif column.isdecimal() and int(column) < count:
            chosen.append(int(column))
        else:
            raise ValueError(f"{path}: no column {column!r}; it has {there}")
    return chosen


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field  # float("1_000") is Python's notation; files do not use it


def _number_or_gap(field: str) -> float:
    if _is_number(field):
        return float(field)
    if field.strip():
        raise ValueError(f"{field!r} is not a number")
    return math.nan


def read_parquet(
    path: Path, columns: Sequence[str] | None, groups: Sequence[int] | None = None
) -> dict[str, np.ndarray]:
    """Columns of numbers by their names, in their dtypes; of some row groups if they are given."""
    parquet = pyarrow_for(path, "reading")
    names = _parquet_names(path, parquet)
    chosen = [names[i] for i in choose_columns(path, columns, names, len(names))]
    with _reading_parquet(path):
        if groups is None:
            table = parquet.read_table(path, columns=chosen)
        else:
            with parquet.ParquetFile(path) as file:
                table = file.read_row_groups(list(groups), columns=chosen)
    return numeric(path, {name: table.column(name).to_numpy() for name in chosen})


def _parquet_names(path: Path, parquet: Any) -> list[str]:
    with _reading_parquet(path):
        return list(parquet.read_schema(path).names)


@contextlib.contextmanager
def _reading_parquet(path: Path) -> Iterator[None]:
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


def numeric(path: Path, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The columns unchanged; ValueError if one of them does not hold numbers."""
    for name, values in columns.items():
        if values.dtype.kind not in "iuf":
            raise ValueError(f"{path}: column {name!r} holds {values.dtype}, not numbers; choose others with --columns")
    return columns


def first_line(error: BaseException) -> str:
    """The first line of an error's message."""
    return (str(error) or type(error).__name__).splitlines()[0]
