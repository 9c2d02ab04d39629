"""The same points under plain and under mutual reachability distances."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import LogNorm

from emst import EMST

g = np.random.default_rng(0)
X = np.concatenate(
    [g.normal((0, 0), 0.8, (120, 2)), g.normal((7, 0), 0.8, (120, 2)), g.uniform((-2, -3), (9, 3), (50, 2))]
)
trees = [EMST(min_samples=k).fit(X) for k in (1, 8)]
norm = LogNorm(0.2, 2)

figure, axes = plt.subplots(1, 2, figsize=(9, 2.7), layout="constrained", sharey=True)
for ax, tree in zip(axes, trees):
    lines = LineCollection(X[tree.edges_], array=tree.weights_, cmap="viridis_r", norm=norm, linewidths=1.6)
    ax.add_collection(lines)
    ax.scatter(*X.T, s=7, color="black", zorder=3)
    ax.set_title(f"min_samples={tree.min_samples}", fontsize=10)
    ax.set_aspect("equal")
figure.colorbar(lines, ax=axes, label="weight")
