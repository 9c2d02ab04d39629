"""Points from .las and .laz files of laser scans, read by laspy (extra `las`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from emst.io.columns import choose_columns, first_line

PLACE = ("x", "y", "z")


def read_las(path: Path, columns: Sequence[str | int] | None) -> dict[str, np.ndarray]:
    """Columns of a scan: x, y and z in the units of the file (not its integers X, Y, Z) by default, and by their names
    in laspy every other dimension, such as intensity."""
    try:
        import laspy
    except ImportError as error:
        raise ValueError(f"{path}: reading {path.suffix} needs laspy: pip install 'emst[las]'") from error
    try:
        scan = laspy.read(path)
    except laspy.errors.LaspyException as error:
        hint = "; reading .laz needs lazrs: pip install 'emst[las]'" if "backend" in str(error).lower() else ""
        raise ValueError(f"{path} is not a readable {path.suffix} file ({first_line(error)}){hint}") from error
    except (ValueError, EOFError, OverflowError, RuntimeError) as error:  # damaged: numpy's, and those of lazrs
        raise ValueError(f"{path} is not a readable {path.suffix} file ({first_line(error)})") from error
    names = [*PLACE, *scan.point_format.dimension_names]
    chosen = choose_columns(path, PLACE if columns is None else columns, names, len(names))
    if len(scan.points) == 0:
        raise ValueError(f"{path} holds no rows")
    return {names[i]: np.asarray(scan[names[i]]) for i in chosen}
