"""Points from files, and results to files that are either whole or absent.

Every reader returns a float or integer table and raises `ValueError` with one sentence that names the file and, where
there is one, the line and the column at fault.
"""

from __future__ import annotations

import contextlib
import csv
import math
import os
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np

SUFFIXES = (".npy", ".npz", ".csv", ".parquet")


def read_points(
    path: Path, columns: Sequence[str] | None = None, array: str | None = None, *, gaps: bool = False
) -> np.ndarray:
    """Table of points in a file, told by its suffix.

    Parameters
    ----------
    path : Path
        .npy, .npz, .csv or .parquet.
    columns : sequence of str, optional
        Names or 0-based numbers of the columns to take, in this order; all of them by default.
    array : str, optional
        Which array of an .npz; needed only where there are several.
    gaps : bool, default False
        Whether an empty field of a .csv is a missing value, NaN, as in tables that pandas writes, and no error.

    Returns
    -------
    array of shape (n, d)
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: unknown suffix {suffix!r}; points are read from {', '.join(SUFFIXES)}")
    if array is not None and suffix != ".npz":
        raise ValueError(f"{path}: only an .npz holds named arrays; there is no array {array!r} to choose")
    if suffix == ".csv":
        return _read_csv(path, columns, gaps)
    if suffix == ".parquet":
        return _read_parquet(path, columns)
    return _table(path, _load(path, array), columns)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` when the block ends well and vanishes when it does not.

    It is made at once, beside `path`, so a place that cannot be written to is found out before any work is done.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory")
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        file = open(draft, "xb")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error  # the draft's name says nothing to a caller
    with file:
        try:
            yield file
            file.close()
            os.replace(draft, path)
        except BaseException:
            file.close()
            draft.unlink(missing_ok=True)
            raise


def check_table(path: Path) -> None:
    """Raise ValueError if `write_table` cannot write such a file."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: unknown suffix {suffix!r}; labels are written to {', '.join(SUFFIXES)}")
    if suffix == ".parquet":
        _pyarrow(path, "writing")


def write_table(file: IO[bytes], path: Path, columns: dict[str, Any]) -> None:
    """Write columns in the format that the suffix of `path` tells; to an .npy only the first."""
    suffix = path.suffix.lower()
    if suffix == ".npy":
        np.save(file, next(iter(columns.values())))
    elif suffix == ".npz":
        np.savez(file, **columns)
    elif suffix == ".csv":
        file.write((",".join(columns) + "\n").encode())
        formats = ["%d" if values.dtype.kind == "i" else "%.9g" for values in columns.values()]
        np.savetxt(file, np.rec.fromarrays(list(columns.values())), fmt=",".join(formats))
    else:
        import pyarrow as arrow

        _pyarrow(path, "writing").write_table(arrow.table(columns), file)


def _load(path: Path, name: str | None) -> np.ndarray:
    """The array in an .npy, or the one called `name` (the only one) in an .npz."""
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        with loaded:
            names = loaded.files
            if name is None and len(names) != 1:
                raise _Plain(f"{path} holds {len(names)} arrays ({', '.join(names)}): choose one with --array")
            if name is not None and name not in names:
                raise _Plain(f"{path} has no array {name!r}; it holds {', '.join(names)}")
            return loaded[names[0] if name is None else name]
    except _Plain:
        raise
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is not a readable {path.suffix} file ({_first_line(error)})") from error


def _table(path: Path, array: np.ndarray, columns: Sequence[str] | None) -> np.ndarray:
    """An array as a table: a structured one has named columns, a plain one numbered ones."""
    if array.dtype.names:
        if array.ndim != 1:
            raise ValueError(f"{path}: a structured array must be 1-D, not of shape {array.shape}")
        names = list(array.dtype.names)
        return _stack(path, {names[i]: array[names[i]] for i in _choose(path, columns, names, len(names))})
    if array.ndim != 2:
        raise ValueError(f"{path}: points are a table of shape (n, d); this array has shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{path}: points must be real numbers; this array has dtype {array.dtype}")
    return array if columns is None else np.ascontiguousarray(array[:, _choose(path, columns, [], array.shape[1])])


