"""Scatter plot of a clustering: clusters in colours, noise in grey."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emst.inputs.devices import to_host
from emst.plots.plane import current_axis, on_plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 10_000  # more points are stored as pixels: a vector file of so many is slow to open
MOST = 1_000_000  # of more points, a random sample of this size is drawn
NAMED = 12  # the legend names this many clusters, the largest
NOISE = np.array([0.78, 0.78, 0.78])
GREY = np.array([0.86, 0.86, 0.86])  # colour of probability 0: the cluster's colour fades towards it


def plot_clusters(points: Any, labels: Any, probabilities: Any = None, axis: Axes | None = None) -> Axes:
    """Scatter plot of a clustering.

    The lower the probability, the paler the colour; noise is grey and lies below. Points of more than two dimensions
    are projected to their first two principal components. Rows with NaN or infinite values are not drawn. Of more than
    a million points a random sample of a million is drawn.

    Parameters
    ----------
    points : array-like of shape (n, d)
        The points that were clustered.
    labels : int array-like of shape (n,)
        Cluster of each point; negative labels are noise.
    probabilities : array-like of shape (n,), optional
        Probability of each point, from 0 to 1; 1 by default.
    axis : matplotlib Axes, optional
        Where to draw; the current one by default.

    Returns
    -------
    matplotlib Axes
    """

    places, labels = np.asarray(to_host(points)), np.asarray(to_host(labels))
    strength = np.ones(len(labels)) if probabilities is None else np.asarray(to_host(probabilities), np.float64)
    if not len(places) == len(labels) == len(strength):
        raise ValueError(
            f"every point needs one label and one probability; got {len(places)} points, {len(labels)} labels, "
            f"{len(strength)} probabilities"
        )
    sizes = np.bincount(labels[labels >= 0])
    noise = int((labels < 0).sum())
    rows = _drawn(places)
    places, axes = on_plane(places[rows])
    labels, strength = labels[rows], np.nan_to_num(strength[rows])
    colours = cluster_colours(len(sizes))
    axis = axis or current_axis()
    dot = float(np.clip(50_000 / max(len(rows), 1), 0.3, 24))
    style: dict[str, Any] = {"linewidths": 0, "rasterized": len(rows) > MANY}
    out = labels < 0
    axis.scatter(places[out, 0], places[out, 1], s=0.6 * dot, color=NOISE, zorder=1, **style)
    faded = GREY + strength[~out, None] * (colours[labels[~out]] - GREY)
    axis.scatter(places[~out, 0], places[~out, 1], s=dot, color=faded, zorder=2, **style)
    _legend(axis, sizes, noise, colours)
    axis.set(xlabel=axes[0], ylabel=axes[1], aspect="equal")
    axis.margins(0.02)
    return axis


def cluster_colours(count: int) -> np.ndarray:
    """Colours of labels 0 ... count - 1, float64 of shape (count, 3). Successive labels get different hues."""
    from matplotlib import colormaps
    from matplotlib.colors import hsv_to_rgb

    if count <= 10:
        return colormaps["tab10"]([0, 1, 2, 3, 4, 5, 6, 8, 9, 7][:count])[:, :3]  # grey is last: noise is grey
    i = np.arange(count)
    hue = (0.58 + i * 0.6180339887498949) % 1.0  # multiples of the golden ratio spread any number of hues evenly
    return hsv_to_rgb(np.stack([hue, 0.55 + 0.35 * (i % 3) / 2, 0.9 - 0.3 * (i // 3 % 3) / 2], axis=1))


def _drawn(places: np.ndarray) -> np.ndarray:
    """The finite rows, or a random sample of them."""
    rows = np.flatnonzero(np.isfinite(places).all(axis=1))
    if len(rows) > MOST:
        rows = np.sort(np.random.default_rng(0).choice(rows, MOST, replace=False))
    return rows


def _legend(axis: Axes, sizes: np.ndarray, noise: int, colours: np.ndarray) -> None:
    """Draw the legend: the largest clusters with their sizes, how many other clusters there are, and noise."""
    from matplotlib.lines import Line2D

    def entry(colour: Any, text: str) -> Line2D:
        return Line2D([], [], linestyle="", marker="o", markersize=6, color=colour, label=text)

    named = np.sort(np.argsort(-sizes, kind="stable")[:NAMED])
    entries = [entry(colours[i], f"{i}  ({sizes[i]:,})") for i in named]
    if len(sizes) > NAMED:
        entries.append(entry("none", f"and {len(sizes) - NAMED:,} more"))
    if noise:
        entries.append(entry(NOISE, f"noise  ({noise:,})"))
    if entries:
        title = "1 cluster" if len(sizes) == 1 else f"{len(sizes):,} clusters"
        axis.legend(
            handles=entries, title=title, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, handletextpad=0.2
        )
