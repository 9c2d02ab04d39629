"""
Choosing min_cluster_size
=========================

``min_cluster_size`` is the parameter that matters most: the smallest group that counts as a cluster. One fit is enough
to try many values, because ``recluster`` makes another clustering of the same tree in a fraction of the time.
"""

# sphinx_gallery_thumbnail_number = 2

# %%
# One fit
# -------
# Thirty groups of different sizes and densities, and 5 % of the points at random places.
import time

import matplotlib.pyplot as plt
import numpy as np

from datasets.synthetic import blobs
from emst import HDBSCAN, validity_index
from emst.plots import plot_clusters

X = blobs(20_000, 2, seed=3, k=30)
start = time.perf_counter()
model = HDBSCAN(min_cluster_size=50, min_samples=10).fit(X)
fitted = time.perf_counter()
other = model.recluster(min_cluster_size=500)
print(f"fit: {fitted - start:.3f} s, recluster: {time.perf_counter() - fitted:.3f} s")

# %%
# Many sizes
# ----------
# For each size: the number of clusters, the part of the points that is noise, and ``relative_validity_``, a quick
# measure of how dense clusters are and how well they are separated. A range of sizes over which the number of clusters
# hardly changes is a good sign: the clusters are in the data and do not come from the parameter.
sizes = np.unique(np.geomspace(5, 3000, 30).astype(int))
models = [model.recluster(min_cluster_size=size) for size in sizes]
counts = [one.labels_.max() + 1 for one in models]
noise = [np.mean(one.labels_ < 0) for one in models]
validity = [one.relative_validity_ for one in models]

fig, axes = plt.subplots(3, 1, figsize=(8, 6.5), sharex=True, layout="constrained")
for ax, values, name in zip(
    axes, (counts, noise, validity), ("clusters", "noise", "relative_validity_")
):
    ax.plot(sizes, values, "o-", markersize=4)
    ax.set(xscale="log", ylabel=name)
    ax.grid(alpha=0.3)
axes[1].yaxis.set_major_formatter("{x:.0%}")
axes[2].set_xlabel("min_cluster_size")
plt.show()

# %%
# Three of them
# -------------
# A size that is too small finds random groups in the noise and within clusters. One that is too great leaves small
# groups out, or joins them with their neighbours.
fig, axes = plt.subplots(
    1, 3, figsize=(10, 3.9), sharex=True, sharey=True, layout="constrained"
)
for ax, size in zip(axes, (10, 100, 1000)):
    one = model.recluster(min_cluster_size=size)
    plot_clusters(X, one.labels_, one.probabilities_, ax=ax)
    ax.legend_.remove()
    ax.set_title(
        f"min_cluster_size={size}: {one.labels_.max() + 1} clusters", fontsize="medium"
    )
plt.show()

# %%
# How sure is each cluster?
# -------------------------
# ``cluster_persistence_`` is the stability of each cluster, divided by the greatest possible value: from 0 to 1. Clusters
# with a low value are doubtful.
one = model.recluster(min_cluster_size=100)
persistence = one.cluster_persistence_
order = np.argsort(-persistence)
members = np.bincount(one.labels_[one.labels_ >= 0])
for i in [*order[:3], *order[-3:]]:
    print(f"cluster {i:2d}: {members[i]:5,} points, persistence {persistence[i]:.2f}")

# %%
# DBCV, for the last decision
# ---------------------------
# ``validity_index`` is the density-based validity (DBCV) of any labels, from -1 to 1. It compares all pairs of points,
# so it takes seconds where ``relative_validity_`` takes milliseconds. Ask it about a few candidates only.
for size in (10, 100, 1000):
    labels = model.recluster(min_cluster_size=size).labels_
    print(f"min_cluster_size {size:4d}: DBCV {validity_index(X, labels):.2f}")
