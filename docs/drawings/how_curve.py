"""The order of points along the adaptive curve: the first grid, and a cell that has a grid of its own."""

import matplotlib.pyplot as plt
import numpy as np

from emst.cpu.points.order import curve_order

SMALL = 1e-11  # width of the dense group: all of it lies in one cell of the first grid, 2^-32 wide
CENTRE = np.array([0.7, 0.3])

g = np.random.default_rng(3)
dense = CENTRE + SMALL * g.uniform(-0.5, 0.5, (300, 2))
points = np.concatenate([g.uniform(0, 1, (500, 2)), dense])
rows, cells = curve_order(points, 1.0, keep=True)
inner = rows[cells.first[1] : cells.end[1]]  # the points of the second cell: that of level 1
assert cells.level.tolist() == [0, 1, 2]

figure, axes = plt.subplots(1, 2, figsize=(8, 4))
titles = f"all {len(points)} points", f"the {len(inner)} points of the circled cell, magnified"
for ax, shown, title in zip(axes, (points[rows], (points[inner] - CENTRE) / SMALL), titles):
    places = np.linspace(0, 1, len(shown))
    ax.plot(*shown.T, color="0.8", lw=0.8, zorder=0)
    ax.scatter(*shown.T, c=places, cmap="viridis", s=7)
    ax.set_title(title, fontsize=11)
    ax.set(aspect="equal", xticks=[], yticks=[])
axes[0].plot(*CENTRE, "o", ms=18, mfc="none", mec="#D55E00", mew=2)
figure.tight_layout()
