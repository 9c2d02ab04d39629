"""Places on the command line: --degrees and --radius, and which columns of a table hold latitude and longitude."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from emst.io.points import PointTable
    from emst.io.tables import Dialect

EARTH_KM = 6371.0088  # mean radius of the earth, as the International Union of Geodesy and Geophysics defines it

DEGREES_HELP = f"""\
with --metric haversine: places are in degrees, and all lengths, those of options and of the output as well, in
kilometres (radius {EARTH_KM}; without this option radians, and angles of the unit sphere)"""


def add_places(command: argparse.ArgumentParser) -> None:
    """Add --degrees and --radius."""
    command.add_argument("--degrees", action="store_true", help=DEGREES_HELP)
    command.add_argument(
        "--radius", type=float, metavar="R", help="of the sphere of --metric haversine: lengths are in its unit"
    )


def place_params(arguments: argparse.Namespace) -> dict[str, Any]:
    """The metric parameters of --degrees and --radius."""
    for option, is_set in (("degrees", arguments.degrees), ("radius", arguments.radius is not None)):
        if is_set and arguments.metric != "haversine":
            raise ValueError(f"--{option} goes with --metric haversine, not with --metric {arguments.metric}")
    if not arguments.degrees:
        return {} if arguments.radius is None else {"radius": arguments.radius}
    return {"degrees": True, "radius": EARTH_KM if arguments.radius is None else arguments.radius}


def unit_of(arguments: argparse.Namespace) -> str:
    """What follows a length in a summary."""
    return " km" if arguments.degrees and arguments.radius is None else ""


def columns_of(path: Path, arguments: argparse.Namespace, dialect: Dialect) -> list[str] | None:
    """The columns to read: those of --columns, but latitude before longitude where the metric takes places. A note on
    standard error says where the order was changed."""
    from emst.inputs.places import places_among

    wanted: list[str] | None = arguments.columns
    names = _names(path, wanted, dialect)
    at = places_among(names)
    if not at:
        return wanted
    latitude, longitude = (names[i] for i in at)
    if arguments.metric == "haversine" and names != [latitude, longitude]:
        _note(f"--metric haversine takes the columns {latitude},{longitude}, in this order")
        return [latitude, longitude]
    return wanted


def latitude_first(table: PointTable) -> PointTable:
    """Two columns of longitudes and latitudes in the order that the metric takes; a note says so."""
    import numpy as np

    from emst.inputs.places import places_among

    names = table.names or []
    if len(names) != 2 or places_among(names) != [1, 0]:
        return table
    _note(f"--metric haversine takes the columns {names[1]},{names[0]}, in this order")
    return table._replace(array=np.ascontiguousarray(table.array[:, ::-1]), names=names[::-1])


def note_plane(names: list[str] | None, metric: str) -> None:
    """A note where latitude and longitude are all that was read, and are taken for lengths."""
    from emst.inputs.places import places_among

    at = places_among(names or [])
    if names and at and len(names) == 2 and metric in ("euclidean", "l2"):
        latitude, longitude = (names[i] for i in at)
        _note(
            f"--metric {metric} takes the columns {latitude} and {longitude} for lengths in a plane; for "
            "distances on the earth add --metric haversine --degrees"
        )


def _names(path: Path, wanted: list[str] | None, dialect: Dialect) -> list[str]:
    """Names of the columns that are to be read; nothing where the file has none, or not those that are wanted."""
    from emst.io.index import index_columns
    from emst.io.tables import column_names, is_text

    if not is_text(path, dialect) and path.suffix.lower() != ".parquet":
        return []
    names, _ = column_names(path, dialect)
    if wanted is None or not names:
        index = index_columns(path, names)
        return [name for i, name in enumerate(names) if i not in index]
    named = [names[int(column)] if _is_number_of(column, names) else column for column in wanted]
    return named if set(named) <= set(names) else []


def _is_number_of(column: str, names: list[str]) -> bool:
    return column not in names and column.isdecimal() and int(column) < len(names)


def _note(text: str) -> None:
    print(f"emst: note: {text}", file=sys.stderr)
