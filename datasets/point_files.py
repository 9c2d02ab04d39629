"""Readers of point sets in the formats in which they are published.

Each returns float64[n, d]; latitudes come before longitudes, as `metric="haversine"` expects. Files are read as a
stream: besides the result, a few megabytes are needed at a time.

References
----------
A. Prokopenko, P. Sao, D. Lebrun-Grandié, "A single-tree algorithm to compute the Euclidean minimum spanning tree on
GPUs" (ICPP'22). Its text was not at hand: the docstrings below say what a program of the authors' library ArborX took,
which converted these sets to its own format (benchmarks/dbscan/converter.cpp; removed since).
H. Song, J. Lee, "RP-DBSCAN: A superfast parallel DBSCAN algorithm based on random partitioning" (SIGMOD'18): GeoLife
with three columns and 24,876,978 points, in the README of its program.
"""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import zipfile
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from datasets.faults import reading

PLT_HEADER = 6  # lines before the points in each .plt of GeoLife


def ngsim(path: Path, columns: Sequence[str] = ("Global_X", "Global_Y"), location: str | None = None) -> np.ndarray:
    """Positions of vehicles in NGSIM's .csv, in feet: float64[n, len(columns)].

    Parameters
    ----------
    path : Path
        The .csv of all locations.
    columns : sequence of str
        Columns to take. ArborX took ``Global_X`` and ``Global_Y`` of all rows; ``Local_X`` and ``Local_Y`` are measured
        along and across each road.
    location : str, optional
        Only rows of this location: "i-80", "us-101", "lankershim" or "peachtree".
    """
    with reading(path, "a table of NGSIM"), open(path, encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file)
        names = [name.strip().lower() for name in next(rows, [])]
        wanted = [_position(name, names) for name in columns]
        at = _position("Location", names) if location is not None else 0
        values = array("d")
        for row in rows:
            if len(row) != len(names):
                raise ValueError(f"line {rows.line_num} has {len(row)} fields and not {len(names)}")
            if location is None or row[at] == location:
                values.extend([float(row[i]) for i in wanted])
        return _table(values, len(wanted))


def porto(path: Path, most: int | None = None) -> np.ndarray:
    """Positions of Porto's taxis: latitude and longitude in degrees, float64[n, 2].

    Parameters
    ----------
    path : Path
        UCI's .zip (with train.csv.zip inside), train.csv.zip or train.csv.
    most : int, optional
        Take at most so many points of every trip. ArborX took 255, and left out points outside longitudes -9 to -7 and
        latitudes 40 to 42; it reports more than 81,000,000 points.
    """
    with reading(path, "the table of Porto's taxis"), _text(path, ".csv") as file:
        rows = csv.reader(file)
        names = [name.strip().lower() for name in next(rows, [])]
        at = _position("POLYLINE", names)
        values = array("d")
        for row in rows:
            if len(row) != len(names):
                raise ValueError(f"line {rows.line_num} has {len(row)} fields and not {len(names)}")
            trip = json.loads(row[at])
            try:
                values.extend(coordinate for longitude, latitude in trip[:most] for coordinate in (latitude, longitude))
            except (TypeError, ValueError):
                raise ValueError(f"line {rows.line_num} has something else than points of two coordinates") from None
        return _table(values, 2)


def road_network_3d(path: Path) -> np.ndarray:
    """Points of roads in North Jutland: latitude and longitude in degrees, altitude in metres, float64[n, 3].

    ArborX took the first two columns. `path` is UCI's .zip or 3D_spatial_network.txt.
    """
    with reading(path, "3D_spatial_network.txt"), _text(path, ".txt") as file:
        points = _rows(file, (2, 1, 3))
        if not len(points):
            raise ValueError("it has no points")
        return points


def geolife(path: Path) -> np.ndarray:
    """Positions in GeoLife's .zip: latitude and longitude in degrees, altitude in feet, float64[n, 3].

    Points come by user and trajectory, in the order of their names. An altitude of -777 means that it is not known.
    Song and Lee count the same three columns.
    """
    with reading(path, "the archive of GeoLife"), zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if name.lower().endswith(".plt"))
        if not names:
            raise ValueError("it has no .plt")
        return np.concatenate([_trajectory(archive, name) for name in names])


def _trajectory(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    try:
        with archive.open(name) as raw:
            file = io.TextIOWrapper(raw, "utf-8")
            header = list(itertools.islice(file, PLT_HEADER))
            if len(header) < PLT_HEADER or not header[0].startswith("Geolife"):
                raise ValueError("it does not begin like a trajectory")
            return _rows(file, (0, 1, 3))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _rows(lines: IO[str], columns: tuple[int, ...]) -> np.ndarray:
    """These columns of comma-separated lines of numbers; loadtxt warns where there are none."""
    first = next(lines, "")
    if not first.strip():
        return np.zeros((0, len(columns)))
    return np.loadtxt(itertools.chain([first], lines), delimiter=",", usecols=columns, comments=None, ndmin=2)


def _table(values: array[float], d: int) -> np.ndarray:
    if not values:
        raise ValueError("it has no points")
    return np.frombuffer(values).reshape(-1, d)


def _position(name: str, names: Sequence[str]) -> int:
    if name.lower() not in names:
        raise ValueError(f"it has no column {name}")
    return names.index(name.lower())


@contextlib.contextmanager
def _text(path: Path, suffix: str) -> Iterator[IO[str]]:
    """A text file, or the one text with this suffix in a .zip, which may be in another .zip inside."""
    with contextlib.ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(open(path, "rb"))
        while zipfile.is_zipfile(file):
            archive = stack.enter_context(zipfile.ZipFile(file))
            inside = [name for name in archive.namelist() if name.lower().endswith((suffix, f"{suffix}.zip"))]
            if len(inside) != 1:
                raise ValueError(f"it holds {len(inside)} files that end in {suffix}, and not one")
            file = stack.enter_context(archive.open(inside[0]))
        file.seek(0)
        yield stack.enter_context(io.TextIOWrapper(file, "utf-8-sig", newline=""))
