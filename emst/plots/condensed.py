"""The condensed tree, drawn as icicles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from emst.inputs.summary import counted
from emst.plots.icicles import Icicles, icicles
from emst.plots.plane import current_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 60  # branches that can be told apart in a figure of usual size
FEW = 0.01  # fraction of bars and points that may be cut off, if the others then get at least half as much space again


def plot_condensed_tree(
    rows: np.ndarray,
    chosen: Sequence[int] = (),
    *,
    leaf_separation: float = 1,
    cmap: Any = "viridis",
    label_clusters: bool = False,
    selection_palette: Sequence[Any] | None = None,
    ax: Axes | None = None,
    colorbar: bool = True,
    log_size: bool = False,
    max_rectangles_per_icicle: int = 20,
    max_leaves: int = MANY,
) -> Axes:
    """Draw a condensed tree: the width of a bar is the number of points that the cluster has at that lambda.

    Of many branches only the most stable are drawn, and a note below says how many are left out. If a few points have
    lambdas so great that they would leave no space for the others, the axis ends before them. Infinite lambdas always
    lie beyond the end of the axis.

    Parameters
    ----------
    rows : structured array with fields parent, child, lambda_val, child_size
        As `CondensedTree.to_numpy` returns it: ordered by parent and lambda.
    chosen : sequence of int
        Numbers of the clusters to circle, in the order of their labels.
    leaf_separation : float, default 1
        Distance of neighbouring leaves, in units of the root's width.
    cmap : str or Colormap, default "viridis"
        Colours by number of points; "none" draws black bars.
    label_clusters : bool, default False
        Write the labels below the circles, where they fit; larger clusters come first.
    selection_palette : sequence of colours, optional
        Colours of the circles, at least one for each; by default all are red.
    ax : matplotlib Axes, optional
        Where to draw; the current one by default.
    colorbar : bool, default True
        Draw a colour bar of the numbers of points.
    log_size : bool, default False
        Widths are logarithms of the number of points.
    max_rectangles_per_icicle : int, default 20
        Most bars that a cluster is drawn with.
    max_leaves : int, default 60
        Most branches that are drawn, those of the greatest stability (the area of their bars). At least 1.

    Returns
    -------
    matplotlib Axes
        What was drawn into.

    Raises
    ------
    ValueError
        `max_leaves` is below 1.
    """
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.colors import LogNorm

    if max_leaves < 1:
        raise ValueError(f"max_leaves must be at least 1; got {max_leaves}")
    layout = icicles(rows, leaf_separation, log_size, max_rectangles_per_icicle, max_leaves)
    ax = ax or current_axis()
    centre, width, bottom, height = layout.bars.T
    left, right, top = centre - width / 2, centre + width / 2, bottom + height
    corners = np.stack([left, bottom, right, bottom, right, top, left, top], axis=1).reshape(-1, 4, 2)
    # Bars narrower than a pixel are visible by their edge alone.
    bars = PolyCollection(list(corners), linewidths=0.7, edgecolors="face", joinstyle="miter", zorder=2)
    if cmap == "none":
        bars.set(facecolor="black", edgecolor="black")
    else:
        most = float(width.max(initial=1.0))
        if log_size:  # widths are logarithms; the colour bar shows the numbers themselves, at powers of ten
            bars.set(array=np.exp(width), cmap=cmap, norm=LogNorm(1, max(np.exp(most), 2)))
        else:
            bars.set(array=width, cmap=cmap, clim=(0, most))
    thin = float(np.clip(30 / max(len(layout.cluster), 1), 0.4, 1))
    ax.add_collection(bars)
    ax.add_collection(LineCollection(list(layout.lines), colors="0.25", linewidths=thin, zorder=1))
    if len(layout.bounds):
        depth = _depth(layout, rows)
        margin = 0.02 * np.ptp(layout.bounds[:, :2])
        ax.set_xlim(layout.bounds[:, 0].min() - margin, layout.bounds[:, 1].max() + margin)
        ax.set_ylim(depth, 0)
    if colorbar and cmap != "none":
        form = None if log_size else "{x:,.0f}"
        ax.figure.colorbar(bars, ax=ax, label="Number of points", format=form)
    if len(layout.bounds):  # after the colour bar, which takes space from the axes
        _circle(ax, layout, depth, list(chosen), label_clusters, selection_palette)
    if layout.hidden:  # below circles and labels of clusters, which reach over the axes
        missing = len(set(chosen) - set(layout.cluster.tolist()))
        among = f", {counted(missing, 'selected cluster')} among them" if missing else ""
        note = f"{layout.hidden:,} branches that are less stable are not drawn{among}"
        ax.set_xlabel(note, fontsize="small", color="0.4", labelpad=24)
    ax.set_xticks([])
    for side in ("right", "top", "bottom"):
        ax.spines[side].set_visible(False)
    ax.set_ylabel("$\\lambda$ value")
    return ax


def _depth(layout: Icicles, rows: np.ndarray) -> float:
    """The lambda at which the axis ends: beyond all bars, or beyond nearly all if these get much more space then."""
    tops = np.sort(layout.bars[:, 2] + layout.bars[:, 3])
    if len(tops) == 0:
        return 1.0
    levels = np.sort(np.minimum(rows["lambda_val"], tops[-1]))
    usual = max(float(values[int((1 - FEW) * (len(values) - 1))]) for values in (tops, levels))
    return 1.1 * usual if tops[-1] > 1.5 * usual else 1.03 * float(tops[-1])


def _circle(
    ax: Axes, layout: Icicles, depth: float, chosen: Sequence[int], labels: bool, palette: Sequence[Any] | None
) -> None:
    """Draw ellipses around the chosen clusters that are shown, and their labels."""
    from matplotlib.patches import Ellipse

    extent = np.ptp(layout.bounds[:, :2])
    thin = float(np.clip(30 / max(len(chosen), 1), 0.7, 1.5))  # many circles must not hide the bars
    place = {c: i for i, c in enumerate(layout.cluster.tolist())}
    feet = []
    for label, c in enumerate(chosen):
        if c not in place:
            continue
        left, right, birth, death = layout.bounds[place[c]]
        death = max(birth, min(death, depth))
        middle = (left + right) / 2
        width, height = max(2 * (right - left), 0.012 * extent), max(1.16 * (death - birth), 0.03 * depth)
        colour = palette[label] if palette is not None and len(palette) >= len(chosen) else "r"
        centre = (middle, (birth + death) / 2)
        circle = Ellipse(centre, width, height, fill=False, edgecolor=colour, linewidth=thin, zorder=3)
        ax.add_patch(circle).set_clip_on(False)  # those of the outermost clusters reach over the axes
        feet.append((right - left, middle, min(centre[1] + height / 2, depth), label, colour))
    if labels:
        _write(ax, feet)


def _write(ax: Axes, feet: list[tuple[float, float, float, int, Any]]) -> None:
    """Write labels below the circles, the widest cluster first; a label that would touch an earlier one is left out."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2.5, foreground="white")]
    taken: list[Any] = []
    for _, x, y, label, colour in sorted(feet, key=lambda foot: (-foot[0], foot[3])):
        text = ax.annotate(
            str(label),
            (x, y),
            (0, -2),
            textcoords="offset points",
            color=colour,
            ha="center",
            va="top",
            fontsize="small",
            path_effects=halo,
            zorder=4,
        )
        box = text.get_window_extent().padded(1)
        if any(box.overlaps(other) for other in taken):
            text.remove()
        else:
            taken.append(box)
