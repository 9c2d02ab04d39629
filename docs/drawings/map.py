"""Cities of the world and their spanning tree, which crosses the date line."""

import matplotlib.pyplot as plt
import numpy as np

from emst import EMST

CITIES = {
    "London": (51.5, -0.1), "Cairo": (30.0, 31.2), "Nairobi": (-1.3, 36.8), "Cape Town": (-33.9, 18.4),
    "Lagos": (6.5, 3.4), "Moscow": (55.8, 37.6), "Mumbai": (19.1, 72.9), "Singapore": (1.4, 103.8),
    "Tokyo": (35.7, 139.7), "Petropavlovsk": (53.0, 158.7), "Anchorage": (61.2, -149.9), "Honolulu": (21.3, -157.9),
    "Los Angeles": (34.1, -118.2), "New York": (40.7, -74.0), "Lima": (-12.0, -77.0), "São Paulo": (-23.6, -46.6),
    "Reykjavik": (64.1, -21.9), "Perth": (-32.0, 115.9), "Sydney": (-33.9, 151.2), "Suva": (-18.1, 178.4),
    "Apia": (-13.8, -171.8), "Auckland": (-36.8, 174.8),
}  # fmt: skip
places = np.array(list(CITIES.values()))
tree = EMST(metric="haversine", metric_params={"degrees": True, "radius": 6371.0088}).fit(places)

_, ax = plt.subplots(figsize=(9, 4.2), layout="constrained")
tree.plot(ax=ax)
for name, (latitude, longitude) in CITIES.items():
    ax.annotate(name, (longitude, latitude), (4, 4), textcoords="offset points", fontsize=8)
ax.set_xlim(-180, 180)
ax.set_ylim(-50, 75)
