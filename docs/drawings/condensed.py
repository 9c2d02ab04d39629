"""Points in four groups, and their condensed tree with the selected clusters."""

import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCANGPU
from emst.plots import cluster_colours, plot_clusters

g = np.random.default_rng(2)
X = np.concatenate(
    [g.normal((0, 0), 0.5, (250, 2)), g.normal((2.2, 0), 0.4, (200, 2)), g.normal((1, 4.5), 0.7, (300, 2)),
     g.normal((7, 2), 1.0, (400, 2)), g.uniform(-3, 10, (120, 2))]
)  # fmt: skip
model = HDBSCANGPU(min_cluster_size=40, min_samples=10).fit(X)

_, (left, right) = plt.subplots(1, 2, figsize=(9, 3.9), layout="constrained")
plot_clusters(X, model.labels_, model.probabilities_, ax=left)
left.get_legend().remove()
left.set_aspect("equal")
model.condensed_tree_.plot(
    select_clusters=True, label_clusters=True, selection_palette=cluster_colours(model.labels_, X), ax=right
)
