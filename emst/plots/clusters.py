"""Scatter plot of a clustering: clusters in colours, noise in grey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from emst.inputs.devices import to_host
from emst.plots.colours import NAMED, NOISE, PALETTE, colour_numbers
from emst.plots.plane import axes_for, column_names, dress, in_space, sample, view_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 10_000  # more points are stored as pixels: a vector file of so many is slow to open
MOST = 1_000_000  # of more points, a random sample of this size is drawn
LINE = 16.0  # height of a line of the legend, in points (1 / 72 inch)
GREY = np.array([0.86, 0.86, 0.86])  # colour of probability 0: the cluster's colour fades towards it


def plot_clusters(
    points: Any,
    labels: Any,
    probabilities: Any = None,
    ax: Axes | None = None,
    *,
    names: Sequence[str] | None = None,
    geographic: str | None = None,
) -> Axes:
    """Scatter plot of a clustering.

    The lower the probability, the paler the colour; noise is grey and lies below. Clusters near each other have colours
    that differ. Points of three dimensions are drawn in space if `ax` has three dimensions, or if a new figure is made;
    otherwise points are projected to their first two principal components. Rows with NaN or infinite values are not
    drawn. Of more than a million points a random sample of a million is drawn.

    Parameters
    ----------
    points : array-like of shape (n, d)
        The points that were clustered.
    labels : int array-like of shape (n,)
        Cluster of each point; negative labels are noise.
    probabilities : array-like of shape (n,), optional
        Probability of each point, from 0 to 1; 1 by default.
    ax : matplotlib Axes, optional
        Where to draw; the current one by default.
    names : sequence of str, optional
        Names of the columns of `points`, for the axes; by default the names of a data frame.
    geographic : {None, "degrees", "radians"}, default None
        The unit, if the points are latitude and longitude: longitude is drawn on x, latitude on y.

    Returns
    -------
    matplotlib Axes
        What was drawn into.

    Raises
    ------
    ValueError
        Numbers of points, labels and probabilities differ, or points of other than two columns are geographic.
    """
    names = column_names(points) if names is None else names
    places, labels = np.asarray(to_host(points)), np.asarray(to_host(labels))
    strength = np.ones(len(labels)) if probabilities is None else np.asarray(to_host(probabilities), np.float64)
    if not len(places) == len(labels) == len(strength):
        raise ValueError(
            f"every point needs one label and one probability; got {len(places)} points, {len(labels)} labels, "
            f"{len(strength)} probabilities"
        )
    sizes = np.bincount(labels[labels >= 0])
    noise = int((labels == -1).sum())  # rows with NaN or infinite values are not drawn
    rows = sample(places, MOST)
    ax = ax or axes_for(places.shape[1])
    view = view_of(places[rows], names, geographic, space=in_space(ax))
    labels, strength = labels[rows], np.nan_to_num(strength[rows])
    colours = PALETTE[colour_numbers(labels, view.places, len(sizes))]
    dot = float(np.clip(50_000 / max(len(rows), 1), 0.3, 24))
    out = labels < 0
    faded = GREY + strength[~out, None] * (colours[labels[~out]] - GREY)
    _draw(ax, view.places[out], 0.6 * dot, NOISE, 1, len(rows) > MANY)
    _draw(ax, view.places[~out], dot, faded, 2, len(rows) > MANY)
    dress(ax, view)
    _legend(ax, sizes, noise, colours)
    return ax


def _draw(ax: Axes, places: np.ndarray, area: float, colours: np.ndarray, zorder: float, many: bool) -> None:
    """Draw points as dots of an area in square points; `many` as pixels."""
    from emst.plots.dots import Dots

    if many and not in_space(ax):
        Dots(ax, places, area, colours, zorder)
        return
    scatter: Any = ax.scatter
    style: dict[str, Any] = {"linewidths": 0, "zorder": zorder, "rasterized": many}
    if in_space(ax):
        style["depthshade"] = False  # paler means less probable
    scatter(*places.T, s=area, color=colours, **style)


def cluster_colours(labels: Any, points: Any = None, *, geographic: str | None = None) -> np.ndarray:
    """The colours that `plot_clusters` draws clusters in.

    The twelve largest clusters have twelve colours for themselves, which people with red-green blindness can tell apart
    as well. The others share twelve more. Clusters that are near each other in the picture differ, however many there
    are. The same input gives the same colours.

    Parameters
    ----------
    labels : int array-like of shape (n,)
        Cluster of each point; negative labels are noise.
    points : array-like of shape (n, d), optional
        The points. Without them, clusters with similar labels are near.
    geographic : {None, "degrees", "radians"}, default None
        The unit, if the points are latitude and longitude.

    Returns
    -------
    float64 array of shape (n_clusters, 3)
        Red, green and blue of each cluster, from 0 to 1.
    """
    labels = np.asarray(to_host(labels)).astype(np.int64)
    count = int(labels.max(initial=-1)) + 1
    if points is None:
        return PALETTE[colour_numbers(labels, None, count)]
    points = np.asarray(to_host(points))
    rows = sample(points, MOST)
    view = view_of(points[rows], None, geographic, space=points.shape[1] == 3)
    return PALETTE[colour_numbers(labels[rows], view.places, count)]


def _legend(ax: Axes, sizes: np.ndarray, noise: int, colours: np.ndarray) -> None:
    """Draw the legend: the largest clusters with their sizes, how many other clusters there are, and noise.

    It stands beside the axes if the figure has a constrained layout, which leaves space for it, or none, which is then
    set; otherwise within the axes.
    """
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.lines import Line2D

    def entry(colour: Any, text: str) -> Line2D:
        return Line2D([], [], linestyle="", marker="o", markersize=6, color=colour, label=text)

    lines = int(ax.get_window_extent().height / ax.figure.dpi * 72 / LINE) - 3  # without title, others and noise
    named = np.sort(np.argsort(-sizes, kind="stable")[: min(NAMED, max(lines, 3))])
    entries = [entry(colours[i], f"{i}  ({sizes[i]:,})") for i in named]
    if len(sizes) > len(named):
        entries.append(entry("none", f"and {len(sizes) - len(named):,} more"))
    if noise:
        entries.append(entry(NOISE, f"noise  ({noise:,})"))
    if not entries:
        return
    figure: Any = ax.figure
    if figure.get_layout_engine() is None and isinstance(figure, Figure) and ax.get_subplotspec() is not None:
        figure.set_layout_engine("constrained")
    title = "1 cluster" if len(sizes) == 1 else f"{len(sizes):,} clusters"
    style: dict[str, Any] = {"handles": entries, "title": title, "handletextpad": 0.2}
    if not isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine) or ax.get_subplotspec() is None:
        ax.legend(loc="upper right", fontsize="x-small", title_fontsize="x-small", framealpha=0.8, **style)
    else:
        narrow = ax.get_window_extent().width / ax.figure.dpi < 3  # inches
        size = "small" if narrow else "medium"
        ax.legend(
            loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=size, title_fontsize=size, **style
        )
