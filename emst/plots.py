"""Pictures of trees. matplotlib is imported when one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emst.mst import MinimumSpanningTree
from emst.points import to_host

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize

MANY = 10_000  # points from which a picture is kept as pixels: a vector file of more is slow to open


def plot_mst(X: Any, mst: MinimumSpanningTree, ax: Axes | None = None) -> Axes:
    """Draw 2-D points and the edges of their tree as one LineCollection, coloured by weight.

    The colours are logarithmic where the weights span more than a decade. Edges are drawn from light to heavy, the
    heavy ones thicker: the few that join far parts are what a picture of many points is looked at for.

    Parameters
    ----------
    X : array-like of shape (n, 2)
    mst : MinimumSpanningTree
        Of those points.
    ax : matplotlib Axes, optional
        Where to draw; a new figure's by default.

    Returns
    -------
    matplotlib Axes
    """
    from matplotlib.collections import LineCollection

    points = np.asarray(to_host(X), dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"only 2-D points can be plotted; X has shape {points.shape}")
    edges, weights = to_host(mst.edges), np.asarray(to_host(mst.weights), dtype=np.float64)
    if len(edges) != len(points) - 1:
        raise ValueError(f"the tree has {len(edges) + 1} points; X has {len(points)}")
    if ax is None:
        from matplotlib import pyplot as plt

        _, ax = plt.subplots(layout="constrained")
    many = len(points) > MANY
    dot = float(np.clip(4000 / len(points), 0.05, 20))
    ax.scatter(points[:, 0], points[:, 1], s=dot, c="0.6", linewidths=0, zorder=1, rasterized=many)
    norm = weight_norm(weights)
    thinnest = float(np.clip(60 / len(points) ** 0.5, 0.3, 1.5))
    lines = LineCollection(
        points[edges],
        array=weights,
        cmap="viridis_r",
        norm=norm,
        linewidths=thinnest * (1 + 2 * np.clip(np.ma.filled(norm(weights), 0.0), 0, 1) ** 2),
        capstyle="round",
        rasterized=many,
        zorder=2,
    )
    ax.add_collection(lines)
    ax.figure.colorbar(lines, ax=ax, label="weight", shrink=0.8, aspect=32)
    ax.set_aspect("equal")
    ax.margins(0.02)
    ax.autoscale_view()
    return ax


def weight_norm(weights: np.ndarray) -> Normalize:
    """Colour scale of ascending weights: logarithmic above a decade, from the first percentile of the positive ones
    (a single pair of near duplicates must not stretch it), linear below. Zero weights get the lightest colour."""
    from matplotlib.colors import LogNorm, Normalize

    positive = weights[weights > 0]
    if len(positive) == 0:
        return Normalize(0.0, 1.0)
    low, high = float(positive[len(positive) // 100]), float(positive[-1])
    return LogNorm(low, high, clip=True) if high > 10 * low else Normalize(float(weights[0]), high, clip=True)
