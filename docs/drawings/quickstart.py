"""The map of quickstart.md."""

import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCANGPU
from emst.plots import plot_clusters

g = np.random.default_rng(0)
towns = np.c_[g.uniform(47, 55, 25), g.uniform(6, 15, 25)]
places = [g.normal(town, (0.05, 0.08), (400, 2)) for town in towns]
places = np.concatenate([*places, g.uniform((47, 6), (55, 15), (1000, 2))])
km = {"degrees": True, "radius": 6371.0088}
model = HDBSCANGPU(min_cluster_size=100, min_samples=10, metric="haversine", metric_params=km).fit(places)

plt.figure(figsize=(7, 7), layout="constrained")
plot_clusters(places, model.labels_, model.probabilities_, geographic="degrees")
