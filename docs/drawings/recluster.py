"""Number of clusters and share of noise over min_cluster_size, all from one tree."""

import matplotlib.pyplot as plt
import numpy as np

from emst import HDBSCANGPU

g = np.random.default_rng(4)
centres = [(-6, -4), (0, -5), (7, -4), (-5, 5), (1, 4), (8, 5)]
X = np.concatenate([g.normal(c, s, (300, 2)) for c, s in zip(centres, g.uniform(0.4, 1.0, 6))])
X = np.concatenate([X, g.uniform(-13, 13, (150, 2))])
model = HDBSCANGPU(min_cluster_size=5, min_samples=5).fit(X)
sizes = np.unique(np.geomspace(3, 400, 40).astype(int))
fits = [model.recluster(min_cluster_size=int(size)) for size in sizes]

_, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.step(sizes, [m.labels_.max() + 1 for m in fits], where="post", color="#0072b2")
ax.set_xscale("log")
ax.set_xlabel("min_cluster_size")
ax.set_ylabel("clusters", color="#0072b2")
ax.set_ylim(0, None)
other = ax.twinx()
other.step(sizes, [100 * (m.labels_ == -1).mean() for m in fits], where="post", color="#d55e00", linestyle="--")
other.set_ylabel("noise, %", color="#d55e00")
other.set_ylim(0, 100)
