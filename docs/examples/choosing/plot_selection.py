"""
Excess of mass, leaves and epsilon
==================================

A fit makes a tree of clusters within clusters. ``cluster_selection_method`` and ``cluster_selection_epsilon`` say which
clusters of this tree become labels. This page shows them on the same tree. :doc:`/guide/clustering` describes all
parameters.
"""

# sphinx_gallery_thumbnail_number = 1

# %%
# A town and villages
# -------------------
# The town has seven quarters, close to each other. Around it lie four villages, which are less dense, and some lonely
# houses. The unit is km.
import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCAN
from emst.plots import cluster_colours, plot_clusters

g = np.random.default_rng(4)
turn = np.arange(6) * np.pi / 3
quarters = 1.5 * np.concatenate([[[0, 0]], np.column_stack([np.cos(turn), np.sin(turn)])])
town = quarters[g.integers(0, 7, 1400)] + g.normal(0, 0.26, (1400, 2))
villages = [
    center + g.normal(0, 0.6, (200, 2)) for center in ([5, 4], [-5, 3], [5, -4], [-4, -5])
]
X = np.concatenate([town, *villages, g.uniform(-8, 8, (200, 2))])

model = HDBSCAN(min_cluster_size=20, min_samples=5).fit(X)

# %%
# Four selections
# ---------------
# * **eom**, excess of mass, is the default. It takes the clusters that exist over the widest range of density: here the
#   quarters of the town.
# * **leaf** takes the finest clusters. There are more of them, and there is more noise between them.
# * **epsilon** is a distance: what is closer than this is not split. With 0.6 km the quarters become one town.
#   The sparse villages stay the same.
selections = {
    "eom": {},
    "leaf": {"cluster_selection_method": "leaf"},
    "eom, epsilon = 0.6 km": {"cluster_selection_epsilon": 0.6},
    "leaf, epsilon = 0.6 km": {
        "cluster_selection_method": "leaf",
        "cluster_selection_epsilon": 0.6,
    },
}
models = {name: model.recluster(**parameters) for name, parameters in selections.items()}

fig, axes = plt.subplots(
    2, 2, figsize=(8.5, 8.5), sharex=True, sharey=True, layout="constrained"
)
for ax, (name, one) in zip(axes.flat, models.items()):
    plot_clusters(X, one.labels_, one.probabilities_, ax=ax)
    ax.legend_.remove()
    ax.set_title(f"{name}: {one.labels_.max() + 1} clusters")
plt.show()

# %%
# The same in the condensed tree
# ------------------------------
# Density grows downwards: lambda is 1 / distance. A bar is as wide as the cluster has points. Circles are the clusters
# that were selected, in the colours of the picture above. An epsilon of 0.6 km is the line at lambda = 1.7: clusters
# that were born below the line are replaced by those that contain them.
fig, axes = plt.subplots(1, 2, figsize=(10, 5), sharey=True, layout="constrained")
for ax, name in zip(axes, ("eom", "eom, epsilon = 0.6 km")):
    one = models[name]
    palette = cluster_colours(one.labels_, X)
    one.condensed_tree_.plot(
        select_clusters=True,
        selection_palette=palette,
        colorbar=False,
        cmap="Greys",
        axis=ax,
    )
    ax.axhline(1 / 0.6, color="tab:red", linestyle="--", linewidth=1)
    ax.set(title=name, ylim=(18, 0))
plt.show()

# %%
# One blob
# --------
# The data below is one cluster. By default the root is not selected, so the blob comes out as a few random pieces.
# ``allow_single_cluster=True`` gives one cluster: the points that stay until the root splits. These are few, because
# the root splits only where it is densest. With an epsilon as well, its members are the points that leave it at
# a distance of at most epsilon.
blob = g.normal(0, 1, (1000, 2))
choices = {
    "default": {},
    "allow_single_cluster": {"allow_single_cluster": True},
    "and epsilon = 0.4": {"allow_single_cluster": True, "cluster_selection_epsilon": 0.4},
}
fig, axes = plt.subplots(
    1, 3, figsize=(10, 4), sharex=True, sharey=True, layout="constrained"
)
for ax, (name, parameters) in zip(axes, choices.items()):
    one = HDBSCAN(min_cluster_size=40, min_samples=8, **parameters).fit(blob)
    plot_clusters(blob, one.labels_, one.probabilities_, ax=ax)
    ax.legend_.remove()
    ax.set_title(
        f"{name}\nclusters: {one.labels_.max() + 1}, noise: {np.mean(one.labels_ < 0):.0%}",
        fontsize="medium",
    )
plt.show()
