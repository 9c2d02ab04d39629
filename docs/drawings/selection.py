"""The points of guide/selection.md with three selections of clusters from one tree."""

import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCANGPU
from emst.plots import plot_clusters

g = np.random.default_rng(0)
dense = [g.normal(c, 0.2, (150, 2)) for c in [(0, 0), (1.2, 0), (0.6, 1.0)]]
X = np.concatenate([*dense, g.normal((6, 0), 0.9, (300, 2))])
model = HDBSCANGPU(min_cluster_size=15, min_samples=5).fit(X)
selections = {
    '"eom"': model,
    '"leaf"': model.recluster(cluster_selection_method="leaf"),
    '"eom", epsilon 0.5': model.recluster(cluster_selection_epsilon=0.5),
}

_, axes = plt.subplots(1, 3, figsize=(9, 3.0), layout="constrained", sharey=True)
for ax, (name, selected) in zip(axes, selections.items()):
    plot_clusters(X, selected.labels_, selected.probabilities_, ax=ax)
    ax.get_legend().remove()
    noise = (selected.labels_ == -1).sum()
    ax.set_title(f"{name}: {selected.labels_.max() + 1} clusters, {noise} points of noise", fontsize=8)
    ax.set_aspect("equal")
    ax.set_xlabel("")
    ax.set_ylabel("")
