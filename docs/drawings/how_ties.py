"""What can go wrong with ties: three points at equal distances, and the edge that every component chooses."""

import matplotlib.pyplot as plt
import numpy as np

POINTS = np.array([[0, 0], [1, 0], [0.5, 0.75**0.5]])
EDGES = [(0, 1), (0, 2), (1, 2)]  # in the total order: all weigh 1, so the ids decide
COLOURS = ["#0072B2", "#D55E00", "#009E73"]
ANY = [1, 2, 0]  # the other end of the edge that each point chooses, ties broken anyhow
FIRST = [next(b if a == point else a for a, b in EDGES if point in (a, b)) for point in range(3)]

figure, axes = plt.subplots(1, 2, figsize=(7.5, 3.2))
titles = "ties broken anyhow: a cycle of three", "the first edge in the total order: a tree"
for ax, chosen, title in zip(axes, (ANY, FIRST), titles):
    ax.plot(*POINTS[[0, 1, 2, 0]].T, color="0.85", lw=1, ls="--", zorder=0)
    for point, other in enumerate(chosen):
        a, b = POINTS[point], POINTS[other]
        side = np.array([a[1] - b[1], b[0] - a[0]]) * 0.04  # so that two arrows of one edge do not hide each other
        ax.annotate(
            "", a + 0.88 * (b - a) - side, a + 0.12 * (b - a) - side,
            arrowprops={"arrowstyle": "-|>", "lw": 2, "color": COLOURS[point], "mutation_scale": 18},
        )  # fmt: skip
        ax.plot(*a, "o", ms=20, color=COLOURS[point])
        ax.text(*a, str(point), color="white", ha="center", va="center", weight="bold")
    ax.set_title(title, fontsize=11)
    ax.set(aspect="equal", xlim=(-0.25, 1.25), ylim=(-0.2, 1.1))
    ax.axis("off")
figure.tight_layout()
