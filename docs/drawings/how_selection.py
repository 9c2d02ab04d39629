"""One condensed tree and three selections."""

import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCANGPU

g = np.random.default_rng(0)
groups = [([0, 0], 0.35, 150), ([1.6, 0], 0.35, 150), ([0.8, 1.5], 0.35, 150), ([8, 0], 1, 150), ([7, 7], 0.8, 100)]
points = np.concatenate([g.normal(centre, spread, (size, 2)) for centre, spread, size in groups])
model = HDBSCANGPU(min_cluster_size=20, min_samples=8).fit(points)
CHOICES = {
    "eom": {},
    "leaf": {"cluster_selection_method": "leaf"},
    "leaf, epsilon = 0.3": {"cluster_selection_method": "leaf", "cluster_selection_epsilon": 0.3},
}
figure, axes = plt.subplots(1, 3, figsize=(8.6, 3.6), layout="constrained")
for ax, (title, choice) in zip(axes, CHOICES.items()):
    chosen = model.recluster(**choice)
    chosen.condensed_tree_.plot(ax=ax, select_clusters=True, colorbar=ax is axes[-1])
    left, right = ax.get_xlim()
    bottom, top = ax.get_ylim()
    ax.set(xlim=(left - 0.04 * (right - left), right + 0.04 * (right - left)), ylim=(bottom * 1.06, top))
    ax.set_title(f"{title}: {chosen.labels_.max() + 1} clusters", fontsize=10)
for ax in axes[1:]:
    ax.set_ylabel("")
