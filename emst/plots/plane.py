"""What pictures share: axes, the choice of points to draw, and their places in the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HALF_TURN = {"degrees": 180.0, "radians": math.pi}
STEEPEST = 10.0  # most that a map near a pole is stretched upwards


@dataclass(frozen=True, eq=False)
class View:
    """Where points are drawn."""

    places: np.ndarray  # float64[n, 2], or [n, 3] in a picture in space
    names: tuple[str, ...]  # of the axes
    stretch: float = 1.0  # length of a unit of y over that of x
    half_turn: float = 0.0  # of a map, 180 degrees in its unit: lines that are longer in x cross the border
    beyond: bool = False  # longitudes go on beyond 180 degrees, because the places lie on both sides of the dateline


def current_axis() -> Axes:
    """pyplot's current axes. They need a display or a matplotlib backend that does without; given axes need neither."""
    from matplotlib import pyplot as plt

    return plt.gca()


def axes_for(dimensions: int) -> Axes:
    """pyplot's current axes, or axes in space for points of three dimensions if the current figure has no axes yet."""
    from matplotlib import pyplot as plt

    return plt.gcf().add_subplot(projection="3d") if dimensions == 3 and not plt.gcf().axes else plt.gca()


def sample(points: Any, most: int) -> np.ndarray:
    """Row numbers of the points with finite coordinates, ascending; of more than `most`, a random sample of as many."""
    rows = np.flatnonzero(np.isfinite(points).all(axis=1))
    if len(rows) > most:
        rows = np.sort(np.random.default_rng(0).choice(rows, most, replace=False))
    return rows


def column_names(points: Any) -> list[str] | None:
    """The names of a data frame's columns; None if there are none, or other than strings."""
    names = list(getattr(points, "columns", []))
    return names if names and all(isinstance(name, str) for name in names) else None


def view_of(
    points: Any, names: Sequence[str] | None = None, geographic: str | None = None, *, space: bool = False
) -> View:
    """Where points of any dimension are drawn.

    Points of more dimensions than the picture has are projected to their first principal components. Points of one
    dimension get y = 0.

    Parameters
    ----------
    points : array or sparse matrix of shape (n, d)
        Finite coordinates.
    names : sequence of str, optional
        Names of the columns.
    geographic : {None, "degrees", "radians"}, default None
        The unit, if the points are latitude and longitude: longitude is x, latitude is y.
    space : bool, default False
        The picture has three dimensions.

    Raises
    ------
    ValueError
        `geographic` is another word, or the points do not have two dimensions.
    """
    from scipy.sparse import issparse

    points = points.astype(np.float64)
    n, d = points.shape
    shown = None if names is None else tuple(str(name) for name in names)
    if geographic is not None:
        return _map(points, shown, geographic)
    dimensions = 3 if space else 2
    if d > dimensions and n > dimensions:
        return View(_projected(points, dimensions), tuple(f"principal component {i + 1}" for i in range(dimensions)))
    places = points.toarray() if issparse(points) else points
    places = np.column_stack([places, np.zeros((n, dimensions))])[:, :dimensions]
    return View(places, ((shown or ("x", "y", "z")[:d]) + ("",) * dimensions)[:dimensions])


def _projected(points: Any, dimensions: int) -> np.ndarray:
    from scipy.sparse import issparse
    from sklearn.decomposition import PCA

    solver = "arpack" if issparse(points) else "auto"
    return np.asarray(PCA(n_components=dimensions, svd_solver=solver, random_state=0).fit_transform(points))


def _map(points: Any, names: tuple[str, ...] | None, unit: str) -> View:
    """Longitude on x and latitude on y, with equal lengths at the mean latitude."""
    if unit not in HALF_TURN:
        raise ValueError(f"geographic must be None, 'degrees' or 'radians'; got {unit!r}")
    if points.shape[1] != 2:
        raise ValueError(f"a map needs latitude and longitude; the points have {points.shape[1]} columns")
    latitude, longitude = names or (f"latitude ({unit})", f"longitude ({unit})")
    middle = float(points[:, 0].mean()) if len(points) else 0.0
    stretch = 1 / max(math.cos(middle * math.pi / HALF_TURN[unit]), 1 / STEEPEST)
    x, beyond = _in_one_piece(points[:, 1], HALF_TURN[unit])
    return View(np.column_stack([x, points[:, 0]]), (longitude, latitude), stretch, HALF_TURN[unit], beyond)


