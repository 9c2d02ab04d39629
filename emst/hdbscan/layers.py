"""Layers: the clusterings that persist over many minimum cluster sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from emst.backend.records import Array, Condensed
from emst.hdbscan.weightless import with_weightless
from emst.hierarchy.condensed import condensed_tree
from emst.hierarchy.leaves import Trace, leaves_of, peaks
from emst.inputs.summary import counted, one_line
from emst.inputs.weights import require_whole_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from emst.hdbscan.model import Model


@dataclass(frozen=True, eq=False)
class Layers:
    """Clusterings of the same points with the best values of `min_cluster_size`, the finest clustering first.

    `HDBSCANGPU.layers` returns it.

    Attributes
    ----------
    min_cluster_sizes : int64 array of shape (n_layers,)
        Minimum cluster size of each layer, ascending.
    persistences : int64 array of shape (n_layers,)
        Total persistence of the clusters of each layer: the sum over them of the number of minimum cluster sizes for
        which they are leaves.
    labels : list of n_layers int64 arrays of shape (n,)
        Cluster of each row in each layer; -1 for noise, -2 for rows with infinite values, -3 for rows with NaN.
    trace : Trace
        Total persistence at every minimum cluster size, with the fields `sizes` and `persistences`.
    n_peaks : int
        Number of all local maxima of the trace. If it is greater than n_layers, `max_layers` has left some out.
    """

    min_cluster_sizes: np.ndarray
    persistences: np.ndarray
    labels: list[Any]
    trace: Trace
    n_peaks: int

    def __len__(self) -> int:
        return len(self.min_cluster_sizes)

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.min_cluster_sizes.tolist()))
        shown = counted(len(self), "layer") + (f" of {self.n_peaks:,}" if len(self) < self.n_peaks else "")
        return one_line(self, shown, f"min_cluster_size {sizes}") if len(self) else one_line(self, shown)

    @property
    def best(self) -> int | None:
        """Number of the layer of greatest persistence, of equal ones the finest; None if there is no layer."""
        return int(np.argmax(self.persistences)) if len(self) else None

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the total persistence over the minimum cluster size, and mark the layers.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; the current one by default.

        Returns
        -------
        matplotlib Axes
            What was drawn into.
        """
        from emst.plots.layers import plot_layers

        return plot_layers(*self.trace, self.min_cluster_sizes, n_peaks=self.n_peaks, ax=ax)


def layers_of(model: Model, least: int, most: int) -> Layers:
    """The layers of a fitted model from the minimum size `least` up, at most as many as `most`."""
    require_whole_weights(model.row_weights, "layers()")
    if model.linkage is None:
        none = np.empty(0, np.int64)
        return Layers(none, none, [], Trace(np.array([least]), np.zeros(1, np.int64)), 0)
    linkage = model.dendrogram(least) if least < model.options.min_cluster_size else model.linkage
    assert linkage is not None
    condensed = condensed_tree(linkage, least, 0.0, model.ops)
    leaves = leaves_of(condensed)
    trace = leaves.trace()
    tops = peaks(trace.persistences)
    chosen = np.sort(tops[np.argsort(-trace.persistences[tops], kind="stable")[:most]])
    sizes = trace.sizes[chosen]
    labels = [_labels(model, condensed, model.ops.asarray(leaves.labels(size))) for size in sizes.tolist()]
    return Layers(sizes, trace.persistences[chosen], labels, trace, len(tops))


def _labels(model: Model, condensed: Condensed, of_cluster: Array) -> Any:
    """Labels of all rows, from those of the clusters that they leave."""
    labels = model.spread(of_cluster[condensed.cluster[: len(model.core)]], -2, -3)
    return model.give_values(
        with_weightless(model, labels, -1, lambda edges, flat: of_cluster[edges.leaving(condensed, model.ops)[0]])
    )
