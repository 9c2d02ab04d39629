"""Core distances for min_samples=4, as circles around three of a few points."""

import matplotlib.pyplot as plt
import numpy as np

from emst import EMST

POINTS = np.array(
    [
        [1.0, 1.0], [1.5, 1.3], [1.2, 1.8], [1.9, 1.9], [0.7, 1.5], [1.6, 0.7], [2.2, 1.3],
        [5.0, 2.0], [6.1, 1.3], [6.3, 2.7], [5.2, 0.5],
        [9.2, 2.2], [8.6, 0.3],
    ]
)  # fmt: skip
cores = EMST(min_samples=4).fit(POINTS).core_distances_

_, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
ax.scatter(*POINTS.T, s=30, color="0.35", zorder=3)
for row, colour in [(1, "#0072b2"), (8, "#d55e00"), (11, "#009e73")]:
    centre, radius = POINTS[row], cores[row]
    ax.add_patch(plt.Circle(centre, radius, facecolor=colour, alpha=0.15))
    ax.add_patch(plt.Circle(centre, radius, fill=False, edgecolor=colour))
    ax.scatter(*centre, s=60, color=colour, zorder=4)
    below = {"textcoords": "offset points", "ha": "center", "va": "top", "color": colour}
    ax.annotate(f"{radius:.2f}", centre - [0, radius], (0, -3), **below)
ax.set_aspect("equal")
ax.set_xticks([])
ax.set_yticks([])
ax.margins(0.06)