def _read_parquet(path: Path, columns: Sequence[str] | None) -> np.ndarray:
    parquet = _pyarrow(path, "reading")
    from pyarrow.lib import ArrowException

    try:
        names = parquet.read_schema(path).names
        chosen = [names[i] for i in _choose(path, columns, names, len(names))]
        table = parquet.read_table(path, columns=chosen)
    except ArrowException as error:
        raise ValueError(f"{path} is not a readable .parquet file ({_first_line(error)})") from error
    return _stack(path, {name: table.column(name).to_numpy() for name in chosen})


def _pyarrow(path: Path, doing: str) -> Any:
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise ValueError(f"{path}: {doing} .parquet needs pyarrow: pip install 'emst[parquet]'") from error
    return parquet


def _stack(path: Path, columns: dict[str, np.ndarray]) -> np.ndarray:
    """Named columns side by side in their common dtype."""
    for name, values in columns.items():
        if values.dtype.kind not in "iuf":
            raise ValueError(f"{path}: column {name!r} holds {values.dtype}, not numbers; choose others with --columns")
    return np.stack(list(columns.values()), axis=1)


def _read_csv(path: Path, columns: Sequence[str] | None, gaps: bool) -> np.ndarray:
    """Numbers separated by commas (or semicolons, or tabs), with or without a line of column names."""
    try:
        line, first, delimiter = _first_fields(path)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text") from error
    except csv.Error as error:
        raise ValueError(f"{path} is not a readable .csv file ({error})") from error
    # A line with a number in it is data: a row that were taken for names would be lost in silence.
    names = [] if any(map(_is_number, first)) else [field.strip() for field in first]
    used = _choose(path, columns, names, len(first))
    skip = line if names else line - 1
    layout: dict[str, Any] = {"delimiter": delimiter, "skiprows": skip, "usecols": used}
    try:
        try:
            table = _loaded_text(path, **layout)
        except ValueError:
            if not gaps:
                raise
            table = _loaded_text(path, converters=_number_or_gap, **layout)  # slower
    except ValueError as error:
        raise _csv_fault(path, skip, delimiter, names, used, gaps, error) from error
    if len(table) == 0:
        raise ValueError(f"{path} holds no points")
    return table


def _loaded_text(path: Path, **layout: Any) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there is nothing to read is said by who asks
        return np.loadtxt(path, ndmin=2, encoding="utf-8-sig", quotechar='"', **layout)


def _first_fields(path: Path) -> tuple[int, list[str], str]:
    """Number of lines up to the first that says something, its fields, and what separates them."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        for number, line in enumerate(file, start=1):
            text = line.split("#")[0].strip()
            if text:
                delimiter = max(",;\t", key=text.count)
                return number, next(csv.reader([text], delimiter=delimiter)), delimiter
    raise ValueError(f"{path} holds no points")


def _csv_fault(
    path: Path, skip: int, delimiter: str, names: list[str], used: list[int], gaps: bool, error: ValueError
) -> ValueError:
    """What is wrong with a table that numpy would not read, in the terms of someone who looks at the file."""
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        for number, line in enumerate(file, start=1):
            text = line.split("#")[0].strip("\r\n")
            if number <= skip or not text:
                continue
            fields = next(csv.reader([text], delimiter=delimiter))
            if max(used) >= len(fields):
                return ValueError(f"{path}, line {number}: {len(fields)} fields where {max(used) + 1} are needed")
            for i in used:
                if not (_is_number(fields[i]) or (gaps and not fields[i].strip())):
                    column = repr(names[i]) if names else str(i)
                    found = f"{fields[i]!r} is not a number" if fields[i].strip() else "there is no value"
                    hint = "" if len(used) < len(fields) else "; --columns chooses which columns to read"
                    return ValueError(f"{path}, line {number}, column {column}: {found}{hint}")
    return ValueError(f"{path}: {_first_line(error)}")


def _choose(path: Path, columns: Sequence[str] | None, names: Sequence[str], count: int) -> list[int]:
    """Numbers of the wanted columns of `count`: each is asked for by its name or by its 0-based number."""
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
    return "_" not in field  # float("1_000") is Python's notation, not a file's


def _number_or_gap(field: str) -> float:
    if _is_number(field):
        return float(field)
    if field.strip():
        raise ValueError(f"{field!r} is not a number")
    return math.nan


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


class _Plain(ValueError):
    """An error whose message already says everything."""
