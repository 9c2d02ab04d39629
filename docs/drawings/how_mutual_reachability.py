"""The Euclidean tree, and the tree of mutual reachability distances with the core distances as circles."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import ListedColormap

from emst import EMST

K = 5
g = np.random.default_rng(8)
bridge = np.stack([np.linspace(1.2, 3.2, 6), 0.15 * g.normal(size=6)], axis=1)
points = np.concatenate([g.normal(0, 0.45, (45, 2)), g.normal([4.4, 0], 0.45, (45, 2)), bridge])
trees = {f"min_samples = {k}": EMST(min_samples=k).fit(points) for k in (1, K)}
colours = ListedColormap(plt.get_cmap("viridis_r")(np.linspace(0.2, 1, 256)))  # without yellow
greatest = max(tree.weights_.max() for tree in trees.values())

figure, axes = plt.subplots(2, 1, figsize=(7.5, 5.6), layout="constrained")
for ax, (title, tree) in zip(axes, trees.items()):
    lines = LineCollection(points[tree.edges_], array=tree.weights_, cmap=colours, lw=2, clim=(0, greatest))
    ax.add_collection(lines)
    ax.scatter(*points.T, s=10, color="black", zorder=3)
    ax.set_title(title, fontsize=11)
    ax.set(aspect="equal", xticks=[], yticks=[], xlim=(-1.9, 6.2), ylim=(-1.7, 1.7))
circles = [plt.Circle(point, core) for point, core in zip(points, trees[f"min_samples = {K}"].core_distances_)]
axes[1].add_collection(PatchCollection(circles, facecolor="#D55E00", alpha=0.06, edgecolor="none", zorder=0))
axes[1].add_collection(PatchCollection(circles, facecolor="none", edgecolor="#D55E00", lw=0.3, zorder=0))
figure.colorbar(lines, ax=axes, label="weight of the edge", shrink=0.6)
