"""The minimum spanning tree, drawn among the points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emst.inputs.devices import to_host
from emst.plots.plane import current_axis, view_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize


MANY = 10_000  # more points are stored as pixels: a vector file of so many is slow to open
DENSE = 100_000  # of more edges, those shorter than a pixel are not drawn: their points cover them
PIXEL = 1 / 3000  # size of a pixel, as a fraction of a large picture


def plot_mst(X: Any, mst: Any, ax: Axes | None = None) -> Axes:
    """Draw 2-D points and the edges of their tree as one LineCollection, coloured by weight.

    The colour scale is logarithmic if the weights span more than a factor of ten. Edges are drawn from light to heavy,
    and heavy edges are thicker, because the few edges between distant parts are the most informative ones.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        The points.
    mst : MinimumSpanningTree
        The tree of these points.
    ax : matplotlib Axes, optional
        Where to draw; by default the axes of a new figure.

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

    Points of more than two dimensions are projected to their first two principal components. Of more than a few hundred
    points, nodes and lines are drawn smaller; of more than 100,000 edges, those shorter than a pixel are not drawn.

    Parameters
    ----------
    points : array or sparse matrix of shape (n, d)
        The points.
    edges : int array of shape (m, 2)
        Rows of the two points of each edge. Points without an edge are not drawn.
    weights : array of shape (m,)
        Mutual reachability distance of each edge.
    axis : matplotlib Axes, optional
        Where to draw; the current one by default.
    node_size : float, default 40
        Area of a point, in points (1 / 72 inch) squared.
    node_color : colour, default "k"
        Colour of the points.
    node_alpha : float, default 0.8
        Opacity of the points, from 0 to 1.
    edge_alpha : float, default 0.5
        Opacity of the edges, from 0 to 1.
    edge_cmap : str or Colormap, default "viridis_r"
        Colours of the edges by weight.
    edge_linewidth : float, default 2
        Width of the edges, in points.
    vary_line_width : bool, default True
        Draw shorter edges wider: the width is multiplied by 1 + log(greatest weight / weight), at most by 4.
    colorbar : bool, default True
        Draw a colour bar of the weights.

    Returns
    -------
    matplotlib Axes
    """
    from matplotlib.collections import LineCollection

    edges, weights = np.asarray(to_host(edges)), np.asarray(to_host(weights), dtype=np.float64)
    rows, ends = np.unique(edges, return_inverse=True)
    view = view_of(points[rows])
    places, names = view.places, view.names
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
    """Colour scale of ascending weights: logarithmic if they span more than a factor of ten, else linear.

    The logarithmic scale begins at the first percentile of the positive weights, so that a single pair of near
    duplicates does not stretch it. Zero weights get the lightest colour.
    """
    from matplotlib.colors import LogNorm, Normalize

    positive = weights[weights > 0]
    if len(positive) == 0:
        return Normalize(0.0, 1.0)
    low, high = float(positive[len(positive) // 100]), float(positive[-1])
    return LogNorm(low, high, clip=True) if high > 10 * low else Normalize(float(weights[0]), high, clip=True)
