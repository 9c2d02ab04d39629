"""Points from files, as a table of floats or integers: `read_points`."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from emst.io.columns import choose_columns, first_line, is_axis, numeric
from emst.io.fits import read_fits
from emst.io.index import chosen_columns
from emst.io.las import read_las
from emst.io.parquet import read_parquet
from emst.io.tables import PLAIN, Dialect, column_names, dialect_of, is_text, read_csv, refuse_gzip, refuse_pipe

SUFFIXES = (".npy", ".npz", ".csv", ".tsv", ".parquet", ".las", ".laz", ".fits", ".fit")


class PointTable(NamedTuple):
    """What `read_table` found.

    Attributes
    ----------
    array : array of shape (n, d)
    names : list of str or None
        Of the d columns, if the file has names.
    left_out : tuple of str
        Names of index columns that were left out.
    others : int
        Columns of a .fits that were not read, because others hold the positions.
    words : tuple of str
        Names of columns of words that were left out.
    whole : PointTable or None
        The table as it was read, if some of its columns were left out then.
    """

    array: np.ndarray
    names: list[str] | None = None
    left_out: tuple[str, ...] = ()
    others: int = 0
    words: tuple[str, ...] = ()
    whole: PointTable | None = None


def read_points(
    path: str | os.PathLike[str],
    columns: Sequence[str | int] | None = None,
    array: str | int | None = None,
    *,
    sep: str | None = None,
    decimal: str = ".",
    encoding: str | None = None,
    gaps: bool = False,
    return_names: bool = False,
) -> Any:
    """Points in a file; the suffix names the format.

    Parameters
    ----------
    path : str or path
        .npy, .npz, .csv, .tsv, .parquet (extra ``parquet``), .las and .laz (extra ``las``), .fits (extra ``fits``).
        With `sep`, files of other suffixes are read as text.
    columns : sequence of str or int, optional
        Names or 0-based numbers of the columns to take, in this order; by default all of them, but x, y and z of a .las
        or .laz, and of a .fits x, y and z, or RA and DEC, if it has them. A first column without a name holds numbers
        or names of rows, as pandas and R write them: it is left out, unless it is asked for. So is the index of the
        data frame in a .parquet, unless it is named like a coordinate or a time.
    array : str or int, optional
        Which array of an .npz, or which table of a .fits (name or number); needed only if it holds several.
    sep : str, optional
        What separates the fields of a text; a space stands for any white space. By default a tab in a .tsv, and in a
        .csv whichever of comma, semicolon and tab occurs most often in the first line.
    decimal : {".", ","}, default "."
        Decimal mark of the numbers in a text.
    encoding : str, optional
        Of a text; by default UTF-8.
    gaps : bool, default False
        True: an empty field of a text, and a value that a .fits marks as missing, is NaN. False: it is an error.
        `HDBSCANGPU` gives such rows the label -3.
    return_names : bool, default False
        Also return the names of the columns.

    Returns
    -------
    points : array of shape (n, d)
        Of floats or integers, in the dtype of the file; a text gives float64.
    names : list of str or None
        Of the columns; None if the file has no names. Only with `return_names`.

    Raises
    ------
    FileNotFoundError, PermissionError, IsADirectoryError
        The file cannot be opened.
    ValueError
        The suffix is unknown, an extra is missing, or the file holds no table of numbers. The message names the file
        and, where there is one, the line and the column at fault.

    Examples
    --------
    >>> from emst import read_points
    >>> _ = open("places.csv", "w").write("name,x,y\\nA,1,2.5\\nB,3,4\\n")
    >>> read_points("places.csv", columns=["x", "y"])
    array([[1. , 2.5],
           [3. , 4. ]])
    """
    dialect = dialect_of(sep, decimal, encoding)
    columns = [columns] if isinstance(columns, str) else columns
    named = None if array is None else str(array)
    table = read_table(Path(path), columns, named, gaps=gaps, dialect=dialect)
    return (table.array, table.names) if return_names else table.array


def read_table(
    path: Path,
    columns: Sequence[str | int] | None = None,
    array: str | None = None,
    *,
    gaps: bool = False,
    dialect: Dialect = PLAIN,
    leave_words: bool = False,
) -> PointTable:
    """As `read_points`, with names, and the names of index columns that were left out. With `leave_words` and without
    `columns`, words in the fields of a structured array are left out as well, unless they are named like a coordinate
    or a time: then they are a fault."""
    suffix = path.suffix.lower()
    check_suffix(path, array, dialect)
    refuse_pipe(path)
    if is_text(path, dialect) or suffix == ".parquet":
        names, count = column_names(path, dialect)
        used = chosen_columns(path, columns, names, count)
        if suffix == ".parquet":
            values = _stack(path, read_parquet(path, used))
        else:
            values = read_csv(path, columns, gaps, dialect=dialect)
        left_out = tuple(name for i, name in enumerate(names) if columns is None and i not in used)
        return PointTable(values, [names[i] for i in used] if names else None, left_out)
    if suffix in (".las", ".laz"):
        return _named(path, read_las(path, columns))
    if suffix in (".fits", ".fit"):
        read, others = read_fits(path, columns, array, gaps)
        return _named(path, read)._replace(others=others)
    loaded = load_array(path, array)
    words = _words_in(loaded) if leave_words and columns is None else ()
    if words:
        columns = [name for name in loaded.dtype.names or () if name not in words]
    return _table(path, loaded, columns)._replace(words=words)


def check_suffix(path: Path, array: str | None = None, dialect: Dialect = PLAIN) -> None:
    """Raise ValueError for a file of another format, one that gzip has compressed, or an `array` of a file that has
    none."""
    suffix = path.suffix.lower()
    refuse_gzip(path)
    if suffix not in SUFFIXES and not is_text(path, dialect):
        formats = ", ".join(SUFFIXES)
        way = "write its points to a table" if suffix in (".geojson", ".json") else "sep=',' reads it as text"
        raise ValueError(f"{path}: unknown suffix {suffix!r}; points are read from {formats}; {way}")
    if dialect != PLAIN and suffix in SUFFIXES and path.suffix.lower() not in (".csv", ".tsv"):
        raise ValueError(f"{path}: only texts such as .csv have a separator, a decimal mark and an encoding")
    if array is not None and suffix not in (".npz", ".fits", ".fit"):
        raise ValueError(f"{path}: only .npz and .fits hold named arrays; there is no array {array!r} to choose")


def load_array(path: Path, name: str | None) -> np.ndarray:
    """The array in an .npy, or the one called `name` (the only one) in an .npz."""
    try:
        _check_magic(path)
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        with loaded:
            names = loaded.files
            if not names:
                raise _Plain(f"{path} holds no array")
            if name is None and len(names) != 1:
                raise _Plain(f"{path} holds {len(names)} arrays ({', '.join(names)}): choose one with array=")
            if name is not None and name not in names:
                raise _Plain(f"{path} has no array {name!r}; it holds {', '.join(names)}")
            chosen = names[0] if name is None else name
            values = loaded[chosen]
            if not isinstance(values, np.ndarray):  # numpy returns the bytes of a member that is no .npy
                raise _Plain(f"{path}: {chosen!r} is no numpy array")
            return values
    except _Plain:
        raise
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        if str(error).startswith("Object arrays"):  # numpy advises to load them as a pickle, which can run any program
            raise ValueError(f"{path}: the array holds Python objects, not numbers") from error
        raise ValueError(f"{path} is not a readable {path.suffix} file ({first_line(error)})") from error


def _check_magic(path: Path) -> None:
    """Raise ValueError if the file is neither an .npy nor a zip archive: numpy would take it for a pickle."""
    with open(path, "rb") as file:
        start = file.read(6)
    if not start:
        raise ValueError("it is empty")
    if start != np.lib.format.MAGIC_PREFIX and start[:4] not in (b"PK\x03\x04", b"PK\x05\x06"):
        raise ValueError("it does not begin like one")


def _named(path: Path, columns: dict[str, np.ndarray]) -> PointTable:
    return PointTable(_stack(path, columns), list(columns))


def _words_in(array: np.ndarray) -> tuple[str, ...]:
    """Fields of a structured array that hold words; none if all do, or if one is named like a coordinate or a time."""
    fields = array.dtype.names or ()
    words = tuple(name for name in fields if array.dtype[name].kind in "SU")
    return () if len(words) == len(fields) or any(map(is_axis, words)) else words


def _table(path: Path, array: np.ndarray, columns: Sequence[str | int] | None) -> PointTable:
    """The chosen columns of an array: of a structured array by field name, of a 2-D array by number."""
    if array.dtype.names:
        if array.ndim != 1:
            raise ValueError(f"{path}: a structured array must be 1-D, not of shape {array.shape}")
        names = list(array.dtype.names)
        return _named(path, {names[i]: array[names[i]] for i in choose_columns(path, columns, names, len(names))})
    if array.ndim != 2:
        raise ValueError(f"{path}: points are a table of shape (n, d); this array has shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{path}: points must be real numbers; this array has dtype {array.dtype}")
    if columns is not None:
        array = np.ascontiguousarray(array[:, choose_columns(path, columns, [], array.shape[1])])
    return PointTable(array)


def _stack(path: Path, columns: dict[str, np.ndarray]) -> np.ndarray:
    """Named columns side by side in their common dtype."""
    return np.stack(list(numeric(path, columns).values()), axis=1)


class _Plain(ValueError):
    """An error whose message already names the file: it is raised as it is."""
