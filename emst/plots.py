"""Pictures of trees. matplotlib is imported when one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emst.mst import MinimumSpanningTree
from emst.points import to_host

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_mst(X: Any, mst: MinimumSpanningTree, ax: Axes | None = None) -> Axes:
    """Draw 2-D points and the edges of their tree as one LineCollection, coloured by weight.

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
    from matplotlib import pyplot as plt
    from matplotlib.collections import LineCollection

    points = np.asarray(to_host(X), dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"only 2-D points can be plotted; X has shape {points.shape}")
    edges, weights = to_host(mst.edges), to_host(mst.weights)
    if ax is None:
        _, ax = plt.subplots()
    size = float(np.clip(4000 / len(points), 0.05, 20))
    ax.scatter(points[:, 0], points[:, 1], s=size, c="0.6", linewidths=0, zorder=1, rasterized=len(points) > 10_000)
    lines = LineCollection(points[edges], array=weights, cmap="viridis", linewidths=np.clip(60 / len(points)**0.5, 0.3, 2))
    lines.set_rasterized(len(points) > 10_000)
    ax.add_collection(lines)
    ax.figure.colorbar(lines, ax=ax, label="weight")
    ax.set_aspect("equal", adjustable="datalim")
    ax.autoscale_view()
    return ax
