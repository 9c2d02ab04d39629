"""The minimum spanning tree, drawn among the points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from emst.inputs.devices import to_host
from emst.plots.plane import (
    axes_for,
    bar_space,
    column_names,
    dress,
    in_space,
    line_collection,
    sample,
    segments_of,
    view_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize


MANY = 10_000  # more points are stored as pixels: a vector file of so many is slow to open
MOST = 100_000  # of more edges and points, so many are drawn: a picture has no more pixels for them
DENSE = 100_000  # of more edges, those shorter than a pixel are not drawn: their points cover them
PIXEL = 1 / 3000  # size of a pixel, as a fraction of a large picture


def plot_mst(
    X: Any,
    mst: Any,
    ax: Axes | None = None,
    *,
    names: Sequence[str] | None = None,
    geographic: str | None = None,
) -> Axes:
    """Draw points and the edges of their tree, coloured by weight.

    The colour scale is logarithmic if the weights span more than a factor of ten. Edges are thin lines below the
    points, drawn from light to heavy; heavy edges are thicker, because the few edges between distant parts are the most
    informative ones. Points of three dimensions are drawn in space, unless `ax` has two dimensions: then they are
    projected to their first two principal components. At most 100,000 edges are drawn: of more, the heaviest
    1,000 and others at even steps of their ranks, with 100,000 random points. A new figure is flat then, and the title
    says how many edges it shows.

    Parameters
    ----------
    X : array-like of shape (n, 2) or (n, 3)
        The points.
    mst : MinimumSpanningTree
        The tree of these points.
    ax : matplotlib Axes, optional
        Where to draw; by default the axes of a new figure.
    names : sequence of str, optional
        Names of the columns of `X`, for the axes; by default the names of a data frame.
    geographic : {None, "degrees", "radians"}, default None
        The unit, if the points are latitude and longitude: longitude is drawn on x, latitude on y. Edges across the
        border of the map are drawn to both of its sides.

    Returns
    -------
    matplotlib Axes
        What was drawn into.

    Raises
    ------
    ValueError
        The points do not have two or three dimensions, or their number is not that of the tree.
    """
    names = column_names(X) if names is None else names
    points = np.asarray(to_host(X), dtype=np.float64)
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise ValueError(f"only points of two or three dimensions can be plotted; X has shape {points.shape}")
    edges, weights = to_host(mst.edges), np.asarray(to_host(mst.weights), dtype=np.float64)
    if len(edges) != len(points) - 1:
        raise ValueError(f"the tree has {len(edges) + 1} points; X has {len(points)}")
    if ax is None:
        from matplotlib import pyplot as plt

        projection = {"projection": "3d"} if drawn_in(points) == 3 else None
        _, ax = plt.subplots(layout="constrained", subplot_kw=projection)
    view = view_of(points, names, geographic, space=in_space(ax))
    shown = _shown(len(edges))
    if len(shown) < len(edges):
        ax.set_title(f"{len(shown):,} of {len(edges):,} edges", loc="right", fontsize="small")
        edges, weights = edges[shown], weights[shown]
    lines, edge = segments_of(view, edges)
    many, n = len(points) > MANY, min(len(points), MOST)
    norm = weight_norm(weights)
    thinnest = float(np.clip(40 / n**0.5, 0.3, 1.0))
    drawn = line_collection(
        ax,
        lines,
        array=weights[edge],
        cmap="viridis_r",
        norm=norm,
        linewidths=thinnest * (1 + np.clip(np.ma.filled(norm(weights[edge]), 0.0), 0, 1) ** 2),
        capstyle="round",
        rasterized=many,
    )
    dot = 16 * min(1.0, 375 / n) ** 1.3  # so small among many that the lines between them are seen
    scatter: Any = ax.scatter
    scatter(*view.places[sample(points, MOST)].T, s=dot, c="0.15", linewidths=0, zorder=2, rasterized=many)
    dress(ax, view)
    ax.figure.colorbar(drawn, ax=ax, label="weight", shrink=0.8, aspect=32, **bar_space(ax))
    return ax


def drawn_in(points: np.ndarray) -> int:
    """In how many dimensions the tree of these points is drawn: two or three."""
    return 2 if len(points) > MOST + 1 else points.shape[1]


def _shown(m: int) -> np.ndarray:
    """The edges that are drawn of m, which ascend by weight: their numbers, ascending."""
    if m <= MOST:
        return np.arange(m)
    heaviest = MOST // 100
    others = np.linspace(0, m - heaviest - 1, MOST - heaviest).astype(np.int64)
    return np.concatenate([others, np.arange(m - heaviest, m)])


def plot_spanning_tree(
    points: Any,
    edges: Any,
    weights: Any,
    *,
    ax: Axes | None = None,
    node_size: float = 40,
    node_color: Any = "k",
    node_alpha: float = 0.8,
    edge_alpha: float = 0.5,
    edge_cmap: Any = "viridis_r",
    edge_linewidth: float = 2,
    vary_line_width: bool = True,
    colorbar: bool = True,
    names: Sequence[str] | None = None,
    geographic: str | None = None,
) -> Axes:
    """Draw points and the edges of their tree, coloured by weight, with hdbscan's arguments.

    Points of three dimensions are drawn in space if `ax` has three dimensions, or if a new figure is made; otherwise
    points are projected to their first two principal components. Of more than a few hundred points, nodes and lines are
    drawn smaller; of more than 100,000 edges, those shorter than a pixel are not drawn.

    Parameters
    ----------
    points : array or sparse matrix of shape (n, d)
        The points.
    edges : int array of shape (m, 2)
        Rows of the two points of each edge. Points without an edge are not drawn.
    weights : array of shape (m,)
        Mutual reachability distance of each edge.
    ax : matplotlib Axes, optional
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
    names : sequence of str, optional
        Names of the columns of `points`, for the axes; by default the names of a data frame.
    geographic : {None, "degrees", "radians"}, default None
        The unit, if the points are latitude and longitude: longitude is drawn on x, latitude on y. Edges across the
        border of the map are drawn to both of its sides.

    Returns
    -------
    matplotlib Axes
        What was drawn into.
    """
    names = column_names(points) if names is None else names
    points = points if hasattr(points, "tocsr") else np.asarray(to_host(points))
    edges, weights = np.asarray(to_host(edges)), np.asarray(to_host(weights), dtype=np.float64)
    rows, ends = np.unique(edges, return_inverse=True)
    ax = ax or axes_for(points.shape[1])
    view = view_of(points[rows], names, geographic, space=in_space(ax))
    ends = ends.reshape(-1, 2)
    if len(edges) > DENSE:
        length = np.abs(view.places[ends[:, 0]] - view.places[ends[:, 1]]).max(axis=1)
        seen = length > PIXEL * np.ptp(view.places, axis=0).max()
        ends, weights = ends[seen], weights[seen]
    lines, edge = segments_of(view, ends)
    weights = weights[edge]
    many = len(rows) > MANY
    shrink = min(1.0, 300 / max(len(rows), 1))
    drawn = line_collection(
        ax,
        lines,
        array=weights,
        cmap=edge_cmap,
        norm=weight_norm(np.sort(weights[np.isfinite(weights)])),
        linewidths=edge_linewidth * max(shrink**0.5, 0.2) * (_widening(weights) if vary_line_width else 1.0),
        alpha=edge_alpha,
        rasterized=many,
    )
    dot = max(node_size * shrink, 0.05)
    scatter: Any = ax.scatter
    scatter(*view.places.T, s=dot, c=[node_color], alpha=node_alpha, linewidths=0, rasterized=many, zorder=2)
    dress(ax, view)
    if geographic is None and not in_space(ax):
        ax.set_xticks([])
        ax.set_yticks([])
    if colorbar:
        ax.figure.colorbar(drawn, ax=ax, label="Mutual reachability distance", **bar_space(ax))
    return ax


def _widening(weights: np.ndarray) -> Any:
    """How much wider than the heaviest edge each edge is drawn."""
    if len(weights) == 0:
        return 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(np.nan_to_num(1 + np.log(weights.max() / weights), nan=1.0), 1, 4)


def weight_norm(weights: np.ndarray) -> Normalize:
    """Colour scale of ascending weights: logarithmic if they span more than a factor of ten, else linear.

    The logarithmic scale begins at the first percentile of the positive weights, so that a single pair of near
    duplicates does not stretch it. Zero weights get the lightest colour.

    Parameters
    ----------
    weights : array of shape (m,)
        Weights of the edges, ascending.

    Returns
    -------
    matplotlib Normalize
        What maps a weight to a number from 0 to 1.
    """
    from matplotlib.colors import LogNorm, Normalize

    positive = weights[weights > 0]
    if len(positive) == 0:
        return Normalize(0.0, 1.0)
    low, high = float(positive[len(positive) // 100]), float(positive[-1])
    return LogNorm(low, high, clip=True) if high > 10 * low else Normalize(float(weights[0]), high, clip=True)
