"""Points in files, cut into pieces that workers read.

Files are looked up and read on workers: what matters is whether these see them. A task knows the path and the rows it
reads, so a chunk that is lost is read again.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from dask.utils import natural_sort_key

from emst.backend.records import Array
from emst.inputs.points import check_real
from emst.io.columns import first_line
from emst.io.fits import fits_layout, read_fits
from emst.io.index import chosen_columns
from emst.io.las import PLACE, count_of_las, read_las
from emst.io.parquet import pyarrow_for, read_parquet
from emst.io.points import SUFFIXES as READ_HERE
from emst.io.points import read_points
from emst.io.tables import TEXTS, column_names, numeric_columns

SUFFIXES = (*READ_HERE, ".zarr")
SCANS, TABLES = (".las", ".laz"), (".fits", ".fit")
OPTION = re.compile(r"\b(columns|gaps|sep|decimal|encoding|array)=")  # keywords of `read_points` that an error names
PIECE_BYTES = 64 << 20  # of an array that is cut: small beside a worker's memory, and a task costs about a millisecond


@dataclass(frozen=True)
class Piece:
    """Part of a file: rows from `begin` to `end`, or row groups of a .parquet; all of it without `end`. `rows` is how
    many there are, None if that is not known."""

    path: str
    begin: int = 0
    end: int | None = None
    rows: int | None = None


@dataclass(frozen=True)
class FileOfPoints:
    """What is known of a file before its values are read; None for what is not.

    Attributes
    ----------
    path : str
    pieces : list of Piece
        In order; together they are the file.
    d : int or None
        Number of columns.
    dtype : dtype or None
    names : list of str or None
        Of the columns that are read, where the file has names.
    """

    path: str
    pieces: list[Piece]
    d: int | None = None
    dtype: np.dtype | None = None
    names: list[str] | None = None


def is_path(X: Any) -> bool:
    """Whether `X` is a path, or a list or tuple of paths."""
    if isinstance(X, list | tuple):
        return len(X) > 0 and all(isinstance(one, str | os.PathLike) for one in X)
    return isinstance(X, str | os.PathLike)


def absolute(X: Any) -> list[str]:
    """A list of absolute paths. Workers may run in another folder than this process."""
    return [os.path.abspath(os.fspath(one)) for one in (X if isinstance(X, list | tuple) else [X])]


def files_of(ops: Any, paths: list[str]) -> list[FileOfPoints]:
    """Task: the files that paths, patterns and folders stand for, and the pieces to read them in.

    The files of a pattern or a folder come in natural order: part.2 before part.10.

    Raises
    ------
    FileNotFoundError
        A path that does not exist, a pattern that nothing matches, a folder without files of points.
    ValueError
        A file of another format, or whose header says that it does not hold points.
    """
    return [_described(path) for one in paths for path in _expanded(one)]


def read_piece(piece: Piece) -> Array:
    """The rows of a piece, in the dtype of the file.

    Raises
    ------
    FileNotFoundError
        The file was there when `files_of` looked.
    ValueError
        The file has fewer rows now.
    """
    try:
        rows = _read(piece)
    except Exception as error:
        if os.path.exists(piece.path):
            raise
        raise FileNotFoundError(f"{piece.path} has vanished since its size was read") from error
    if piece.rows is not None and len(rows) != piece.rows:
        raise ValueError(f"{piece.path} has changed since its size was read")
    return rows


def _read(piece: Piece) -> Array:
    path, part = Path(piece.path), slice(piece.begin, piece.end)
    suffix = path.suffix.lower()
    if _is_zarr(piece.path):
        return np.asarray(_zarr_array(piece.path)[part])
    with _options_for_blocks():
        if piece.end is None:
            return read_points(path)
        if suffix == ".parquet":
            return _side_by_side(read_parquet(path, _columns_of(path), range(piece.begin, piece.end)))
        if suffix in SCANS:
            return _side_by_side(read_las(path, None, (piece.begin, piece.end)))
        if suffix in TABLES:
            return _side_by_side(read_fits(path, None, None, False, (piece.begin, piece.end))[0])
    return np.array(np.load(path, mmap_mode="r")[part], order="C")  # a copy: pages of a file that shrinks are gone


def _side_by_side(columns: dict[str, Array]) -> Array:
    return np.stack(list(columns.values()), axis=1)


@contextlib.contextmanager
def _options_for_blocks() -> Iterator[None]:
    """Errors in this context that name a keyword of `read_points` say where the keyword can be given."""
    try:
        yield
    except ValueError as error:
        option = OPTION.search(str(error))
        if option is None:
            raise
        raise ValueError(
            f"{error}; with {option[0]}, pass blocks: X = [dask.delayed(read_points)(path, {option[0]}...) for path in "
            "paths]"
        ) from error


def cuts(n: int, row_bytes: int, unit: int = 1) -> list[tuple[int, int]]:
    """Cut n rows into ranges of about `PIECE_BYTES`, whose lengths are multiples of `unit` (but the last)."""
    step = max(1, PIECE_BYTES // max(1, row_bytes * unit)) * unit
    return [(begin, min(begin + step, n)) for begin in range(0, n, step)]


def _expanded(path: str) -> list[str]:
    if _is_zarr(path):
        return [path]
    if os.path.isdir(path):
        names = [name for name in os.listdir(path) if name[0] not in "._" and Path(name).suffix.lower() in SUFFIXES]
        if not names:
            raise FileNotFoundError(f"the folder {path} holds no {', '.join(SUFFIXES)}")
        return [os.path.join(path, name) for name in sorted(names, key=natural_sort_key)]
    if os.path.exists(path):
        return [path]
    if not glob.has_magic(path):
        raise FileNotFoundError(f"{path} does not exist, or the workers do not see it")
    files = sorted(glob.glob(path), key=natural_sort_key)
    if not files:
        raise FileNotFoundError(f"no file matches {path}, or the workers do not see it")
    return files


def _described(path: str) -> FileOfPoints:
    suffix = Path(path).suffix.lower()
    if _is_zarr(path):
        array = _zarr_array(path)
        return _described_array(path, array, array.chunks[0] if array.chunks else 1)
    if suffix not in SUFFIXES or os.path.isdir(path):
        raise ValueError(f"{path}: points are read from {', '.join(SUFFIXES)}")
    if suffix == ".parquet":
        return _described_parquet(Path(path))
    if suffix == ".npz":
        _check_one_array(path)
        return FileOfPoints(path, [Piece(path)])
    with _options_for_blocks():
        if suffix in TEXTS:
            names, _ = column_names(Path(path))
            used = _columns_of(Path(path))
            return FileOfPoints(path, [Piece(path)], len(used), None, [names[i] for i in used] if names else None)
        if suffix in SCANS:
            return _described_table(path, list(PLACE), count_of_las(Path(path)))
        if suffix in TABLES:
            return _described_table(path, *fits_layout(Path(path)))
    try:
        array = np.load(path, mmap_mode="r")
    except (ValueError, EOFError):  # Python objects, or no .npy at all
        array = read_points(Path(path))  # raises one sentence
    if array.dtype.names:
        return FileOfPoints(path, [Piece(path)], len(array.dtype.names))
    return _described_array(path, array)


def _described_array(path: str, array: Any, unit: int = 1) -> FileOfPoints:
    """An array that can be read in pieces; `unit` rows are stored together."""
    if array.ndim != 2:
        raise ValueError(f"{path}: points are a table of shape (n, d); this array has shape {array.shape}")
    try:
        check_real(array.dtype)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    n, d = array.shape
    pieces = [Piece(path, begin, end, end - begin) for begin, end in cuts(n, d * array.dtype.itemsize, unit)]
    return FileOfPoints(path, pieces, d, array.dtype)


def _described_table(path: str, names: list[str], n: int) -> FileOfPoints:
    """A table with named columns, which can be read in ranges of rows. Their dtypes are known when they are read."""
    pieces = [Piece(path, begin, end, end - begin) for begin, end in cuts(n, 8 * len(names))]
    return FileOfPoints(path, pieces, len(names), None, names)


def _columns_of(path: Path) -> list[int]:
    """Positions of the columns of a text or .parquet: all but an index column."""
    return chosen_columns(path, None, *column_names(path))


def _described_parquet(path: Path) -> FileOfPoints:
    every, numeric = column_names(path)[0], numeric_columns(path)
    used = _columns_of(path)
    for i in used:
        if not numeric[i]:
            raise ValueError(f"{path}: column {every[i]!r} does not hold numbers; choose columns with dask.dataframe")
    names = [every[i] for i in used]
    with pyarrow_for(path, "reading").ParquetFile(path) as file:
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    pieces, begin, rows = [], 0, 0
    for i, group in enumerate(groups):
        rows += group.num_rows
        if rows * len(names) * 8 >= PIECE_BYTES or i == len(groups) - 1:
            pieces.append(Piece(str(path), begin, i + 1, rows))
            begin, rows = i + 1, 0
    return FileOfPoints(str(path), pieces, len(names), None, names)


def _check_one_array(path: str) -> None:
    """Raise ValueError for an .npz with several arrays. Whether it is one at all is found when it is read."""
    with contextlib.suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as file:
        if len(file.namelist()) != 1:
            raise ValueError(f"{path} holds {len(file.namelist())} arrays; points are read from an .npz with one")


def _is_zarr(path: str) -> bool:
    return any(os.path.exists(os.path.join(path, name)) for name in ("zarr.json", ".zarray", ".zgroup"))


def _zarr_array(path: str) -> Any:
    try:
        import zarr
    except ImportError as error:
        raise ValueError(f"{path}: reading zarr arrays needs zarr: pip install zarr") from error
    try:
        return zarr.open_array(path, mode="r")
    except Exception as error:  # zarr 2 and 3 have classes of their own for it
        raise ValueError(f"{path} is not a readable zarr array ({first_line(error)})") from error
