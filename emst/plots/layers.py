"""The total persistence of the leaves over the minimum cluster size, drawn as a step function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emst.inputs.summary import counted
from emst.plots.plane import current_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEHIND = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.5}  # lines do not cross the text


def plot_layers(
    sizes: np.ndarray,
    persistences: np.ndarray,
    layers: np.ndarray,
    *,
    n_peaks: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the total persistence over the minimum cluster size, and mark the layers with their sizes.

    Parameters
    ----------
    sizes : int array of shape (s,)
        Minimum cluster sizes at which the total persistence changes, ascending; the axis is logarithmic.
    persistences : array of shape (s,)
        Total persistence from this size up to the next one.
    layers : int array of shape (n_layers,)
        Sizes to mark, which are among `sizes`.
    n_peaks : int, optional
        Number of all local maxima. If it is greater than n_layers, a note says how many are not marked.
    ax : matplotlib Axes, optional
        Where to draw; the current one by default.

    Returns
    -------
    matplotlib Axes
        What was drawn into.

    Examples
    --------
    >>> import numpy as np
    >>> from emst.plots import plot_layers
    >>> plot_layers(np.array([2, 10, 40]), np.array([30, 60, 0]), np.array([10])).get_xlabel()
    'min_cluster_size'
    """
    axis = current_axis() if ax is None else ax
    heights = np.asarray(persistences)[np.searchsorted(sizes, layers)]
    axis.step(sizes, persistences, where="post", color="#0072B2")
    axis.plot(layers, heights, "o", color="#D55E00")
    for number, place in enumerate(zip(np.asarray(layers).tolist(), heights.tolist())):
        style: dict[str, Any] = {"rotation": 90, "ha": "center", "fontsize": "small", "bbox": BEHIND}
        axis.annotate(f"layer {number}: {place[0]:,}", place, (0, 6), textcoords="offset points", **style)
    axis.set_xscale("log")
    axis.set_ylim(0, 1.5 * max(np.max(persistences), 1))  # with space for the text above the highest
    axis.set_xlabel("min_cluster_size")
    axis.set_ylabel("total persistence (number of sizes)")
    left_out = 0 if n_peaks is None else n_peaks - len(heights)
    if left_out:
        axis.set_title(f"{counted(left_out, 'lower peak')} not marked", fontsize="small")
    return axis
