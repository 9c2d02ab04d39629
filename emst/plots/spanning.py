"""The minimum spanning tree, drawn among the points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emst.inputs.devices import to_host
from emst.plots.plane import current_axis, on_plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize


MANY = 10_000  # points from which a picture is kept as pixels: a vector file of more is slow to open
DENSE = 100_000  # edges from which those shorter than a pixel are left to the points
PIXEL = 1 / 3000  # of a large picture


def plot_mst(X: Any, mst: Any, ax: Axes | None = None) -> Axes:
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


def plot_spanning_tree(
    points: Any,
    edges: Any,
    weights: Any,
    *,
    axis: Axes | None = None,
    node_size: float = 40,
    node_color: Any = "k",
    node_alpha: float = 0.8,
    edge_alpha: float = 0.5,
    edge_cmap: Any = "viridis_r",
    edge_linewidth: float = 2,
    vary_line_width: bool = True,
    colorbar: bool = True,
) -> Axes:
    """Draw points and the edges of their tree, coloured by weight, with hdbscan's arguments.

    Points of more than two dimensions are projected by their principal components. Nodes and lines shrink where there
    are more than a few hundred of them, and of more than 100,000 edges those shorter than a pixel are left out.

    Parameters
    ----------
    points : array or sparse matrix of shape (n, d)
    edges : int array of shape (m, 2)
        Rows of the points that each edge joins; the points without an edge are not drawn.
    weights : array of shape (m,)
    axis : matplotlib Axes, optional
        Where to draw; the current one by default.
    node_size, node_color, node_alpha
        Area, colour and opacity of the points.
    edge_alpha, edge_cmap, edge_linewidth
        Opacity, colours and width of the edges.
    vary_line_width : bool, default True
        The shorter an edge, the wider: by the logarithm of the longest edge's weight over its own, up to four times.
    colorbar : bool, default True

    Returns
    -------
    matplotlib Axes
    """
    from matplotlib.collections import LineCollection

    edges, weights = np.asarray(to_host(edges)), np.asarray(to_host(weights), dtype=np.float64)
    rows, ends = np.unique(edges, return_inverse=True)
    places, names = on_plane(points[rows])
    axis = axis or current_axis()
    segments = places[ends.reshape(-1, 2)]
    if len(edges) > DENSE:
        seen = np.abs(segments[:, 0] - segments[:, 1]).max(axis=1) > PIXEL * np.ptp(places, axis=0).max()
        segments, weights = segments[seen], weights[seen]
    many = len(rows) > MANY
    room = min(1.0, 300 / max(len(rows), 1))
    widths: Any = edge_linewidth * max(room**0.5, 0.2)
    if vary_line_width and len(weights):
        with np.errstate(divide="ignore", invalid="ignore"):
            widths = widths * np.clip(np.nan_to_num(1 + np.log(weights.max() / weights), nan=1.0), 1, 4)
    finite = weights[np.isfinite(weights)]
    lines = LineCollection(
        list(segments),
        array=weights,
        cmap=edge_cmap,
        norm=weight_norm(np.sort(finite)),
        linewidths=widths,
        alpha=edge_alpha,
        rasterized=many,
        zorder=1,
    )
    axis.add_collection(lines)
    dot = max(node_size * room, 0.05)
    axis.scatter(
        places[:, 0], places[:, 1], s=dot, c=[node_color], alpha=node_alpha, linewidths=0, rasterized=many, zorder=2
    )
    axis.set_xticks([])
    axis.set_yticks([])
    axis.set(xlabel=names[0], ylabel=names[1], aspect="equal")
    axis.margins(0.02)
    axis.autoscale_view()
    if colorbar:
        axis.figure.colorbar(lines, ax=axis, label="Mutual reachability distance")
    return axis


def weight_norm(weights: np.ndarray) -> Normalize:
    """Colour scale of ascending weights: logarithmic above a decade, from the first percentile of the positive ones
    (a single pair of near duplicates must not stretch it), linear below. Zero weights get the lightest colour."""
    from matplotlib.colors import LogNorm, Normalize

    positive = weights[weights > 0]
    if len(positive) == 0:
        return Normalize(0.0, 1.0)
    low, high = float(positive[len(positive) // 100]), float(positive[-1])
    return LogNorm(low, high, clip=True) if high > 10 * low else Normalize(float(weights[0]), high, clip=True)
