"""Friends-of-friends of one tree at three linking lengths."""

import matplotlib.pyplot as plt
import numpy as np

from emst import EMST
from emst.plots import plot_clusters

g = np.random.default_rng(7)
X = np.concatenate([g.normal(c, 0.7, (120, 2)) for c in ((0, 0), (4.5, 1), (1.5, 4.5), (8, 4.5))])
X = np.concatenate([X, g.uniform((-2, -2), (10, 7), (60, 2))])
mst = EMST().fit(X)

_, axes = plt.subplots(1, 3, figsize=(9, 3.0), layout="constrained", sharey=True)
for ax, length in zip(axes, (0.25, 0.5, 0.8)):
    labels = mst.cut(length, min_cluster_size=5)
    plot_clusters(X, labels, ax=ax)
    ax.get_legend().remove()
    ax.set_title(f"linking length {length}: {labels.max() + 1} groups", fontsize=10)
    ax.set_aspect("equal")
    ax.set_xlabel("")
    ax.set_ylabel("")
