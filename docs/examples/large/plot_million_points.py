"""
A million points on a laptop
============================

HDBSCAN of a million points, without sampling and without approximation. The times below are those of the
machine that built this page. :doc:`/benchmarks/index` has times that were measured with care.
"""

# %%
# The points
# ----------
# Eighty groups of different sizes and densities, and 5 % of the points at random places.
import os
import time

import matplotlib.pyplot as plt
import numpy as np

from datasets.synthetic import blobs
from emst import HDBSCAN, minimum_spanning_tree
from emst.plots import cluster_colours

X = blobs(1_000_000, 2, seed=7, k=80)
minimum_spanning_tree(X[:10_000])  # compiles kernels, if this was not done before
HDBSCAN(min_samples=10).fit(X[:10_000])

# %%
# The fit
# -------
start = time.perf_counter()
model = HDBSCAN(min_cluster_size=1000, min_samples=10).fit(X)
seconds = time.perf_counter() - start
print(f"{len(X):,} points, {model.labels_.max() + 1} clusters")
print(f"{seconds:.2f} s on {os.cpu_count()} cores")

# %%
# Pictures of so many points
# --------------------------
# A scatter plot of a million points is one dark spot. A histogram shows how many points there are in each place. The
# second picture has a colour for each cluster, and it is stronger where there are more points.
side = 500
low, high = X.min(axis=0), X.max(axis=0)
column, row = ((X - low) / (high - low) * (side - 1)).astype(int).T
cell = row * side + column
points = np.bincount(cell, minlength=side**2)

colours = cluster_colours(model.labels_, X)
colours = np.vstack([colours, [0.7, 0.7, 0.7]])  # the last one is for noise, label -1
sums = [np.bincount(cell, colours[model.labels_, i], side**2) for i in range(3)]
mean = np.stack(sums, axis=1) / np.maximum(points, 1)[:, None]
strength = np.clip(np.log1p(points) / np.log1p(np.percentile(points, 95)), 0, 1)[:, None]

fig, axes = plt.subplots(1, 2, figsize=(10, 5), sharey=True, layout="constrained")
axes[0].imshow(points.reshape(side, side), norm="symlog", cmap="Greys", origin="lower")
axes[1].imshow((1 - strength * (1 - mean)).reshape(side, side, 3), origin="lower")
for ax, title in zip(axes, ("number of points", f"{model.labels_.max() + 1} clusters")):
    ax.set(title=title, xticks=[], yticks=[])
plt.show()

# %%
# Where the time goes
# -------------------
# ``verbose=True`` prints the stages to standard error. The tree takes most of the time, and other clusterings of it
# almost none.
start = time.perf_counter()
other = model.recluster(min_cluster_size=5000)
print(f"recluster: {time.perf_counter() - start:.2f} s, {other.labels_.max() + 1} clusters")

# %%
# Time by number of points
# ------------------------
# Twice as many points take little more than twice as long.
sizes, tree, labels = [10_000, 30_000, 100_000, 300_000, 1_000_000], [], []
some = np.random.default_rng(0).permutation(X)
for n in sizes:
    start = time.perf_counter()
    minimum_spanning_tree(some[:n])
    tree.append(time.perf_counter() - start)
    start = time.perf_counter()
    HDBSCAN(min_cluster_size=100, min_samples=10).fit(some[:n])
    labels.append(time.perf_counter() - start)

fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
ax.plot(sizes, labels, "o-", label="HDBSCAN, min_samples=10")
ax.plot(sizes, tree, "s-", label="minimum spanning tree")
ax.plot(
    sizes,
    tree[0] * np.array(sizes) / sizes[0],
    "--",
    color="0.6",
    label="proportional to the number of points",
)
ax.set(xscale="log", yscale="log", xlabel="points", ylabel="seconds")
ax.legend(frameon=False)
ax.grid(alpha=0.3)
plt.show()
