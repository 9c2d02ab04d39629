"""Points from files, and results to files that are either whole or absent.

Every reader returns a float or integer table and raises `ValueError` with one sentence that names the file and, where
there is one, the line and the column at fault.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from emst.io.tables import choose_columns, first_line, numeric, pyarrow_for, read_csv, read_parquet

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
        return read_csv(path, columns, gaps)
    if suffix == ".parquet":
        return _stack(path, read_parquet(path, columns))
    return _table(path, _load(path, array), columns)


def check_table(path: Path) -> None:
    """Raise ValueError if `write_table` cannot write such a file."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: unknown suffix {suffix!r}; labels are written to {', '.join(SUFFIXES)}")
    if suffix == ".parquet":
        pyarrow_for(path, "writing")


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

        pyarrow_for(path, "writing").write_table(arrow.table(columns), file)


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
        raise ValueError(f"{path} is not a readable {path.suffix} file ({first_line(error)})") from error


def _table(path: Path, array: np.ndarray, columns: Sequence[str] | None) -> np.ndarray:
    """An array as a table: a structured one has named columns, a plain one numbered ones."""
    if array.dtype.names:
        if array.ndim != 1:
            raise ValueError(f"{path}: a structured array must be 1-D, not of shape {array.shape}")
        names = list(array.dtype.names)
        return _stack(path, {names[i]: array[names[i]] for i in choose_columns(path, columns, names, len(names))})
    if array.ndim != 2:
        raise ValueError(f"{path}: points are a table of shape (n, d); this array has shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{path}: points must be real numbers; this array has dtype {array.dtype}")
    return (
        array if columns is None else np.ascontiguousarray(array[:, choose_columns(path, columns, [], array.shape[1])])
    )


def _stack(path: Path, columns: dict[str, np.ndarray]) -> np.ndarray:
    """Named columns side by side in their common dtype."""
    return np.stack(list(numeric(path, columns).values()), axis=1)


class _Plain(ValueError):
    """An error whose message already says everything."""
