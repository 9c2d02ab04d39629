"""The boxes that a packet of 16 points cannot skip when it searches core distances."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PatchCollection

from emst import cpu

K = 9  # the point itself and 8 others
g = np.random.default_rng(1)
points = np.concatenate([g.normal([0, 0], 1, (1500, 2)), g.normal([5, 2], 0.7, (1500, 2)), g.uniform(-3, 8, (800, 2))])
points = points[(points[:, 1] > -3) & (points[:, 1] < 5)]
index = cpu.build_index(points, cpu.curve_order(points, 1.0).rows, 1.0)
radius = np.sqrt(cpu.core_distances(index, K))
inside = index.points()
leaf = index.leaves * 3 // 5
packet = slice(16 * leaf, 16 * leaf + 16)


def needed(level):
    """Which boxes of a level lie within the radius of a point of the packet."""
    low, high = index.boxes(level)
    gap = np.maximum(0, np.maximum(low - inside[packet, None], inside[packet, None] - high))
    return (np.linalg.norm(gap, axis=2) <= radius[packet, None]).any(axis=0)


figure, axes = plt.subplots(1, 2, figsize=(8.6, 3.5), gridspec_kw={"width_ratios": [1.35, 1]})
for ax in axes:
    ax.scatter(*inside.T, s=0.5, color="0.7")
    for level, colour, width in ((0, "#0072B2", 0.9), (1, "#D55E00", 1.6)):
        low, high = index.boxes(level)
        patches = np.array([plt.Rectangle(corner, *extent) for corner, extent in zip(low, high - low)])
        opened = needed(level)
        ax.add_collection(PatchCollection(patches[~opened], facecolor="none", edgecolor="0.85", lw=width, zorder=0))
        ax.add_collection(PatchCollection(patches[opened], facecolor="none", edgecolor=colour, lw=width))
    circles = [plt.Circle(point, r) for point, r in zip(inside[packet], radius[packet])]
    ax.add_collection(PatchCollection(circles, facecolor="#009E73", alpha=0.08, edgecolor="none"))
    ax.scatter(*inside[packet].T, s=9, color="#009E73", zorder=3)
    ax.set(aspect="equal", xticks=[], yticks=[])
leaves, nodes = needed(0), needed(1)
axes[0].set_title(
    f"{leaves.sum()} of {len(leaves)} leaves (blue),\n{nodes.sum()} of {len(nodes)} nodes above (orange)", fontsize=10
)
axes[1].set_title("the packet, magnified", fontsize=10)
middle = inside[packet].mean(axis=0)
span = 1.6 * np.abs(inside[packet] - middle).max() + radius[packet].max()
axes[1].set(xlim=middle[0] + span * np.array([-1.2, 1.2]), ylim=middle[1] + span * np.array([-1, 1]))
figure.tight_layout()
