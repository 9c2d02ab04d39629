"""The same points with three values of min_samples."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from emst import HDBSCANGPU
from emst.plots import plot_clusters

g = np.random.default_rng(3)
X = np.concatenate([make_moons(600, noise=0.1, random_state=3)[0], g.uniform([-1.7, -1.2], [2.7, 1.7], (150, 2))])

_, axes = plt.subplots(1, 3, figsize=(9, 2.9), layout="constrained", sharey=True)
for ax, k in zip(axes, (2, 10, 60)):
    model = HDBSCANGPU(min_cluster_size=10, min_samples=k).fit(X)
    plot_clusters(X, model.labels_, model.probabilities_, ax=ax)
    ax.get_legend().remove()
    ax.set_title(
        f"min_samples={k}: {model.labels_.max() + 1} clusters, {(model.labels_ == -1).sum()} noise", fontsize=8
    )
    ax.set_aspect("equal")
    ax.set_xlabel("")
    ax.set_ylabel("")
