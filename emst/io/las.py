"""Laser scans in .las and .laz files: their points, and clusters beside them, by laspy (extra `las`)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from emst.io.columns import choose_columns, first_line

SCANS = (".las", ".laz")
PLACE = ("x", "y", "z")


def read_las(
    path: Path, columns: Sequence[str | int] | None, rows: tuple[int, int] | None = None
) -> dict[str, np.ndarray]:
    """Columns of a scan: x, y and z in the units of the file (not its integers X, Y, Z) by default, and by their names
    in laspy every other dimension, such as intensity. With `rows`, only those from the first number up to the other."""
    with _opened(path) as reader:
        if rows is None:
            points = reader.read().points
        else:
            reader.seek(rows[0])
            points = reader.read_points(rows[1] - rows[0])
    names = [*PLACE, *points.point_format.dimension_names]
    chosen = choose_columns(path, PLACE if columns is None else columns, names, len(names))
    if len(points) == 0:
        raise ValueError(f"{path} holds no rows")
    return {names[i]: np.asarray(points[names[i]]) for i in chosen}


def count_of_las(path: Path) -> int:
    """How many points the header of a scan says that it holds."""
    with _opened(path) as reader:
        return int(reader.header.point_count)


def check_scan(path: Path, suffix: str) -> list[str]:
    """The dimensions of a scan beside which others can be written to a file of this suffix, or ValueError."""
    if path.suffix.lower() not in SCANS:
        raise ValueError(f"{path} is no scan: only one of .las or .laz can be written as {suffix} with its clusters")
    with _opened(path) as reader:
        present = list(reader.header.point_format.dimension_names)
    if suffix == ".laz":
        import laspy

        if not laspy.LazBackend.detect_available():
            raise ValueError("writing .laz needs lazrs: pip install 'emst[las]'")
    return present


def write_beside_scan(file: IO[bytes], suffix: str, source: Path, dimensions: dict[str, np.ndarray]) -> None:
    """Write a scan with more dimensions. Its points, their order, its header and its VLRs stay as they are."""
    from laspy import ExtraBytesParams

    with _opened(source) as reader:
        scan = reader.read()
    scan.add_extra_dims([ExtraBytesParams(name, values.dtype) for name, values in dimensions.items()])
    for name, values in dimensions.items():
        scan[name] = values
    scan.write(file, do_compress=suffix == ".laz")


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A reader of laspy. Its errors in this context become one sentence."""
    try:
        import laspy
    except ImportError as error:
        raise ValueError(f"{path}: reading {path.suffix} needs laspy: pip install 'emst[las]'") from error
    try:
        with laspy.open(path) as reader:
            yield reader
    except laspy.errors.LaspyException as error:
        hint = "; reading .laz needs lazrs: pip install 'emst[las]'" if "backend" in str(error).lower() else ""
        raise ValueError(f"{path} is not a readable {path.suffix} file ({first_line(error)}){hint}") from error
    except (ValueError, EOFError, OverflowError, RuntimeError) as error:  # damaged: numpy's, and those of lazrs
        raise ValueError(f"{path} is not a readable {path.suffix} file ({first_line(error)})") from error
