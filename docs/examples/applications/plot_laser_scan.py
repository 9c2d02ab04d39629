"""
Trees and stands in a laser scan
================================

An aircraft measured the stadium of Eugene, Oregon, with a laser. Each point is a place where the light came back.
HDBSCAN finds the single objects among the points. It is not told how many there are.
"""

# sphinx_gallery_thumbnail_number = 2

# %%
# The scan
# --------
# The columns are x, y and the height, in feet. The ground was removed when the file was made: all points are
# more than 35 feet above the lowest ground. This is the Autzen data of `PDAL <https://github.com/PDAL/data>`__, under
# the licence CC BY 4.0.
import matplotlib.pyplot as plt
import numpy as np

from datasets import load
from emst import HDBSCAN
from emst.plots import cluster_colours, plot_clusters

X = load("autzen").astype(float)
print(f"{len(X):,} points, heights from {X[:, 2].min():.0f} to {X[:, 2].max():.0f} feet")

fig, ax = plt.subplots(figsize=(7, 8), layout="constrained")
dots = ax.scatter(
    X[:, 0], X[:, 1], s=0.5, c=X[:, 2], cmap="viridis", linewidths=0, vmax=120
)
ax.set(aspect="equal", xlabel="x (feet)", ylabel="y (feet)")
fig.colorbar(dots, label="height (feet)", shrink=0.7, extend="max")
plt.show()

# %%
# Objects
# -------
# All three coordinates have the same unit, so they can be used as they are. An object should have at least 60 points.
# A small ``min_samples`` keeps objects apart that are close to each other, such as trees.
model = HDBSCAN(min_cluster_size=60, min_samples=8).fit(X)
labels = model.labels_
print(f"{labels.max() + 1} objects, {np.mean(labels < 0):.0%} of the points belong to none")

fig, ax = plt.subplots(figsize=(7.5, 8), layout="constrained")
plot_clusters(X[:, :2], labels, model.probabilities_, ax=ax, names=["x (feet)", "y (feet)"])
plt.show()

# %%
# From the side
# -------------
# The same objects, seen from the east: the trees of the south are on the left, the stands of the north on the right.
# Heights are drawn twice as long.
fig, ax = plt.subplots(figsize=(10, 2.9), layout="constrained")
members = labels >= 0
colours = cluster_colours(labels, X[:, :2])
ax.scatter(X[~members, 1], X[~members, 2], s=0.3, color="0.8", linewidths=0)
ax.scatter(
    X[members, 1], X[members, 2], s=0.6, color=colours[labels[members]], linewidths=0
)
ax.set(xlabel="y (feet)", ylabel="height (feet)", aspect=2)
plt.show()

# %%
# Smooth or rough?
# ----------------
# Light comes back from a stand or a roof at one height, and from a tree at many. So compare each point with its eight
# nearest neighbours in the plane: what is left of their heights after a plane is fitted to them? The median over an
# object tells what it is made of.
from scipy.spatial import KDTree

near = KDTree(X[:, :2]).query(X[:, :2], 9)[1]
patch = X[near] - X[near].mean(axis=1, keepdims=True)
squares = np.linalg.eigvalsh(np.swapaxes(patch, 1, 2) @ patch)[:, 0]  # sum over a patch
residual = np.sqrt(np.maximum(squares, 0) / 9)
objects = [labels == i for i in range(labels.max() + 1)]
roughness = np.array([np.median(residual[one]) for one in objects])
height = np.array([np.percentile(X[one, 2], 95) for one in objects])

fig, axes = plt.subplots(
    1, 2, figsize=(10, 5.8), layout="constrained", width_ratios=[1.1, 1]
)
sizes = np.bincount(labels[members])
style = {"cmap": "viridis", "norm": "log"}
axes[0].scatter(
    roughness,
    height,
    s=10 + sizes / 20,
    c=roughness,
    edgecolors="0.3",
    linewidths=0.5,
    **style,
)
axes[0].set(
    xlabel="roughness (feet)",
    ylabel="height (feet)",
    xscale="log",
    title="objects; larger ones have more points",
)
dots = axes[1].scatter(
    *X[members, :2].T, s=0.7, c=roughness[labels[members]], linewidths=0, **style
)
axes[1].set(aspect="equal", xticks=[], yticks=[])
fig.colorbar(dots, label="roughness (feet)", shrink=0.7)
plt.show()

# %%
# The four smoothest objects are the large ones in the north, which people built. Everything else is rough: trees, masts
# and small parts of the stadium.
