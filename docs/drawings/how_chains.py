"""A dendrogram as chains: what Borůvka's rounds on the sorted edges of the tree make of it."""

import matplotlib.pyplot as plt
import numpy as np

from emst import EMST, cpu
from emst.boruvka import singletons, spanning_forest
from emst.plots import cluster_colours

N = 34
points = np.random.default_rng(12).normal(size=(N, 2))
mst = EMST(min_samples=1).fit(points)
u, v = np.ascontiguousarray(mst.edges_.T)
rank = np.arange(N - 1, dtype=np.uint64)
chain = np.full(N - 1, -1)  # of every edge: b and the side of b, as 2 b + side; -1 for the root's chain
opened = []  # edges that a round has contracted and that no later round has closed


def lightest(forest):
    """Find the lightest edge b that leaves each component, and close the open edges that are lighter than b."""
    least = np.full(N, N)
    least[forest.components] = cpu.lightest_of_edges(u, v, rank, forest.labels)[0][forest.components]
    for edge in list(opened):
        component = forest.labels[u[edge]]
        b = least[component]
        if edge < b:
            chain[edge] = 2 * b + (forest.labels[v[b]] == component)
            opened.remove(edge)
    chosen = least[forest.components]
    forest.edge_u[forest.components], forest.edge_v[forest.components] = u[chosen], v[chosen]
    opened.extend(sorted(set(chosen.tolist())))


spanning_forest(singletons(N, np.float64, cpu), lightest, cpu)

dendrogram = cpu.linkage(mst.edges_, mst.weights_)
place, height = np.empty(2 * N - 1), np.empty(2 * N - 1)  # by name + N: points first, then merges
height[:N], height[N:] = 0, mst.weights_
order, stack = [], [N - 2]
while stack:
    name = stack.pop()
    if name < 0:
        place[name + N] = len(order)
        order.append(name)
    else:
        stack.extend(dendrogram.child[name].tolist())
for merge in range(N - 1):
    place[merge + N] = place[dendrogram.child[merge] + N].mean()

names, number = np.unique(chain, return_inverse=True)
colours = cluster_colours(number, np.stack([place[N:], height[N:]], axis=1))
figure, ax = plt.subplots(figsize=(8, 4))
parent = {int(below): merge for merge in range(N - 1) for below in dendrogram.child[merge]}
for merge in range(N - 1):
    left, right = place[dendrogram.child[merge] + N]
    ax.plot([left, right], [height[merge + N]] * 2, color="0.75", lw=1, zorder=0)
    for below in dendrogram.child[merge]:
        same = below >= 0 and number[below] == number[merge]
        style = {"color": colours[number[merge]], "lw": 3} if same else {"color": "0.75", "lw": 1, "zorder": 0}
        ax.plot([place[below + N]] * 2, [height[below + N], height[merge + N]], **style)
        if same:
            ax.plot([place[below + N], place[merge + N]], [height[merge + N]] * 2, **style)
ax.scatter(place[N:], height[N:], c=colours[number], s=30, zorder=3)
for members in (np.flatnonzero(number == i) for i in range(len(names))):
    assert all(parent[int(low)] == high for low, high in zip(members, members[1:]))  # that is why it is called a chain
ax.set(ylabel="height of the merge", xticks=[], xlim=(-1, N), ylim=(0, None))
ax.spines[["top", "right", "bottom"]].set_visible(False)
