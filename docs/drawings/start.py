"""The picture of the start page: clusters, a tree of points, a forest of a graph."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from scipy.spatial import Delaunay
from sklearn.datasets import make_moons

from emst import EMST, HDBSCANGPU, graph_msf
from emst.plots import plot_clusters

g = np.random.default_rng(3)
X = np.concatenate([make_moons(500, noise=0.08, random_state=3)[0], g.normal((2.6, 1.2), 0.16, (150, 2))])
X = np.concatenate([X, g.uniform((-1.5, -1), (3.2, 1.7), (80, 2))])
model = HDBSCANGPU(min_cluster_size=40, min_samples=8).fit(X)

figure, axes = plt.subplots(1, 3, figsize=(10, 2.7), layout="constrained")
plot_clusters(X, model.labels_, model.probabilities_, ax=axes[0])
axes[0].get_legend().remove()

points = X[g.permutation(len(X))[:350]]
tree = EMST().fit(points)
axes[1].add_collection(LineCollection(points[tree.edges_], array=tree.weights_, cmap="viridis_r", linewidths=1.5))
axes[1].scatter(*points.T, s=4, color="black", zorder=3)

towns = g.uniform((-1.5, -1), (3.2, 1.7), (160, 2))
sides = Delaunay(towns).simplices[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
sides = np.unique(np.sort(sides, axis=1), axis=0)
lengths = np.linalg.norm(towns[sides[:, 0]] - towns[sides[:, 1]], axis=1)
short = lengths < 0.6
forest = graph_msf(sides[short, 0], sides[short, 1], lengths[short], n_vertices=len(towns))
axes[2].add_collection(LineCollection(towns[sides[short]], color="0.85", linewidths=0.8))
axes[2].add_collection(LineCollection(towns[forest.edges], color="#d55e00", linewidths=2))
axes[2].scatter(*towns.T, s=8, color="black", zorder=3)

for ax, title in zip(axes, ("HDBSCANGPU", "EMST", "graph_msf")):
    ax.set_title(title)
    ax.set_aspect("equal")
    ax.set_xlabel("")
    ax.set_ylabel("")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlim(-1.6, 3.3)
    ax.set_ylim(-1.1, 1.8)
