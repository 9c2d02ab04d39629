"""Total persistence over min_cluster_size, and the points with the labels of two layers."""

import numpy as np
from matplotlib import pyplot as plt

from emst import HDBSCANGPU
from emst.plots import plot_clusters

g = np.random.default_rng(0)
centers = [(0, 0), (3, 0), (0, 3), (9, 0), (12, 0), (9, 8)]
X = np.concatenate([g.normal(center, 0.6, (150, 2)) for center in centers])
layers = HDBSCANGPU(min_samples=5).fit(X).layers(max_layers=2)

_, (trace, *axes) = plt.subplots(1, 3, figsize=(10, 3.3), width_ratios=(1.3, 1, 1), layout="constrained")
layers.plot(trace)
for number, (axis, labels) in enumerate(zip(axes, layers.labels)):
    plot_clusters(X, labels, ax=axis)
    axis.get_legend().remove()
    axis.set(xticks=[], yticks=[], xlabel="", ylabel="")
    axis.set_title(f"layer {number}: {labels.max() + 1} clusters", fontsize="small")
