"""Places on a sphere: points of latitude and longitude, their images in space, and the lengths of arcs.

A place is a row (latitude, longitude), in this order, as in scikit-learn, in radians or in degrees. The angle between
two places grows with the distance of their images on the unit sphere, the chord; the arc is the angle times the radius.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from emst.backend.records import Array
from emst.inputs.places import levels_of_the_package
from emst.inputs.summary import counted

SLACK = 1 + 2.0**-20  # pi / 2 may have been rounded up to float32


class Beyond(NamedTuple):
    """Rows that are no places: an angle is too large."""

    rows: int  # how many
    first: int  # which is the first
    place: tuple[float, float]  # the first
    greatest: tuple[float, float]  # magnitudes of the angles of all finite rows


@dataclass(frozen=True)
class Sphere:
    """The unit of places, and the size of the sphere they lie on.

    Attributes
    ----------
    degrees : bool
        Whether places are given in degrees; otherwise in radians.
    radius : float
        Of the sphere. Arcs are in its unit.
    wraps : bool
        Whether a latitude beyond a pole and a longitude beyond a full circle are taken for the place where these angles
        lead. `image` and the haversine formula do so; otherwise `check` refuses them.
    """

    degrees: bool = False
    radius: float = 1.0
    wraps: bool = False

    @property
    def turn(self) -> float:
        """A full circle, the largest longitude. A quarter of it is the largest latitude."""
        return 360.0 if self.degrees else 2 * math.pi

    def radians(self, places: Array) -> Array:
        """The places in radians, float64[n, 2]."""
        places = places.astype(np.float64)
        return np.radians(places) if self.degrees else places

    def image(self, places: Array) -> Array:
        """Places -> points on the unit sphere, float64[n, 3]."""
        latitude, longitude = self.radians(places).T
        across = np.cos(latitude)
        return np.stack([across * np.cos(longitude), across * np.sin(longitude), np.sin(latitude)], axis=1)

    def arc(self, chord: Array) -> Array:
        """Distances between images -> lengths on the sphere."""
        return self.radius * (2 * np.arcsin(np.minimum(chord / 2, 1)))

    def mean(self, places: Array, weights: Array) -> Array:
        """The place of the weighted mean of the images, float64[2]: a mean of longitudes would fail at the date line.

        Its longitude is counted as those of the places are: from -180 degrees or from 0, or down to -360."""
        place = self._place_of((self.image(places) * weights[:, None]).sum(axis=0))
        longitude, half = places[:, 1], self.turn / 2 * SLACK
        place[1] += self.turn * ((longitude.max() > half) & (place[1] < 0))
        place[1] -= self.turn * ((longitude.min() < -half) & (place[1] > 0))
        return place

    def _place_of(self, image: Array) -> Array:
        """The place in the direction of a point in space: float64[2], longitude from -180 to 180 degrees."""
        x, y, z = image
        place = np.stack([np.arctan2(z, np.hypot(x, y)), np.arctan2(y, x)])
        return np.degrees(place) if self.degrees else place

    def beyond(self, places: Array) -> Beyond | None:
        """The finite rows with a latitude beyond a quarter of a circle, or a longitude beyond a full one.

        Raises
        ------
        ValueError
            There are not two columns.
        """
        if places.shape[1] != 2:
            unit = "degrees" if self.degrees else "radians"
            raise ValueError(
                f"metric='haversine' takes (latitude, longitude) in {unit}; X has {counted(places.shape[1], 'column')}"
            )
        latitude, longitude = abs(places[:, 0]), abs(places[:, 1])
        wrong = (latitude > self.turn / 4 * SLACK) | (longitude > self.turn * SLACK)
        if not bool(wrong.any()):
            return None
        finite = np.isfinite(latitude + longitude)
        wrong &= finite
        rows, first = int(wrong.sum()), int(wrong.argmax())
        a, b = (float(np.where(finite, angles, 0).max()) for angles in (latitude, longitude))
        return Beyond(rows, first, (float(places[first, 0]), float(places[first, 1])), (a, b)) if rows else None

    def complaint(self, faults: Beyond, where: str) -> str:
        """The sentence about places that are none. `where` names the row of the first."""
        limits = "degrees, latitude up to 90 and longitude up to 360"
        if not self.degrees:
            limits = "radians, latitude up to pi/2 and longitude up to 2 pi"
        first = f"first {_written(faults.place)} in {where}"
        if self.wraps:
            stands = self._place_of(self.image(np.array([faults.place]))[0])
            first += f". Each stands for the place where its angles lead, this one for {_written(stands)}"
        rows, way_out = counted(faults.rows, "row"), self._way_out(faults.greatest)
        return f"metric='haversine' takes {limits}; X has {rows} beyond, {first}{way_out}"

    def _way_out(self, greatest: tuple[float, float]) -> str:
        """What may be missing, if these are the greatest angles of a column."""
        option = "metric_params={'degrees': True} (on the command line --degrees)"
        if self.wraps:  # the peers pass parameters of the metric in several ways
            option = "the metric's parameter degrees=True"
        swapped = "if longitude comes first, turn the columns round: latitude must be column 0"
        ways = [f"; {swapped}"] if self._fits(*greatest[::-1]) else []
        if not self.degrees and Sphere(True)._fits(*greatest):
            ways.append(f". For places in degrees pass {option}")
        elif not self.degrees and not ways and Sphere(True)._fits(*greatest[::-1]):
            ways.append(f"; {swapped}. For places in degrees also pass {option}")
        return "".join(ways)

    def _fits(self, latitude: float, longitude: float) -> bool:
        return latitude <= self.turn / 4 * SLACK and longitude <= self.turn * SLACK

    def check(self, places: Array, rows: Array | None = None) -> None:
        """Check finite points.

        Parameters
        ----------
        places : T[n, 2]
        rows : int64[n], optional
            The caller's numbers of these rows, where some were left out.

        Raises
        ------
        ValueError
            Rows are no places; the message says how many, which is the first, and what may be missing.

        Warns
        -----
        UserWarning
            Places in degrees that would also be places in radians: all lie within a few degrees of (0, 0), in the sea.
            With `wraps`, the sentence about rows that are no places.
        """
        faults = self.beyond(places)
        if faults is not None:
            complaint = self.complaint(faults, f"row {faults.first if rows is None else int(rows[faults.first])}")
            if not self.wraps:
                raise ValueError(complaint)
            warnings.warn(complaint, UserWarning, stacklevel=levels_of_the_package())
        if self.degrees and len(places) and Sphere()._fits(*(float(angles.max()) for angles in abs(places).T)):
            warnings.warn(
                "metric='haversine' has degrees=True, but X has no latitude beyond pi/2 and no longitude beyond 2 pi: "
                "if these places are in radians, leave degrees out",
                UserWarning,
                stacklevel=levels_of_the_package(),
            )


def _written(place: Any) -> str:
    return f"({', '.join(f'{float(angle):g}' for angle in place)})"


def sphere_of(params: dict[str, Any]) -> Sphere:
    """The sphere that the parameters of the metric "haversine" describe.

    Raises
    ------
    ValueError
        Another parameter than `degrees` and `radius`; `degrees` is no bool; `radius` is not finite and greater than 0.
    """
    others = [repr(name) for name in params if name not in ("degrees", "radius")]
    if others:
        raise ValueError(f"metric='haversine' takes the parameters 'degrees' and 'radius'; got {', '.join(others)}")
    degrees, radius = params.get("degrees", False), params.get("radius", 1.0)
    if not isinstance(degrees, (bool, np.bool_)):
        raise ValueError(f"degrees of metric='haversine' must be True or False; got {degrees!r}")
    if isinstance(radius, bool) or not (isinstance(radius, Real) and 0 < float(radius) < math.inf):
        raise ValueError(f"radius of metric='haversine' must be a finite number greater than 0; got {radius!r}")
    return Sphere(bool(degrees), float(radius))
