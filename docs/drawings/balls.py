"""The points at one distance from a centre, for six metrics."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import pairwise_distances

METRICS = [
    ("manhattan", {}), ("minkowski", {"p": 1.5}), ("euclidean", {}),
    ("minkowski", {"p": 4}), ("chebyshev", {}), ("cosine", {}),
]  # fmt: skip
grid = np.linspace(-1.3, 1.3, 401)
x, y = np.meshgrid(grid, grid)
places = np.c_[x.ravel(), y.ravel()]

_, axes = plt.subplots(2, 3, figsize=(7, 4.8), layout="constrained")
for ax, (metric, parameters) in zip(axes.flat, METRICS):
    angular = metric == "cosine"
    centre = [[1.0, 0.5]] if angular else [[0.0, 0.0]]
    height = 1 - np.cos(np.radians(20)) if angular else 1
    distance = pairwise_distances(places, centre, metric=metric, **parameters).reshape(x.shape)
    ax.contourf(x, y, distance, levels=[0, height], colors=["#0072b2"], alpha=0.15)
    ax.contour(x, y, distance, levels=[height], colors=["#0072b2"])
    ax.scatter(*centre[0], color="black", s=14)
    ax.set_title(" ".join([metric, *(f"p = {p}" for p in parameters.values())]), fontsize=10)
    ax.set_aspect("equal")
    ax.set_xticks([-1, 0, 1])
    ax.set_yticks([-1, 0, 1])
    ax.tick_params(labelsize=8)
