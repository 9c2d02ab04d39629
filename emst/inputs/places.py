"""What the names of columns say of places: that there are latitudes and longitudes, and in which order."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any

LATITUDES = frozenset({"lat", "latitude", "dec", "dej2000"})
LONGITUDES = frozenset({"lon", "lng", "long", "longitude", "ra", "raj2000"})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # lat_deg, decimalLatitude, Latitude (WGS84), STOP_LAT
DEGREES = "metric_params={'degrees': True}"  # says that places are in degrees


def places_among(names: Sequence[Any]) -> list[int]:
    """Positions of the column of latitudes and of that of longitudes; nothing unless there is exactly one of each."""
    plain = [name.strip(" _") if isinstance(name, str) else "" for name in names]
    whole = [{name.lower()} for name in plain]
    words = [{word.lower() for word in _WORD.findall(name)} - {"long"} for name in plain]  # "long" may be an adjective
    for found in (whole, words):
        positions = [[i for i, one in enumerate(found) if one & axis] for axis in (LATITUDES, LONGITUDES)]
        if all(len(of_axis) == 1 for of_axis in positions) and positions[0] != positions[1]:
            return [i for (i,) in positions]
    return []


def check_names(names: Sequence[Any], *, on_sphere: bool, euclidean: bool, degrees: str = DEGREES) -> None:
    """Compare the names of a data frame's columns with the metric.

    Parameters
    ----------
    names : sequence
        Of all columns; none if the data has no names of columns.
    on_sphere : bool
        Whether the metric takes latitude and longitude.
    euclidean : bool
        Whether the metric is Euclidean.
    degrees : str
        How the caller says that places are in degrees, for the advice.

    Raises
    ------
    ValueError
        The metric takes latitude and longitude, and the names say that other columns, or these in another order, were
        given.

    Warns
    -----
    UserWarning
        Latitude and longitude are all there is, and distances are Euclidean.
    """
    names = list(names)
    at = places_among(names) if names else []
    if not at:
        return
    latitude, longitude = (names[i] for i in at)
    chosen = f"X[[{latitude!r}, {longitude!r}]]"
    if on_sphere and names != [latitude, longitude]:
        listed = ", ".join(map(str, names))
        raise ValueError(
            f"X has the columns {listed}; metric='haversine' takes latitude and longitude, in this order: pass {chosen}"
        )
    if euclidean and len(names) == 2:
        warnings.warn(
            f"X has the columns {latitude} and {longitude}, but metric='euclidean' takes them for lengths in a plane. "
            f"For distances on the earth pass {chosen} with metric='haversine', {degrees}",
            UserWarning,
            stacklevel=levels_of_the_package(),
        )


def levels_of_the_package() -> int:
    """The `stacklevel` of a warning in the function that calls this one, so that it points at the caller's code."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "emst":
        frame, level = frame.f_back, level + 1
    return level
