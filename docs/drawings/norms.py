"""The trees of the same points under three norms."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

from emst import EMST

points = np.random.default_rng(2).uniform(size=(60, 2))
METRICS = {"manhattan": "#D55E00", "euclidean": "#0072B2", "chebyshev": "#009E73"}
edges = {metric: {tuple(edge) for edge in EMST(metric=metric).fit(points).edges_.tolist()} for metric in METRICS}
common = set.intersection(*edges.values())

figure, axes = plt.subplots(1, 3, figsize=(11, 3.7))
for ax, (metric, colour) in zip(axes, METRICS.items()):
    for shown, style in (
        (common, {"color": "0.65", "lw": 1.5}),
        (edges[metric] - common, {"color": colour, "lw": 3}),
    ):
        ax.add_collection(LineCollection(points[np.array(sorted(shown))], **style))
    ax.scatter(*points.T, s=10, color="black", zorder=3)
    ax.set_title(metric, fontsize=11)
    ax.set(aspect="equal", xticks=[], yticks=[])
figure.tight_layout()
