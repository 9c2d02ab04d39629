"""A small graph of two components, and its minimum spanning forest."""

import matplotlib.pyplot as plt
import numpy as np

from emst import graph_msf
from emst.plots import plot_forest

POSITIONS = np.array(
    [[0, 0], [2, 1], [1.6, -1.4], [4, 0.2], [3.8, -1.8], [6, 0.8], [6.2, -1.2], [8, 0.6], [8.2, -1.4], [9.8, -0.4]]
)
EDGES = np.array(
    [[0, 1], [0, 2], [1, 2], [1, 3], [2, 4], [3, 4], [2, 3], [3, 5], [4, 6], [5, 6], [7, 8], [7, 9], [8, 9]]
)
WEIGHTS = np.array([4, 6, 3, 7, 5, 2, 8, 6, 9, 4, 3, 5, 4])
forest = graph_msf(EDGES[:, 0], EDGES[:, 1], WEIGHTS)

_, ax = plt.subplots(figsize=(9, 3.4), layout="constrained")
for (u, v), weight in zip(EDGES, WEIGHTS):
    ax.plot(*POSITIONS[[u, v]].T, color="0.75", linewidth=1, zorder=0)
    ax.annotate(
        str(weight),
        POSITIONS[[u, v]].mean(axis=0),
        ha="center",
        va="center",
        bbox={"fc": "white", "ec": "none", "pad": 1},
    )
plot_forest(POSITIONS, forest.edges, forest.weights, ax=ax)
ax.collections[0].set_linewidth(3.5)
for vertex, place in enumerate(POSITIONS):  # above the upper vertices, below the others: no edge is in the way
    above = {"xytext": (0, 7), "va": "bottom"} if place[1] > -1 else {"xytext": (0, -7), "va": "top"}
    ax.annotate(str(vertex), place, textcoords="offset points", ha="center", fontsize=9, color="0.3", **above)
ax.set_axis_off()
ax.margins(0.08)
