"""
A million points on a laptop
============================

Two million coordinates, no sampling, no approximation. The times below are those of the machine that built this page.
"""

# %%
# The points
# ----------
# The generator of Gan and Tao, known as *VisualVar* in papers on DBSCAN, walks at random through a square and leaves
# a hundred points around each of its steps. At times it jumps, and goes on with another density.
import os
import time

import matplotlib.pyplot as plt
import numpy as np

from datasets.synthetic import seed_spreader
from emst import HDBSCAN, minimum_spanning_tree
from emst.plots import cluster_colours

X = seed_spreader(1_000_000, 2, seed=1).astype(float)
HDBSCAN(min_cluster_size=1000, min_samples=10).fit(X[:10_000])  # compiles kernels, if this was not done before

# %%
# The fit
# -------
start = time.perf_counter()
model = HDBSCAN(min_cluster_size=1000, min_samples=10).fit(X)
seconds = time.perf_counter() - start
print(f"{len(X):,} points, {model.labels_.max() + 1} clusters: {seconds:.2f} s on {os.cpu_count()} cores")

# %%
# Pictures of so many points
# --------------------------
# A scatter plot of a million points is one blot. A histogram shows how many points there are in each place. The second
# picture has a colour for each cluster, and it is stronger where there are more points.
reach = [[X[:, 0].min(), X[:, 0].max()], [X[:, 1].min(), X[:, 1].max()]]
cells = 500


def counted(points):
    return np.histogram2d(*points.T, bins=cells, range=reach)[0].T


everything = counted(X)
colours = cluster_colours(model.labels_, X)
blend = np.zeros((cells, cells, 3))
for i, colour in enumerate(colours):
    blend += counted(X[model.labels_ == i])[:, :, None] * colour
members = np.maximum(counted(X[model.labels_ >= 0]), 1)
strength = np.clip(np.log1p(everything) / np.log1p(np.percentile(everything[everything > 0], 95)), 0, 1)
clusters = 1 - strength[:, :, None] * (1 - blend / members[:, :, None])

fig, axes = plt.subplots(1, 2, figsize=(10, 5), sharey=True, layout="constrained")
extent = np.ravel(reach)
axes[0].imshow(everything, norm="symlog", cmap="Greys", origin="lower", extent=extent)
axes[1].imshow(clusters, origin="lower", extent=extent)
for ax, title in zip(axes, ("number of points", f"{len(colours)} clusters")):
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
ax.plot(sizes, tree[0] * np.array(sizes) / sizes[0], "--", color="0.6", label="proportional to the number of points")
ax.set(xscale="log", yscale="log", xlabel="points", ylabel="seconds")
ax.legend(frameon=False)
ax.grid(alpha=0.3)
plt.show()
