"""
A laser scan of a stadium
=========================

Clusters of what stands higher than its surroundings in a laser scan. Their number is not given.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCANGPU
from emst.plots import plot_clusters

file = next(p for p in (Path(), *Path().resolve().parents) if (p / "datasets").is_dir()) / "datasets/autzen/autzen.npz"
X = np.load(file)["points"][:, :2]
model = HDBSCANGPU(min_cluster_size=100, min_samples=16).fit(X)
plot_clusters(X, model.labels_, model.probabilities_)
plt.show()
