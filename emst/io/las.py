"""Laser scans in .las and .laz files: their points, and clusters beside them, by laspy (extra `las`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from emst.io.columns import choose_columns, first_line

SCANS = (".las", ".laz")
PLACE = ("x", "y", "z")


def read_las(path: Path, columns: Sequence[str | int] | None) -> dict[str, np.ndarray]:
    """Columns of a scan: x, y and z in the units of the file (not its integers X, Y, Z) by default, and by their names
    in laspy every other dimension, such as intensity."""
    scan = _read(path)
    names = [*PLACE, *scan.point_format.dimension_names]
    chosen = choose_columns(path, PLACE if columns is None else columns, names, len(names))
    if len(scan.points) == 0:
        raise ValueError(f"{path} holds no rows")
    return {names[i]: np.asarray(scan[names[i]]) for i in chosen}


def check_scan(path: Path, suffix: str) -> list[str]:
    """The dimensions of a scan beside which others can be written to a file of this suffix, or ValueError."""
    import laspy

    if path.suffix.lower() not in SCANS:
        raise ValueError(f"{path} is no scan: only one of .las or .laz can be written as {suffix} with its clusters")
    if suffix == ".laz" and not laspy.LazBackend.detect_available():
        raise ValueError("writing .laz needs lazrs: pip install 'emst[las]'")
    with laspy.open(path) as scan:
        return list(scan.header.point_format.dimension_names)


def write_beside_scan(file: IO[bytes], suffix: str, source: Path, dimensions: dict[str, np.ndarray]) -> None:
    """Write a scan with more dimensions. Its points, their order, its header and its VLRs stay as they are."""
    from laspy import ExtraBytesParams

    scan = _read(source)
    scan.add_extra_dims([ExtraBytesParams(name, values.dtype) for name, values in dimensions.items()])
    for name, values in dimensions.items():
        scan[name] = values
    scan.write(file, do_compress=suffix == ".laz")


def _read(path: Path) -> Any:
    """The whole scan, or ValueError."""
    try:
        import laspy
    except ImportError as error:
        raise ValueError(f"{path}: reading {path.suffix} needs laspy: pip install 'emst[las]'") from error
    try:
        return laspy.read(path)
    except laspy.errors.LaspyException as error:
        hint = "; reading .laz needs lazrs: pip install 'emst[las]'" if "backend" in str(error).lower() else ""
        raise ValueError(f"{path} is not a readable {path.suffix} file ({first_line(error)}){hint}") from error
    except (ValueError, EOFError, OverflowError, RuntimeError) as error:  # damaged: numpy's, and those of lazrs
        raise ValueError(f"{path} is not a readable {path.suffix} file ({first_line(error)})") from error
