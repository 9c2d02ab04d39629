"""
Towns of the world, in kilometres
=================================

Latitude and longitude are angles, not coordinates of a plane: a degree of longitude is short near the poles, and 180
degrees east is the same as 180 degrees west. The metric ``haversine`` measures on the sphere, so that all lengths are
kilometres and no part of the world is torn apart.
"""

# %%
# The towns
# ---------
# About 147,000 places of at least 1,000 people. They are from
# `GeoNames <https://www.geonames.org/>`__, under the licence CC BY 4.0. The coasts on the maps are from
# `Natural Earth <https://www.naturalearthdata.com/>`__ and in the public domain.
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm

from datasets import fetch, load
from emst import EMST, HDBSCAN
from emst.plots import plot_clusters

places = np.load(fetch("places"))["places"]
X = np.stack([places["latitude"], places["longitude"]], axis=1)  # latitude first
outlines = load("land")
km = {"degrees": True, "radius": 6371.0088}  # input in degrees, lengths in kilometres


def draw_coasts(ax):
    ax.plot(*outlines.T, color="0.5", linewidth=0.5, zorder=0)


# %%
# Regions where many people live
# ------------------------------
# At least 200 towns make a region. ``geographic="degrees"`` tells the plot that the points are latitude and longitude.
model = HDBSCAN(
    min_cluster_size=200,
    min_samples=20,
    metric="haversine",
    metric_params=km,
    store_centers="centroid",
).fit(X)

fig, ax = plt.subplots(figsize=(10, 4.3), layout="constrained")
draw_coasts(ax)
plot_clusters(X, model.labels_, model.probabilities_, ax=ax, geographic="degrees")
ax.set(xlim=(-180, 180), ylim=(-58, 80))
plt.show()

# %%
# Each region, named by its largest city, with its center. Centers are means on the sphere.
for i in np.argsort(-np.bincount(model.labels_[model.labels_ >= 0]))[:10]:
    region = places[model.labels_ == i]
    city = region[region["population"].argmax()]
    latitude, longitude = model.centroids_[i]
    millions = region["population"].sum() / 1e6
    print(
        f"{city['name'] or '(a town)'}, {city['country']}: {len(region):,} towns, "
        f"{millions:.0f} million people, around {latitude:.1f}, {longitude:.1f}"
    )

# %%
# How lonely is a town?
# ---------------------
# The core distance of a town is the distance to its ``min_samples``-th nearest town, itself included. Here this is the
# radius, in km, of the smallest circle around it that holds twenty towns.
radius = model.core_distances_
order = np.argsort(-radius)  # lonely towns first, so that they do not cover the others

fig, ax = plt.subplots(figsize=(10, 4.6), layout="constrained")
draw_coasts(ax)
dots = ax.scatter(
    X[order, 1],
    X[order, 0],
    c=radius[order],
    s=0.7,
    norm=LogNorm(3, 300),
    cmap="viridis",
    linewidths=0,
)
ax.set(
    xlim=(-180, 180),
    ylim=(-58, 80),
    xlabel="longitude",
    ylabel="latitude",
    aspect=1 / np.cos(np.radians(30)),
)
fig.colorbar(dots, label="radius (km)", shrink=0.8, extend="both")
plt.show()
print(f"half of the towns: at most {np.median(radius):.0f} km")
print(f"the loneliest: {radius.max():,.0f} km")

# %%
# Connected over at most 30 km
# ----------------------------
# A tree under the same metric answers other questions. Which towns can you reach if you can go 30 km at a time, from
# town to town? ``cut`` takes kilometres.
mst = EMST(metric="haversine", metric_params=km).fit(X)
groups = mst.cut(30.0)
sizes = np.bincount(groups)
print(f"{len(sizes):,} groups; towns of the largest three:", np.sort(sizes)[:-4:-1])

# %%
# Around the date line
# --------------------
# Islands of the Pacific lie on both sides of 180 degrees. In a plane of degrees they would be a world apart. On the
# sphere, edges of the tree cross the date line, and the plot draws such places in one piece.
pacific = ((X[:, 1] > 165) | (X[:, 1] < -165)) & (X[:, 0] > -23) & (X[:, 0] < -12)
islands = EMST(metric="haversine", metric_params=km).fit(X[pacific])

fig, ax = plt.subplots(figsize=(9, 4.4), layout="constrained")
ax.plot(outlines[:, 0] % 360, outlines[:, 1], color="0.5", linewidth=0.7)
islands.plot(ax=ax)
ax.set(xlim=(163.5, 190.5), ylim=(-23.5, -12))
ax.set_title(f"{pacific.sum()} towns from New Caledonia to Samoa; lengths of edges in km")
plt.show()
