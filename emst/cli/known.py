"""`emst cluster --known`: a column of the table that holds labels of some points."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emst.cli.shared import dialect_in

if TYPE_CHECKING:
    import numpy as np

    from emst.hdbscan import HDBSCANGPU
    from emst.io.points import PointTable

HELP = """\
column of POINTS that holds labels of some points, words or numbers, by name or 0-based number; empty fields, -1, NA,
NaN, null and None are unknown. Clusters are selected by them: points of one label in one cluster, points of different
labels not"""

# What R, pandas and databases write for a missing value, beside the labels of noise.
UNKNOWN = {"", "-1", "-1.0", "NA", "<NA>", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None"}


def known_in(arguments: argparse.Namespace, source: Path, table: PointTable) -> np.ndarray | None:
    """The labels of --known as numbers, int64[n], -1 for unknown ones; None without the option.

    Raises
    ------
    ValueError
        There is no such column, or its values are read as coordinates as well.
    """
    import numpy as np

    from emst.io.texts import read_texts

    if arguments.known is None:
        return None
    dialect = dialect_in(arguments)
    ((name, values),) = read_texts(
        source, [arguments.known], len(table.array), arguments.array, dialect=dialect
    ).items()
    if name in (table.names or []) or (not table.names and arguments.known in (arguments.columns or [arguments.known])):
        raise ValueError(f"{source}: {name!r} holds the labels of --known; name the coordinates with --columns")
    labels = np.full(len(values), -1)
    known = np.array([not _is_unknown(value) for value in values.tolist()], bool)
    labels[known] = np.unique(values[known].astype(str), return_inverse=True)[1]
    return labels


def _is_unknown(value: Any) -> bool:
    return value is None or value != value or str(value).strip() in UNKNOWN


def constraints_in_words(model: HDBSCANGPU) -> str | None:
    """A line for the summary; None without labels."""
    if not hasattr(model, "constraints_"):
        return None
    counts = model.constraints_
    return f"{counts.satisfied:,} of {counts.total:,} constraints on pairs of labelled points are satisfied"
