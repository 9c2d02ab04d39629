"""The single linkage tree, drawn as a dendrogram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emst.plots.plane import current_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 10_000  # up to this many merges, all are drawn
BRANCHES = 1000  # of more merges, only those whose sides both have at least 1 / BRANCHES of the points
WIDEST = 6.0  # width of the widest line, in points (1 / 72 inch)


def plot_single_linkage_tree(
    linkage: np.ndarray,
    *,
    ax: Axes | None = None,
    truncate_mode: str | None = None,
    p: int = 0,
    vary_line_width: bool = True,
    cmap: Any = "viridis",
    colorbar: bool = True,
) -> Axes:
    """Draw a dendrogram.

    Of more than 10,000 merges only the main branches are drawn: merges whose sides both have at least a thousandth of
    the points. Merges at an infinite distance are drawn a tenth above the greatest finite distance.

    Parameters
    ----------
    linkage : array of shape (n - 1, 4)
        SciPy's linkage matrix, as `SingleLinkageTree.to_numpy` returns it.
    ax : matplotlib Axes, optional
        Where to draw; the current one by default.
    truncate_mode : {None, "none", "lastp", "level", "mtica"}, optional
        "lastp" draws the last p - 1 merges, "level" (or "mtica") the merges with at most p others above them, as in
        `scipy.cluster.hierarchy.dendrogram`. The branches below them become leaves.
    p : int, default 0
        Parameter of `truncate_mode`; 0 draws all merges.
    vary_line_width : bool, default True
        Draw branches with more points wider.
    cmap : str or Colormap, default "viridis"
        Colours by number of points; "none" draws black lines.
    colorbar : bool, default True
        Draw a colour bar of the numbers of points.

    Returns
    -------
    matplotlib Axes
        What was drawn into.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.colors import LogNorm

    shown = _shown(linkage, truncate_mode, p)
    many = int(shown.sum()) > MANY
    if many:
        sides = _sizes(linkage)
        shown &= sides.min(axis=1) >= (len(linkage) + 1) / BRANCHES
    upright, level, points = _branches(linkage, shown)
    ax = ax or current_axis()
    order = np.argsort(points, kind="stable")  # the main branches are drawn last, above the others
    upright, points = upright[order], points[order]
    share = np.log(points) / np.log(max(len(linkage) + 1, 2))
    thin, wide = np.clip(3000 / max(len(upright), 1) * np.array([0.1, 1.0]), [0.1, 2.0], [0.6, WIDEST])
    widths = thin + (wide - thin) * share if vary_line_width else 1.0
    lines = LineCollection(list(upright), linewidths=widths, capstyle="butt", zorder=1)
    if cmap == "none":
        lines.set_color("black")
    else:
        lines.set(array=points, cmap=cmap, norm=LogNorm(1, max(len(linkage) + 1, 2)))
    ax.add_collection(lines)
    ax.add_collection(LineCollection(list(level), colors="0.25", linewidths=max(thin, 0.4), zorder=2))
    if colorbar and cmap != "none":
        ax.figure.colorbar(lines, ax=ax, label="Number of points")
    if many:
        ax.set_title(f"{len(level):,} of {len(linkage):,} merges", loc="right", fontsize="small", color="0.4")
    if len(level):
        left, right = upright[:, :, 0].min(), upright[:, :, 0].max()
        ax.set(xlim=(left - 5, right + 5), ylim=(0, 1.03 * upright[:, :, 1].max() or 1.0))
    ax.set_xticks([])
    for side in ("right", "top", "bottom"):
        ax.spines[side].set_visible(False)
    ax.set_ylabel("distance")
    return ax


def _shown(linkage: np.ndarray, mode: str | None, p: int) -> np.ndarray:
    """Mask of the merges that `truncate_mode` keeps."""
    m = len(linkage)
    shown = np.ones(m, bool)
    if mode not in (None, "none", "lastp", "level", "mtica"):
        raise ValueError(f"truncate_mode must be None, 'none', 'lastp', 'level' or 'mtica'; got {mode!r}")
    if mode == "lastp" and p > 0:
        shown[: max(m - p + 1, 0)] = False
    elif mode in ("level", "mtica") and p > 0:
        shown[:] = False
        front = np.arange(m)[-1:]
        for _ in range(min(p + 1, m)):
            shown[front] = True
            front = linkage[front, :2].astype(np.int64).ravel() - (m + 1)
            front = front[front >= 0]
            if len(front) == 0:
                break
    return shown


def _sizes(linkage: np.ndarray) -> np.ndarray:
    """Number of points on both sides of every merge."""
    n = len(linkage) + 1
    return np.append(np.ones(n), linkage[:, 3])[linkage[:, :2].astype(np.int64)]


def _branches(linkage: np.ndarray, shown: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertical lines (two for each merge), horizontal lines (one for each), float64[., 2, 2], and the number of points
    below each vertical line."""
    merges = np.flatnonzero(shown)
    below = _shown_below(linkage, merges)
    height = linkage[:, 2][merges]
    finite = height[np.isfinite(height)]
    height = np.minimum(height, 1.1 * finite.max(initial=0.0) or 1.0)
    x = _centres(below)
    ends = np.append(height, 0.0)[below]  # leaves end at height 0
    upright = np.empty((len(merges), 2, 2, 2))
    upright[:, :, :, 0] = x[:, :, None]
    upright[:, :, 0, 1] = height[:, None]
    upright[:, :, 1, 1] = ends
    level = np.stack([x, np.repeat(height[:, None], 2, axis=1)], axis=2)
    return upright.reshape(-1, 2, 2), level, _sizes(linkage)[merges].ravel()


def _shown_below(linkage: np.ndarray, merges: np.ndarray) -> np.ndarray:
    """The next shown merge below both sides of every shown merge: int64[s, 2], its position among them, -1 for a leaf.

    From every merge, pointer doubling finds the first ancestor that is shown.
    """
    m = len(linkage)
    up, side = np.full(m, -1), np.zeros(m, np.int64)
    children = linkage[:, :2].astype(np.int64) - (m + 1)
    for s in (0, 1):
        inner = np.flatnonzero(children[:, s] >= 0)
        up[children[inner, s]], side[children[inner, s]] = inner, s
    place = np.full(m + 1, -1)
    place[merges] = np.arange(len(merges))
    while len(far := np.flatnonzero((up >= 0) & (place[up] < 0))):
        up[far], side[far] = up[up[far]], side[up[far]]
    below = np.full((len(merges), 2), -1)
    inner = merges[up[merges] >= 0]
    below[place[up[inner]], side[inner]] = place[inner]
    return below


def _centres(below: np.ndarray) -> np.ndarray:
    """x of the two branches of every merge: leaves are 10 apart, a merge is in the middle of its branches."""
    s = len(below)
    children = below.tolist()
    leaves = [1] * (s + 1)  # the last element is for children of -1, which are leaves
    for i in range(s):
        leaves[i] = leaves[children[i][0]] + leaves[children[i][1]]
    first, middle = [0] * (s + 1), [0.0] * (s + 1)
    x = np.empty((s, 2))
    for i in reversed(range(s)):
        a, b = children[i]
        first[a], first[b] = first[i], first[i] + leaves[a]
        x[i] = 10 * first[i] + 5, 10 * (first[i] + leaves[a]) + 5  # holds if the branch is a leaf
    for i in range(s):
        for j, child in enumerate(children[i]):
            x[i, j] = middle[child] if child >= 0 else x[i, j]
        middle[i] = x[i].mean()
    return x
