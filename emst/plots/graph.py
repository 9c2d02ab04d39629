"""A forest of a graph, drawn at given positions of its vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emst.inputs.devices import to_host
from emst.plots.spanning import weight_norm

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 10_000  # from this many edges on, lines are drawn into a bitmap within a vector file


def plot_forest(
    positions: Any, edges: Any, weights: Any, *, n: int | None = None, ax: Axes | None = None, colorbar: bool = True
) -> Axes:
    """Draw the edges of a forest as one LineCollection, coloured by weight, and its vertices.

    The colour scale is logarithmic if the weights span more than a factor of ten and none is negative.

    Parameters
    ----------
    positions : array-like of shape (n, 2)
        x and y of every vertex.
    edges : int array of shape (k, 2)
        The ends of each edge.
    weights : array of shape (k,)
        Weight of each edge.
    n : int, optional
        Number of vertices; by default as many as there are positions.
    ax : matplotlib Axes, optional
        Where to draw; by default the axes of a new figure.
    colorbar : bool, default True
        Draw a colour bar of the weights.

    Returns
    -------
    matplotlib Axes
        What was drawn into.

    Raises
    ------
    ValueError
        Positions that are not in the plane, or another number of them than of vertices.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.colors import Normalize

    places = np.asarray(to_host(positions), dtype=np.float64)
    edges, weights = to_host(edges), to_host(weights).astype(np.float64)
    if places.shape != (len(places) if n is None else n, 2):
        wanted = "n" if n is None else n
        raise ValueError(f"positions must have shape ({wanted}, 2): x and y of every vertex; got {places.shape}")
    if ax is None:
        from matplotlib import pyplot as plt

        _, ax = plt.subplots(layout="constrained")
    many = len(edges) > MANY
    dot = float(np.clip(4000 / max(len(places), 1), 0.05, 20))
    ax.scatter(places[:, 0], places[:, 1], s=dot, c="0.4", linewidths=0, rasterized=many, zorder=1 if many else 3)
    ranked = np.sort(weights[np.isfinite(weights)])
    negative = len(ranked) > 0 and ranked[0] < 0  # no logarithmic scale
    lines = LineCollection(
        list(places[edges]),
        array=weights,
        cmap="viridis_r",
        norm=Normalize(ranked[0], ranked[-1]) if negative else weight_norm(ranked),
        linewidths=float(np.clip(60 / max(len(places), 1) ** 0.5, 0.3, 1.5)),
        capstyle="round",
        rasterized=many,
        zorder=2,
    )
    ax.add_collection(lines)
    if colorbar and len(edges):
        ax.figure.colorbar(lines, ax=ax, label="weight", shrink=0.8, aspect=32)
    ax.set_aspect("equal")
    ax.margins(0.02)
    ax.autoscale_view()
    return ax
