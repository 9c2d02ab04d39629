"""--weights: a column of weights of the points."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from emst.io.points import PointTable
    from emst.io.tables import Dialect

HELP = "column of weights, by name or 0-based number: a point of weight w counts as w points (default: all count once)"


def add_weights(command: argparse.ArgumentParser) -> None:
    """Add --weights."""
    command.add_argument("--weights", metavar="COLUMN", help=HELP)


def weights_in(path: Path, arguments: argparse.Namespace, dialect: Dialect) -> np.ndarray | None:
    """The column of weights in the file of points; None without --weights."""
    from emst.io.points import read_table

    if arguments.weights is None:
        return None
    return read_table(path, [arguments.weights], arguments.array, gaps=True, dialect=dialect).array[:, 0]


def without_weights(path: Path, table: PointTable, column: str, dialect: Dialect) -> PointTable:
    """The table of points without the column of weights, if it is there."""
    import numpy as np

    from emst.io.tables import column_names, is_text

    d = table.array.shape[1]
    name = column
    if table.names and column not in table.names and column.isdecimal():
        every = column_names(path, dialect)[0] if is_text(path, dialect) or path.suffix == ".parquet" else table.names
        name = every[int(column)] if int(column) < len(every) else column
    names = table.names or [str(i) for i in range(d)]
    kept = [i for i in range(d) if names[i] != name]
    if len(kept) == d:
        return table
    if not kept:
        raise ValueError(f"{path}: there is no column of points besides that of the weights")
    array = np.ascontiguousarray(table.array[:, kept])
    return table._replace(array=array, names=table.names and [names[i] for i in kept], whole=table)
