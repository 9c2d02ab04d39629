"""The first example of guide/clustering.md: two clusters of different density, and noise."""

import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCANGPU
from emst.plots import plot_clusters

g = np.random.default_rng(0)
X = np.concatenate([g.normal([0, 0], 0.3, (500, 2)), g.normal([6, 0], 1.0, (500, 2)), g.uniform(-4, 10, (100, 2))])
model = HDBSCANGPU(min_cluster_size=50, min_samples=10).fit(X)

_, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
plot_clusters(X, model.labels_, model.probabilities_, ax=ax)
ax.set_aspect("equal")
