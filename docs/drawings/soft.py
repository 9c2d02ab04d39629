"""Membership vectors as mixed colours."""

import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCANGPU, all_points_membership_vectors

g = np.random.default_rng(5)
X = np.concatenate([g.normal(c, 0.8, (500, 2)) for c in ((0, 0), (4, 0), (2, 3.4))] + [g.uniform(-4, 8, (250, 2))])
model = HDBSCANGPU(min_cluster_size=100, min_samples=10).fit(X)
vectors = all_points_membership_vectors(model)
colours = np.array([[0.0, 0.45, 0.7], [0.84, 0.37, 0.0], [0.0, 0.62, 0.45]])[: vectors.shape[1]]
total = vectors.sum(axis=1, keepdims=True)
mixed = (vectors @ colours) / np.maximum(total, 1e-12)
strength = np.sqrt(np.clip(total, 0, 1))
shown = 0.88 + strength * (mixed - 0.88)

_, (left, right) = plt.subplots(1, 2, figsize=(8.5, 4), layout="constrained", sharey=True)
hard = np.r_[colours, [[0.8, 0.8, 0.8]]][model.labels_]
left.scatter(*X.T, s=10, color=hard)
left.set_title("labels", fontsize=10)
right.scatter(*X.T, s=10, color=shown)
right.set_title("membership vectors", fontsize=10)
for ax in (left, right):
    ax.set_aspect("equal")