def _in_one_piece(longitude: np.ndarray, half_turn: float) -> tuple[np.ndarray, bool]:
    """Longitudes without the jump at the dateline, if all lie within half a turn around it, and whether they do."""
    ascending = np.sort(longitude)
    gap = np.diff(ascending)
    widest = int(np.argmax(gap)) if len(gap) else 0
    if len(gap) == 0 or gap[widest] <= half_turn:
        return longitude, False
    return np.where(longitude <= ascending[widest], longitude + 2 * half_turn, longitude), True


def wrapped(longitude: float, half_turn: float) -> float:
    """The same longitude, counted from -180 to 180 degrees or from -pi to pi; `half_turn` is 180 or pi."""
    return (longitude + half_turn) % (2 * half_turn) - half_turn


def in_space(ax: Axes) -> bool:
    """Whether the axes have three dimensions. Raises TypeError if `ax` is not Axes."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be Axes of matplotlib; got {type(ax).__name__}")
    return bool(ax.name == "3d")


def dress(ax: Axes, view: View) -> None:
    """Name the axes, and give all of them the same scale."""
    ax.set(xlabel=view.names[0], ylabel=view.names[1])
    if in_space(ax):
        ax.set(zlabel=view.names[2])
        ax.set_aspect("equal")
        _thin_out(ax, view.places)
    else:
        ax.set_aspect(view.stretch)
        if view.beyond:
            ax.xaxis.set_major_formatter(lambda x, _: f"{wrapped(x, view.half_turn):.4g}")
        ax.margins(0.02)
        ax.autoscale_view()


def _thin_out(ax: Axes, places: np.ndarray) -> None:
    """Fewer ticks on the short sides of a box."""
    sides = np.ptp(places, axis=0) if len(places) else np.ones(3)
    for name, side in zip("xyz", sides):
        ax.locator_params(axis=name, nbins=max(2, round(8 * float(side) / (float(sides.max()) or 1.0))))  # type: ignore[arg-type]


def bar_space(ax: Axes) -> dict[str, Any]:
    """Where a colour bar stands: in space, beyond the name of the third axis."""
    return {"pad": 0.12} if in_space(ax) else {}


def segments_of(view: View, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lines of edges between places, float64[l, 2, dimensions], and the edge that each belongs to, ascending.

    On a map, an edge that crosses the border of the map, where longitudes jump by a full turn, is two lines: from each
    end to the border.
    """
    lines = view.places[edges]
    jump = lines[:, 1, 0] - lines[:, 0, 0]
    across = np.flatnonzero(np.abs(jump) > view.half_turn) if view.half_turn else np.zeros(0, np.int64)
    if len(across) == 0:
        return lines, np.arange(len(edges))
    turn = 2 * view.half_turn
    left = -view.half_turn if view.places[:, 0].max() <= view.half_turn else 0.0  # longitudes from 0 to 360 as well
    here, there = lines[across, 0], lines[across, 1]
    border = np.where(jump[across] > 0, left, left + turn)  # on the side of the first end
    other = np.where(jump[across] > 0, left + turn, left)
    way = jump[across] - np.sign(jump[across]) * turn  # the short way round
    share = np.clip((border - here[:, 0]) / way, 0, 1)
    y = here[:, 1] + share * (there[:, 1] - here[:, 1])
    first = np.stack([here, np.column_stack([border, y])], axis=1)
    second = np.stack([np.column_stack([other, y]), there], axis=1)
    lines[across] = first
    edge = np.concatenate([np.arange(len(edges)), across])
    order = np.argsort(edge, kind="stable")
    return np.concatenate([lines, second])[order], edge[order]


def line_collection(ax: Axes, lines: np.ndarray, **style: Any) -> Any:
    """Lines in the plane or in space, added to the axes below the points."""
    from matplotlib.collections import LineCollection
    from mpl_toolkits.mplot3d.art3d import Line3DCollection

    if in_space(ax):
        ax.computed_zorder = False  # type: ignore[attr-defined]  # points stay above lines from every side
        had_data = ax.has_data()
        drawn = ax.add_collection(Line3DCollection(list(lines), zorder=1, **style), autolim=False)
        # Otherwise the limits would hold the cube from 0 to 1 as well, which they are before there is any data.
        ax.auto_scale_xyz(*np.reshape(lines, (-1, 3)).T, had_data=had_data)  # type: ignore[attr-defined]
        return drawn
    return ax.add_collection(LineCollection(list(lines), zorder=1, **style))
