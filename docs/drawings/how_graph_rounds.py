"""Borůvka's rounds on a graph, with the lightest outgoing edges looked up in the list of edges."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

from emst import cpu
from emst.boruvka import singletons, spanning_forest
from emst.plots import cluster_colours

ROWS, COLUMNS = 8, 11
number = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
across, down = (number[:, :-1], number[:, 1:]), (number[:-1], number[1:])
u, v = (np.concatenate([across[end].ravel(), down[end].ravel()]).astype(np.int32) for end in (0, 1))
key = np.random.default_rng(6).permutation(len(u)).astype(np.uint64)  # the weights, all different
edge_of_key = np.argsort(key)
places = np.stack([number.ravel() % COLUMNS, -(number.ravel() // COLUMNS)], axis=1)
rounds = []


def lightest(forest):
    least = cpu.lightest_of_edges(u, v, key, forest.labels)[0][forest.components]
    chosen = edge_of_key[least.astype(np.int64)]
    forest.edge_u[forest.components], forest.edge_v[forest.components] = u[chosen], v[chosen]


def record(number, left):
    joined = forest.source >= 0
    rounds.append((left, forest.labels.copy(), np.stack([forest.source[joined], forest.target[joined]], axis=1)))


forest = singletons(ROWS * COLUMNS, np.float64, cpu)
spanning_forest(forest, lightest, cpu, record)

figure, axes = plt.subplots(1, len(rounds), figsize=(2.9 * len(rounds), 2.4))
for count, (ax, (left, labels, edges)) in enumerate(zip(axes, rounds), 1):
    component = np.unique(labels, return_inverse=True)[1]
    colours = cluster_colours(component, places)[component]
    between = labels[u] != labels[v]
    ax.add_collection(LineCollection(places[np.stack([u, v], axis=1)[between]], color="0.8", lw=1))
    ax.add_collection(LineCollection(places[edges], colors=colours[edges[:, 0]], lw=2.2))
    ax.scatter(*places.T, c=colours, s=12, zorder=3)
    ax.set_title(f"round {count}: {left} component{'s' * (left > 1)}", fontsize=11)
    ax.set(aspect="equal")
    ax.axis("off")
figure.tight_layout()
