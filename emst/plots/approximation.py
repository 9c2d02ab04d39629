"""The approximation graphs of branches, drawn at given places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emst.plots.plane import current_axis, line_collection

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 10_000  # from this many edges on, lines are drawn into a bitmap within a vector file
COLOURS = 10  # of the map "tab10", in which labels are drawn


def plot_approximation_graph(
    places: np.ndarray,
    edges: np.ndarray,
    rows: np.ndarray,
    *,
    node_color: Any = "k",
    labels: bool = False,
    node_vmin: float | None = None,
    node_vmax: float | None = None,
    node_cmap: Any = "viridis",
    node_alpha: float = 1,
    node_size: float = 1,
    node_marker: Any = "o",
    edge_color: Any = "k",
    edge_vmin: float | None = None,
    edge_vmax: float | None = None,
    edge_cmap: Any = "viridis",
    edge_alpha: float = 1,
    edge_width: float = 1,
    ax: Axes | None = None,
) -> Axes:
    """Draw points in clusters, the edges between them, and the other points in grey.

    Parameters
    ----------
    places : array of shape (n, 2)
        Where each row of the data is drawn; NaN for rows that are not.
    edges : int array of shape (e, 2)
        Rows of the ends of each edge.
    rows : int array of shape (s,)
        Rows in clusters.
    node_color : colour or array of shape (s,), default "k"
        Colour of the points, or the values that they are coloured by.
    labels : bool, default False
        `node_color` holds labels: they are drawn in the ten colours of "tab10", in turn.
    node_vmin, node_vmax : float, optional
        The values at both ends of the colours; by default the least and the greatest.
    node_cmap : str or Colormap, default "viridis"
        Colours of the points by value.
    node_alpha : float, default 1
        Opacity of the points, from 0 to 1.
    node_size : float, default 1
        Area of a point, in points (1 / 72 inch) squared.
    node_marker : str, default "o"
        Marker of matplotlib.
    edge_color : colour or array of shape (e,), default "k"
        Colour of the edges, or the values that they are coloured by.
    edge_vmin, edge_vmax : float, optional
        The values at both ends of the colours; by default the least and the greatest.
    edge_cmap : str or Colormap, default "viridis"
        Colours of the edges by value.
    edge_alpha : float, default 1
        Opacity of the edges, from 0 to 1.
    edge_width : float, default 1
        Width of the edges, in points.
    ax : matplotlib Axes, optional
        Where to draw; the current one by default.

    Returns
    -------
    matplotlib Axes
        What was drawn into.
    """
    ax = current_axis() if ax is None else ax
    lines = line_collection(
        ax, places[edges], alpha=edge_alpha, cmap=edge_cmap, linewidths=edge_width, rasterized=len(edges) > MANY
    )
    if isinstance(edge_color, np.ndarray) and edge_color.shape == (len(edges),):
        lines.set_array(_finite(edge_color))
        lines.set_clim(edge_vmin, edge_vmax)
    else:
        lines.set_color(edge_color)
    style: dict[str, Any] = {"s": node_size, "marker": node_marker, "alpha": node_alpha, "linewidths": 0}
    others = np.delete(places, rows, axis=0)
    ax.scatter(others[:, 0], others[:, 1], c="silver", zorder=2, **style)
    if labels:
        node_color, node_cmap, node_vmin, node_vmax = np.asarray(node_color) % COLOURS, "tab10", 0, COLOURS - 1
    if isinstance(node_color, np.ndarray) and node_color.ndim == 1 and node_color.dtype.kind in "biuf":
        node_color = _finite(node_color)
        style.update(cmap=node_cmap, vmin=node_vmin, vmax=node_vmax)
    ax.scatter(places[rows, 0], places[rows, 1], c=node_color, zorder=3, **style)
    ax.set_axis_off()
    ax.autoscale_view()
    return ax


def _finite(values: np.ndarray) -> np.ndarray:
    """The values, but the greatest finite one in the place of infinity: the centrality of a point at the centre."""
    finite = np.isfinite(values)
    return np.where(finite, values, values[finite].max(initial=0))
