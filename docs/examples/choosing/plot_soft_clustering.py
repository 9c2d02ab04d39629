"""
Soft clustering, outliers and exemplars
=======================================

A label says to which cluster a point belongs, and nothing else. A fitted model knows more: how strongly a point belongs
to each cluster, how unusual it is among its neighbours, and which points stand for a cluster.
"""

# sphinx_gallery_thumbnail_number = 2

# %%
# Three groups that touch
# -----------------------
import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCAN, all_points_membership_vectors
from emst.plots import cluster_colours, plot_clusters

g = np.random.default_rng(2)
t = g.uniform(0, np.pi, 700)
X = np.concatenate([
    np.column_stack([3 * np.cos(t), 3 * np.sin(t)]) + g.normal(0, 0.28, (700, 2)),
    g.normal([0, 0.3], [0.75, 0.45], (700, 2)),
    g.normal([5.0, 0.6], [0.5, 0.7], (400, 2)),
    g.uniform([-5, -3], [7, 5], (120, 2)),
])  # fmt: skip
model = HDBSCAN(min_cluster_size=60, min_samples=10).fit(X)
print(f"{model.labels_.max() + 1} clusters, {np.sum(model.labels_ < 0)} points of noise")

# %%
# Labels and membership
# ---------------------
# ``all_points_membership_vectors`` gives a number for each point and each cluster. The sum of a row is the probability
# that the point belongs to any cluster. On the right, the colour of a point is the mean of the colours of the clusters,
# weighted by these numbers, and it fades to grey where the sum is small. Points of noise have a colour, too: that of
# the clusters near them.
membership = all_points_membership_vectors(model)
colours = cluster_colours(model.labels_, X)
total = membership.sum(axis=1, keepdims=True)
mixed = membership @ colours + (1 - total) * 0.86

fig, axes = plt.subplots(
    1, 2, figsize=(10, 3.9), sharex=True, sharey=True, layout="constrained"
)
plot_clusters(X, model.labels_, model.probabilities_, ax=axes[0])
axes[0].legend_.remove()
axes[0].set_title("labels and probabilities")
axes[1].scatter(*X.T, s=14, color=mixed, linewidths=0)
axes[1].set(aspect="equal", title="membership in all clusters")
plt.show()

# %%
# A few rows of the table. The point with the two most similar numbers is the most undecided one.
two = np.sort(membership, axis=1)[:, -2:]
undecided = np.argmin(np.where(total[:, 0] > 0.5, two[:, 1] - two[:, 0], 1))
sure = np.argmax(total[:, 0])
for row in (sure, undecided):
    print("point", X[row].round(1), "label", model.labels_[row], membership[row].round(2))

# %%
# Outliers
# --------
# ``outlier_scores_`` (GLOSH) compares the density at which a point leaves a cluster with the greatest density in this
# cluster. It is not the same as noise: a member at the border of a dense cluster can have a high score. Take the
# points with the highest scores rather than a threshold.
scores = model.outlier_scores_
worst = np.argsort(-scores)[:60]

fig, ax = plt.subplots(figsize=(8, 4.6), layout="constrained")
dots = ax.scatter(*X.T, s=12, c=scores, cmap="viridis", linewidths=0)
ax.scatter(
    *X[worst].T,
    s=70,
    facecolors="none",
    edgecolors="tab:red",
    linewidths=0.9,
    label="the 60 highest scores",
)
ax.set(aspect="equal")
ax.legend(loc="upper right")
fig.colorbar(dots, label="outlier score", shrink=0.9)
plt.show()
print(f"{np.mean(worst >= 1800):.0%} of them are among the 120 points at random places")

# %%
# Exemplars
# ---------
# The exemplars of a cluster are the points in its densest parts, one part for each leaf of the tree below the cluster.
# Unlike a mean, they also lie within a cluster that is curved.
fig, ax = plt.subplots(figsize=(8, 4.6), layout="constrained")
ax.scatter(*X.T, s=6, color="0.85", linewidths=0)
for i, exemplars in enumerate(model.exemplars_):
    ax.scatter(
        *exemplars.T,
        s=22,
        color=colours[i],
        linewidths=0,
        label=f"cluster {i}: {len(exemplars)} exemplars",
    )
    mean = X[model.labels_ == i].mean(axis=0)
    ax.plot(
        *mean, "x", color=colours[i], markersize=12, markeredgewidth=3, label="its mean"
    )
ax.set(aspect="equal")
ax.legend(loc="upper right", ncols=1, fontsize="small")
plt.show()
