"""Points from .npy, .npz, .csv and .parquet files, as a table of floats or integers."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from emst.io.tables import choose_columns, first_line, numeric, read_csv, read_parquet

SUFFIXES = (".npy", ".npz", ".csv", ".parquet")


def read_points(
    path: Path, columns: Sequence[str] | None = None, array: str | None = None, *, gaps: bool = False
) -> np.ndarray:
    """Points in a file; the suffix names the format.

    Parameters
    ----------
    path : Path
        .npy, .npz, .csv or .parquet.
    columns : sequence of str, optional
        Names or 0-based numbers of the columns to take, in this order; all of them by default.
    array : str, optional
        Which array of an .npz; needed only if it holds several.
    gaps : bool, default False
        True: an empty field of a .csv is a missing value, NaN, as in tables that pandas writes. False: it is an error.

    Returns
    -------
    array of shape (n, d)
        Of floats or integers, in the dtype of the file; a .csv gives float64.

    Raises
    ------
    ValueError
        The suffix is unknown, or the file holds no table of numbers. The message names the file and, where there is
        one, the line and the column at fault.
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


def _load(path: Path, name: str | None) -> np.ndarray:
    """The array in an .npy, or the one called `name` (the only one) in an .npz."""
    try:
        _check_magic(path)
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        with loaded:
            names = loaded.files
            if name is None and len(names) != 1:
                raise _Plain(f"{path} holds {len(names)} arrays ({', '.join(names)}): choose one with --array")
            if name is not None and name not in names:
                raise _Plain(f"{path} has no array {name!r}; it holds {', '.join(names)}")
            chosen = names[0] if name is None else name
            found = loaded[chosen]
            if not isinstance(found, np.ndarray):  # numpy returns the bytes of a member that is no .npy
                raise _Plain(f"{path}: {chosen!r} is no numpy array")
            return found
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


def _table(path: Path, array: np.ndarray, columns: Sequence[str] | None) -> np.ndarray:
    """The chosen columns of an array: of a structured array by field name, of a 2-D array by number."""
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
    """An error whose message already names the file: it is raised as it is."""
