"""The trees of the same points under two norms."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

from emst import EMST

points = np.random.default_rng(2).uniform(0, [1.8, 1], (80, 2))
euclidean, manhattan = (
    {tuple(edge) for edge in EMST(metric=metric).fit(points).edges_.tolist()} for metric in ("euclidean", "manhattan")
)

figure, ax = plt.subplots(figsize=(7.5, 4.3))
for shown, colour, width, label in (
    (euclidean & manhattan, "0.6", 1.5, "in both trees"),
    (euclidean - manhattan, "#0072B2", 3, "only under Euclidean distances"),
    (manhattan - euclidean, "#D55E00", 3, "only under Manhattan distances"),
):
    ax.add_collection(LineCollection(points[np.array(sorted(shown))], color=colour, lw=width, label=label))
ax.scatter(*points.T, s=12, color="black", zorder=3)
ax.set(aspect="equal", xticks=[], yticks=[])
ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=3, fontsize=9, frameon=False)
