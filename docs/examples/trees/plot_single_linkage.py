"""
Single linkage and dendrograms
==============================

Single linkage joins the two closest groups again and again, until one is left. Its merges are the edges of the minimum
spanning tree, from short to long. So the tree is a fast and exact way to SciPy's dendrograms. :doc:`/guide/trees` has
the details.
"""

# %%
# A tree, and its linkage matrix
# ------------------------------
import time

import matplotlib.pyplot as plt
import numpy as np
from scipy.cluster import hierarchy
from sklearn.metrics import adjusted_rand_score

from emst import minimum_spanning_tree
from emst.plots import plot_clusters, plot_mst, plot_single_linkage_tree

g = np.random.default_rng(8)
centers = [[0, 0], [2.5, 0.5], [1, 2.6], [4.2, 2.4]]
X = np.concatenate([g.normal(center, 0.35, (20, 2)) for center in centers])
mst = minimum_spanning_tree(X)
Z = mst.linkage()

fig, axes = plt.subplots(
    1, 2, figsize=(10, 4.4), layout="constrained", width_ratios=[1.35, 1]
)
plot_mst(X, mst, ax=axes[0])
axes[0].set_title("minimum spanning tree")
hierarchy.dendrogram(
    Z, ax=axes[1], no_labels=True, color_threshold=0.9, above_threshold_color="0.5"
)
axes[1].axhline(0.9, color="tab:red", linestyle="--", linewidth=1)
axes[1].set(title="scipy.cluster.hierarchy.dendrogram", ylabel="distance")
plt.show()

# %%
# The same as SciPy's
# -------------------
# SciPy computes the distances of all pairs of points first. The heights of the merges are the same, and so are the
# groups of a cut.
theirs = hierarchy.linkage(X, "single")
print("greatest difference of heights:", np.abs(Z[:, 2] - theirs[:, 2]).max())
cut = mst.cut(0.9)
flat = hierarchy.fcluster(theirs, 0.9, criterion="distance")
print(f"{cut.max() + 1} groups, adjusted Rand index {adjusted_rand_score(cut, flat)}")

# %%
# Cuts at several heights
# -----------------------
# ``labels_at`` gives the groups at as many heights as you like.
heights = [0.3, 0.6, 0.9, 1.5]
fig, axes = plt.subplots(
    1, 4, figsize=(11, 3), sharex=True, sharey=True, layout="constrained"
)
for ax, height, labels in zip(axes, heights, mst.labels_at(heights)):
    plot_clusters(X, labels, ax=ax)
    ax.legend_.remove()
    ax.set_title(f"{height}: {labels.max() + 1} groups")
plt.show()

# %%
# Far more points
# ---------------
# SciPy's ``linkage`` needs the distances of all pairs: 40,000 points would need 6.4 GB. The tree needs none of them.
# ``plot_single_linkage_tree`` draws the main branches of a dendrogram that has too many merges for a picture. Single
# linkage alone joins groups over any bridge of points. A ``min_samples`` above 1 makes bridges of few points long.
many = np.concatenate([g.normal(center, 0.35, (10_000, 2)) for center in centers])
fig, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for ax, min_samples in zip(axes, (1, 30)):
    start = time.perf_counter()
    tree = minimum_spanning_tree(many, min_samples=min_samples)
    seconds = time.perf_counter() - start
    print(f"min_samples={min_samples}: {len(many):,} points, {seconds:.3f} s")
    plot_single_linkage_tree(tree.linkage(), ax=ax)
    ax.set_title(f"min_samples={min_samples}", loc="left")
plt.show()
