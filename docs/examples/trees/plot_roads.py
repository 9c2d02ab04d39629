"""
A network of roads
==================

``graph_msf`` finds the minimum spanning forest of a graph: of all its edges, the lightest that connect what the graph
connects. Here the graph is a network of roads between the towns of Europe, and the forest says how far a car must get
without a stop. :doc:`/guide/graphs` describes the function.
"""

# %%
# The network
# -----------
# The towns are from `GeoNames <https://www.geonames.org/>`__ (CC BY 4.0). The repository holds no real roads, so this
# page models them: a straight road leads from each town to its neighbours, which are those of a Delaunay
# triangulation. Roads of more than 50 km are left out, because most of them would cross the sea.
import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csgraph, csr_array
from scipy.spatial import Delaunay

from datasets import fetch
from emst import graph_msf

towns = np.load(fetch("places"))["places"]
east, north = towns["longitude"], towns["latitude"]
towns = towns[(east > -11) & (east < 41) & (north > 35) & (north < 64)]
latitude = np.radians(towns["latitude"].astype(float))
longitude = np.radians(towns["longitude"].astype(float))
positions = np.column_stack([longitude, np.arcsinh(np.tan(latitude))])  # Mercator's map

triangles = Delaunay(positions).simplices
pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
u, v = np.unique(np.sort(pairs, axis=1), axis=0).T
flat = np.cos(latitude)  # places on the unit sphere, to measure the roads
sphere = np.column_stack(
    [flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)]
)
km = 2 * 6371.0088 * np.arcsin(np.linalg.norm(sphere[u] - sphere[v], axis=1) / 2)
u, v, km = u[km <= 50], v[km <= 50], km[km <= 50]
print(f"{len(towns):,} towns, {len(km):,} roads, {km.sum():,.0f} km")

# %%
# The forest
# ----------
# Three arrays are enough: the two ends of each edge, and its weight. The forest has a tree for each component, which
# is what roads connect: the continent with Britain, and islands that are further away.
forest = graph_msf(u, v, km, n_vertices=len(towns), return_labels=True)
print(forest)
print(f"{len(forest.weight) / len(km):.0%} of the roads")
print(f"{forest.total_weight / km.sum():.0%} of the kilometres")

fig, ax = plt.subplots(figsize=(8.5, 7), layout="constrained")
forest.plot(positions, ax=ax)
ax.set_axis_off()
plt.show()

# %%
# What short roads connect
# ------------------------
# ``cut`` gives the groups that edges of at most a given weight connect, here roads of at most 6 km. The
# picture shows groups of 200 towns and more.
from emst.plots import plot_clusters

labels = forest.cut(6.0, min_cluster_size=200)
fig, ax = plt.subplots(figsize=(9.5, 6.2), layout="constrained")
plot_clusters(positions, labels, ax=ax)
ax.set_axis_off()
plt.show()

# %%
# How far must a car get without a stop?
# --------------------------------------
# A car drives from town to town and can be charged in each of them. Between two towns, the way within the forest has
# the shortest possible longest road. So the range that the car needs is the heaviest edge on this way. Among all roads
# of at most this length, we then take the shortest way.
start, goal = (np.flatnonzero(towns["name"] == name)[0] for name in ("Lisbon", "Stockholm"))
tree = forest.to_csr()
_, before = csgraph.breadth_first_order(tree, start, directed=False)


def way_to(town, before):
    way = [town]
    while before[way[-1]] >= 0:
        way.append(before[way[-1]])
    return np.array(way)


way = way_to(goal, before)
needed = max(tree[min(pair), max(pair)] for pair in zip(way[:-1], way[1:]))
short = km <= needed
roads = csr_array((km[short], (u[short], v[short])), shape=(len(towns), len(towns)))
length, before = csgraph.dijkstra(
    roads, directed=False, indices=start, return_predecessors=True
)
shortest = way_to(goal, before)
print(f"needed range: {needed:.1f} km")
print(f"the way: {length[goal]:,.0f} km, {len(shortest) - 2} towns to stop at")

fig, ax = plt.subplots(figsize=(8.5, 5.6), layout="constrained")
ax.scatter(*positions.T, s=0.3, color="0.7", linewidths=0)
ax.plot(*positions[way].T, color="tab:orange", linewidth=1, label="within the forest")
ax.plot(
    *positions[shortest].T,
    color="tab:blue",
    linewidth=2.5,
    label="the shortest with the same range",
)
for town in (start, goal):
    ax.text(*positions[town], f"  {towns['name'][town]}", va="bottom", weight="bold")
ax.set(aspect="equal")
ax.set_axis_off()
ax.legend(loc="lower right")
plt.show()

# %%
# Real roads
# ----------
# ``python -m datasets fetch ne-roads`` downloads Natural Earth's roads of the world, which are in the public domain.
# They are used in the same way::
#
#     from datasets import fetch
#     from datasets.graph_files import road_network
#
#     network = road_network(fetch("ne-roads"))
#     graph_msf(network.graph).plot(network.places[:, ::-1])
