"""Points from the tables of .fits files, read by astropy (extra `fits`)."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from emst.io.columns import choose_columns, first_line, numeric

POSITIONS = (("x", "y", "z"), ("x", "y"), ("ra", "dec"), ("raj2000", "dej2000"), ("_raj2000", "_dej2000"))


def read_fits(
    path: Path,
    columns: Sequence[str | int] | None,
    table: str | None,
    gaps: bool,
    rows: tuple[int, int] | None = None,
) -> tuple[dict[str, np.ndarray], int]:
    """Columns of a table in a .fits, by default those of the positions or, without such, all; and how many others it
    has then. `table` is its name or its number among the parts of the file (HDU); it is needed only if there are
    several tables. With `gaps`, a value that is marked as missing is NaN; else it is an error. With `rows`, only those
    from the first number up to the other are read."""
    from_row, up_to = rows or (0, None)
    with _opened(path, table, memmap=rows is not None) as part:
        from astropy.table import Table

        if rows is not None:
            part = type(part)(part.data[from_row:up_to], header=part.header)
        contents = Table.read(part, mask_invalid=False)
    names = list(contents.colnames)
    chosen = _positions(names) if columns is None else choose_columns(path, columns, names, len(names))
    if len(contents) == 0:
        raise ValueError(f"{path} holds no rows")
    read = numeric(path, {names[i]: _values(path, contents[names[i]], gaps, from_row) for i in chosen})
    return read, 0 if columns is not None else len(names) - len(chosen)


def fits_layout(path: Path) -> tuple[list[str], int]:
    """Names of the columns that `read_fits` takes by default from the only table, and its number of rows."""
    with _opened(path, None, memmap=True) as part:
        names, count = list(part.columns.names), int(part.header["NAXIS2"])
    return [names[i] for i in _positions(names)], count


@contextlib.contextmanager
def _opened(path: Path, table: str | None, memmap: bool) -> Iterator[Any]:
    """The table that is meant. Errors of astropy in this context become one sentence."""
    try:
        from astropy.io import fits
        from astropy.utils.exceptions import AstropyWarning
    except ImportError as error:
        raise ValueError(f"{path}: reading {path.suffix} needs astropy: pip install 'emst[fits]'") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AstropyWarning)  # of units and of the standard
            warnings.filterwarnings("error", ".*truncated")  # the rows at the end would be zeros
            with fits.open(path, memmap=memmap) as parts:
                yield parts[_which(path, parts, table)]
    except _Plain:
        raise
    except (OSError, ValueError, TypeError, KeyError, IndexError, Warning, fits.VerifyError) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        raise ValueError(f"{path} is not a readable {path.suffix} file ({first_line(error)})") from error


def _positions(names: Sequence[str]) -> list[int]:
    """Positions of x, y and z, or of RA and DEC, in any case; of all columns if there are none."""
    lower = [name.lower() for name in names]
    for axes in POSITIONS:
        if all(lower.count(axis) == 1 for axis in axes):
            return [lower.index(axis) for axis in axes]
    return list(range(len(names)))


def _which(path: Path, parts: Any, table: str | None) -> int:
    """Position of the table that is meant."""
    tables = {i: part.name or str(i) for i, part in enumerate(parts) if getattr(part, "columns", None) is not None}
    there = ", ".join(f"{i} ({name})" for i, name in tables.items())
    wanted = [i for i, name in tables.items() if table is None or table.upper() == name.upper() or table == str(i)]
    if len(wanted) == 1:
        return wanted[0]
    if not tables:
        raise _Plain(f"{path} holds no table")
    if table is None:
        raise _Plain(f"{path} holds several tables, {there}: choose one with array=")
    raise _Plain(f"{path} has no table {table!r}; it holds {there}")


def _values(path: Path, column: Any, gaps: bool, from_row: int) -> np.ndarray:
    """A column in the byte order of this machine. Its first value is that of row `from_row`."""
    values = np.asarray(column)
    if values.ndim != 1:
        raise ValueError(
            f"{path}: column {column.name!r} holds arrays of shape {values.shape[1:]}, not numbers; choose "
            "others with columns="
        )
    missing = getattr(column, "mask", None)
    if missing is not None and np.any(missing):
        if not gaps:
            row = from_row + int(np.argmax(missing))
            raise ValueError(f"{path}: column {column.name!r} has no value in row {row}")
        values = np.where(missing, np.nan, values)
    return values.astype(values.dtype.newbyteorder("="), copy=False)


class _Plain(ValueError):
    """An error whose message already names the file: it is raised as it is."""
