"""Clusters, and the branches inside of them."""

import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCANGPU, BranchDetector
from emst.plots import plot_clusters

g = np.random.default_rng(0)
angle = np.repeat([0.5, 2.6, 4.7], 200)
star = np.stack([np.cos(angle), np.sin(angle)], axis=1) * g.uniform(0, 9, (600, 1))
X = np.concatenate([star + g.normal(0, 0.2, (600, 2)), g.normal([20, 0], 1, (300, 2))])
model = HDBSCANGPU(min_cluster_size=50, min_samples=10).fit(X)
detector = BranchDetector().fit(model)

_, axes = plt.subplots(1, 2, figsize=(8.5, 3.6), layout="constrained", sharey=True)
for ax, labels, title in zip(axes, (model.labels_, detector.labels_), ("clusters", "branches")):
    plot_clusters(X, labels, ax=ax)
    ax.set_title(title, fontsize=10)
    ax.set_aspect("equal")
