"""
Metrics
=======

A metric says what *near* means. Each of them is computed exactly, and none is replaced by another. :doc:`/guide/metrics`
lists them all. The page :doc:`/gallery/applications/plot_places` is about ``haversine``.
"""

# sphinx_gallery_thumbnail_number = 2

# %%
# Balls of radius 1
# -----------------
# All points of the plane at a distance of 1 from the middle. With *p* = 1, ``minkowski`` is ``manhattan``; with *p* = 2
# it is ``euclidean``; and as *p* grows, it becomes ``chebyshev``.
import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCAN, minimum_spanning_tree
from emst.plots import plot_clusters

t = np.linspace(0, 2 * np.pi, 721)
circle = np.column_stack([np.cos(t), np.sin(t)])
fig, ax = plt.subplots(figsize=(5, 4.6), layout="constrained")
powers = {
    "manhattan": 1,
    "minkowski, p = 1.5": 1.5,
    "euclidean": 2,
    "minkowski, p = 4": 4,
    "chebyshev": np.inf,
}
for name, p in powers.items():
    ax.plot(*(circle / np.linalg.norm(circle, p, axis=1)[:, None]).T, label=name)
ax.set(aspect="equal")
ax.legend(loc="center", frameon=False)
plt.show()

# %%
# Three trees of the same points
# ------------------------------
# ``manhattan`` is the length of a way along streets, ``chebyshev`` the time of a machine that moves along both axes at
# once. Edges that are not in the Euclidean tree are red.
g = np.random.default_rng(3)
X = g.random((120, 2))
trees = {
    metric: minimum_spanning_tree(X, metric=metric)
    for metric in ("manhattan", "euclidean", "chebyshev")
}
usual = set(map(tuple, trees["euclidean"].edges.tolist()))

fig, axes = plt.subplots(
    1, 3, figsize=(10, 3.7), sharex=True, sharey=True, layout="constrained"
)
for ax, (metric, tree) in zip(axes, trees.items()):
    for edge in tree.edges.tolist():
        ax.plot(
            *X[edge].T, color="0.4" if tuple(edge) in usual else "tab:red", linewidth=1.5
        )
    ax.scatter(*X.T, s=9, color="black", zorder=3)
    ax.set(
        aspect="equal",
        xticks=[],
        yticks=[],
        title=f"{metric}, in all {tree.total_weight:.2f}",
    )
plt.show()

# %%
# Directions instead of places
# ----------------------------
# Sentences, spectra and shopping baskets are often vectors whose direction matters, while the length only says how much
# there is of it. ``cosine`` compares directions. Below, points along four directions have different lengths. For
# the Euclidean metric the long ones are far from all others, and so they are noise. For cosine they are not.
angle = g.choice([0.2, 0.6, 1.0, 1.35], 1200) + g.normal(0, 0.035, 1200)
rays = g.gamma(3, 1, 1200)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])

fig, axes = plt.subplots(
    1, 2, figsize=(10, 4.4), sharex=True, sharey=True, layout="constrained"
)
for ax, metric in zip(axes, ("euclidean", "cosine")):
    model = HDBSCAN(min_cluster_size=60, min_samples=10, metric=metric).fit(rays)
    plot_clusters(rays, model.labels_, model.probabilities_, ax=ax)
    ax.legend_.remove()
    ax.set_title(
        f"{metric}: {model.labels_.max() + 1} clusters, {np.mean(model.labels_ < 0):.0%} noise"
    )
plt.show()

# %%
# Other metrics
# -------------
# Every metric of scikit-learn, and any function of two rows, is computed from the matrix of all distances. This takes
# memory for the square of the number of points.
model = HDBSCAN(min_cluster_size=60, min_samples=10, metric="canberra").fit(rays)
print(f"canberra: {model.labels_.max() + 1} clusters")
