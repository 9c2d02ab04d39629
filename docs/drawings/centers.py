"""Exemplars, centroids and medoids of the clusters of guide/centers.md."""

import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCANGPU
from emst.plots import plot_clusters

g = np.random.default_rng(0)
angle = g.uniform(0, np.pi, 400)
arc = np.c_[4 * np.cos(angle), 4 * np.sin(angle)] + g.normal(0, 0.25, (400, 2))
X = np.concatenate([arc, g.normal([0, -2], 0.6, (300, 2))])
model = HDBSCANGPU(min_cluster_size=40, min_samples=10, store_centers="both").fit(X)

_, ax = plt.subplots(figsize=(7.5, 4.8), layout="constrained")
plot_clusters(X, model.labels_, model.probabilities_, ax=ax)
ax.add_artist(ax.get_legend())
for place in model.exemplars_:
    ax.scatter(*place.T, s=14, color="black", zorder=4, label="exemplars" if place is model.exemplars_[0] else None)
ax.scatter(*model.centroids_.T, s=160, marker="+", color="#d55e00", linewidths=3, zorder=5, label="centroids")
ax.scatter(*model.medoids_.T, s=110, marker="x", color="#0072b2", linewidths=3, zorder=5, label="medoids")
ax.legend(loc="lower right")
ax.set_aspect("equal")
