"""The labels and probabilities that new points would get, everywhere in the plane."""

import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCANGPU, approximate_predict
from emst.plots import cluster_colours

g = np.random.default_rng(0)
points = np.concatenate(
    [g.normal([0, 0], 0.5, (200, 2)), g.normal([4, 0.5], 0.9, (200, 2)), g.normal([1, 3.5], [1.2, 0.3], (200, 2))]
)
model = HDBSCANGPU(min_cluster_size=30, min_samples=10, prediction_data=True).fit(points)
low, high = points.min(0) - 0.5, points.max(0) + 0.5
size = (200 * (high - low) / (high - low).max()).astype(int)
x, y = (np.linspace(low[axis], high[axis], size[axis]) for axis in range(2))
labels, strength = approximate_predict(model, np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2))

colours = cluster_colours(model.labels_, points)
picture = np.ones((len(labels), 3))
inside = labels >= 0
picture[inside] += (0.15 + 0.55 * strength[inside, None]) * (colours[labels[inside]] - 1)
figure, ax = plt.subplots(figsize=(6.5, 5))
ax.imshow(picture.reshape(len(y), len(x), 3), origin="lower", extent=[low[0], high[0], low[1], high[1]])
shown = np.where(model.labels_[:, None] >= 0, colours[model.labels_], 0.55)
ax.scatter(*points.T, s=9, c=shown, edgecolor="white", lw=0.3)
ax.set(xticks=[], yticks=[])
