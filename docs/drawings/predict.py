"""What predict answers for every place of the plane."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from emst import HDBSCANGPU
from emst.plots import cluster_colours, plot_clusters

g = np.random.default_rng(3)
X = np.concatenate([make_moons(600, noise=0.1, random_state=3)[0], g.uniform([-1.7, -1.2], [2.7, 1.7], (60, 2))])
model = HDBSCANGPU(min_cluster_size=50, min_samples=10).fit(X)
x, y = np.meshgrid(np.linspace(-1.8, 2.8, 460), np.linspace(-1.3, 1.8, 310))
labels = model.predict(np.c_[x.ravel(), y.ravel()]).reshape(x.shape)
colours = np.r_[cluster_colours(model.labels_, X), [[1, 1, 1]]]  # -1 is the last row

_, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
ax.imshow(0.65 + 0.35 * colours[labels], origin="lower", extent=(-1.8, 2.8, -1.3, 1.8), interpolation="nearest")
plot_clusters(X, model.labels_, ax=ax)
ax.set_aspect("equal")
