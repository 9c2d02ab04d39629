"""The first round of merging: the parent of every component, and the roots."""

import matplotlib.pyplot as plt
import numpy as np

from emst import cpu
from emst.plots import cluster_colours

g = np.random.default_rng(11)
points = g.uniform(0, [1.7, 1], (400, 2))
for row in range(400):  # no two so near that their marks would overlap
    if (np.linalg.norm(points[:row] - points[row], axis=1) < 0.13).any():
        points[row] = np.inf
points = points[np.isfinite(points[:, 0])]
points = points[cpu.curve_order(points, 1.0).rows]  # so the ids of points are row numbers
index = cpu.build_index(points, np.arange(len(points), dtype=np.int32), 1.0)
forest = cpu.join_duplicates(index)
cache = cpu.cache_neighbours(index, forest)
cpu.begin_round(index, forest, cache)
cpu.nearest_outgoing(index, forest, cache)
u, v = forest.edge_u.copy(), forest.edge_v.copy()
cpu.merge(forest)

ids = np.arange(len(points))
other = np.where(u == ids, v, u)
component = np.unique(forest.labels, return_inverse=True)[1]
colours = cluster_colours(component, points)[component]
root = forest.labels == ids

figure, ax = plt.subplots(figsize=(8.5, 5))
for point in ids[~root]:
    ax.annotate(
        "", points[other[point]], points[point],
        arrowprops={
            "arrowstyle": "-|>", "color": colours[point], "lw": 1.6, "shrinkA": 7, "shrinkB": 8, "mutation_scale": 13,
        },
    )  # fmt: skip
for shape, chosen, size in (("o", ~root, 170), ("s", root, 200)):
    ax.scatter(*points[chosen].T, marker=shape, s=size, c=colours[chosen], edgecolor="white", zorder=3)
for point in ids:
    ax.text(*points[point], str(point), color="white", ha="center", va="center", fontsize=8, weight="bold", zorder=4)
ax.set(aspect="equal", xticks=[], yticks=[])
