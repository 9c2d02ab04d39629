"""The components after each of Borůvka's rounds, read while the loop runs."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

from emst import cpu
from emst.backend.records import EUCLIDEAN
from emst.boruvka import spanning_forest
from emst.plots import cluster_colours
from emst.spanning import Searches

g = np.random.default_rng(4)
points = np.concatenate([g.normal([0, 0], 0.7, (120, 2)), g.normal([3, 1], 0.5, (80, 2)), g.uniform(-2, 5, (50, 2))])
points = points[(points[:, 1] > -2) & (points[:, 1] < 3)]
points = points[cpu.curve_order(points, 1.0).rows]  # so the ids of points are row numbers
index = cpu.build_index(points, np.arange(len(points), dtype=np.int32), 1.0, EUCLIDEAN)
searches, rounds = Searches(index, cpu), []
forest = cpu.join_duplicates(index, searches.begin)


def record(number, left):
    joined = forest.source >= 0
    rounds.append((left, forest.labels.copy(), np.stack([forest.source[joined], forest.target[joined]], axis=1)))


spanning_forest(forest, searches.lightest, cpu, record, searches.prepare)

figure, axes = plt.subplots(2, 2, figsize=(8, 5.6))
before = set()
for number, (ax, (left, labels, edges)) in enumerate(zip(axes.flat, rounds, strict=True), 1):
    new = np.array([tuple(edge) not in before for edge in edges.tolist()])
    before = set(map(tuple, edges.tolist()))
    ax.add_collection(LineCollection(points[edges[~new]], color="0.7", lw=0.8))
    ax.add_collection(LineCollection(points[edges[new]], color="0.15", lw=1.6))
    component = np.unique(labels, return_inverse=True)[1]
    ax.scatter(*points.T, c=cluster_colours(component, points)[component], s=10, zorder=2)
    ax.set_title(f"round {number}: {left} component{'s' * (left > 1)}", fontsize=10)
    ax.set(aspect="equal", xticks=[], yticks=[])
figure.tight_layout()
