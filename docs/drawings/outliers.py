"""Outlier scores of the points of guide/outliers.md."""

import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCANGPU

g = np.random.default_rng(0)
X = np.concatenate([g.normal([0, 0], 0.3, (500, 2)), g.normal([6, 0], 1.0, (500, 2)), g.uniform(-4, 10, (100, 2))])
model = HDBSCANGPU(min_cluster_size=50, min_samples=10).fit(X)
order = np.argsort(model.outlier_scores_)
worst = order[-20:]

figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
dots = ax.scatter(*X[order].T, c=model.outlier_scores_[order], s=14, cmap="viridis_r", vmin=0, vmax=1)
ax.scatter(*X[worst].T, s=70, facecolors="none", edgecolors="#d55e00")
ax.set_aspect("equal")
figure.colorbar(dots, ax=ax, label="outlier score")
