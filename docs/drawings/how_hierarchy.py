"""The same points four times: their tree, its dendrogram, the condensed tree, and the clusters."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

from emst import HDBSCANGPU
from emst.plots import plot_clusters

g = np.random.default_rng(5)
points = np.concatenate(
    [g.normal([0, 0], 0.35, (22, 2)), g.normal([2, 0.2], 0.3, (18, 2)), g.normal([1, 2.6], 0.5, (20, 2))]
)
model = HDBSCANGPU(min_cluster_size=8, min_samples=3).fit(points)
tree = model.minimum_spanning_tree_.to_numpy()

figure, axes = plt.subplots(2, 2, figsize=(8, 6.6), layout="constrained")
(spanning, dendrogram), (condensed, clusters) = axes
spanning.add_collection(LineCollection(points[tree[:, :2].astype(int)], color="0.4", lw=1.2))
spanning.scatter(*points.T, s=14, color="black", zorder=3)
model.single_linkage_tree_.plot(ax=dendrogram, colorbar=False)
model.condensed_tree_.plot(ax=condensed, select_clusters=True, colorbar=False)
plot_clusters(points, model.labels_, ax=clusters)
clusters.get_legend().remove()
left, right = condensed.get_xlim()
bottom, top = condensed.get_ylim()
condensed.set(xlim=(left - 0.1 * (right - left), right + 0.1 * (right - left)), ylim=(bottom * 1.1, top))
for ax, title in zip(axes.flat, ("1. spanning tree", "2. dendrogram", "3. condensed tree", "4. clusters")):
    ax.set_title(title, fontsize=11)
for ax in (spanning, clusters):
    ax.set(aspect="equal", xticks=[], yticks=[], xlabel="", ylabel="")
