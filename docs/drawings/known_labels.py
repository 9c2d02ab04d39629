"""The same points clustered without labels, and with the labels of some of them."""

import numpy as np
from matplotlib import pyplot as plt

from emst import HDBSCANGPU
from emst.plots import plot_clusters

g = np.random.default_rng(0)
centers = [(0, 0), (4, 0), (30, 0), (34, 0), (60, 0), (64, 0)]
X = np.concatenate([g.normal(center, 0.8, (300, 2)) for center in centers])
kind = np.repeat([0, 0, 1, 1, 2, 3], 300)
y = np.full(len(X), -1)
rows = g.choice(len(X), 60, replace=False)
y[rows] = kind[rows]
plain = HDBSCANGPU(min_cluster_size=25, min_samples=5).fit(X)
known = plain.recluster(y=y)

_, axes = plt.subplots(2, 1, figsize=(9, 3.6), layout="constrained")
for axis, model, title in zip(axes, (plain, known), ("without labels", "with labels of 60 points")):
    plot_clusters(X, model.labels_, ax=axis)
    axis.get_legend().remove()
    axis.set(xticks=[], yticks=[], xlabel="", ylabel="", aspect="equal")
    axis.set_title(f"{title}: {model.labels_.max() + 1} clusters", fontsize="small")
for label, marker in enumerate("o^sX"):
    axes[1].scatter(*X[y == label].T, s=22, marker=marker, color="black", zorder=5)
