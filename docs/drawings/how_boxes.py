"""The boxes of the hierarchy, level by level."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PatchCollection

from emst import cpu

g = np.random.default_rng(1)
points = np.concatenate([g.normal([0, 0], 1, (5000, 2)), g.normal([5, 2], 0.7, (5000, 2)), g.uniform(-3, 8, (3000, 2))])
points = points[(points[:, 1] > -3) & (points[:, 1] < 5)]
index = cpu.build_index(points, cpu.curve_order(points, 1.0).rows, 1.0)

figure, axes = plt.subplots(1, 3, figsize=(8.6, 2.6))
for level, (ax, (count, size)) in enumerate(zip(axes, index.levels, strict=True)):
    low, high = index.boxes(level)
    ax.scatter(*points.T, s=0.2, color="0.75")
    patches = [plt.Rectangle(corner, *extent) for corner, extent in zip(low, high - low)]
    ax.add_collection(PatchCollection(patches, facecolor="none", edgecolor="#0072B2", lw=[0.4, 0.9, 1.3][level]))
    ax.set_title(f"level {level}: {count} boxes\nof up to {size:,} points", fontsize=10)
    ax.set(aspect="equal", xticks=[], yticks=[])
figure.tight_layout()
