"""Tree search and brute force against the number of dimensions, on an H200."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, ORANGE
from benchmarks.tables import number, rows

figure, all_axes = plt.subplots(1, 3, figsize=(8.2, 3.2), sharey=True)
for axes, kind in zip(all_axes, ("uniform", "blobs", "10-D blobs")):
    found = rows("nvidia-h200.md", "Where brute force begins", set=kind)
    d = [number(row["d"]) for row in found]
    axes.plot(d, [number(row["hierarchy, ms"]) for row in found], "o-", color=BLUE, label="tree search")
    axes.plot(d, [number(row["brute force, ms"]) for row in found], "s--", color=ORANGE, label="all pairs in tiles")
    axes.set_yscale("log")
    axes.set_yticks([3, 10, 30, 100], ["3", "10", "30", "100"])
    axes.set_title(kind, fontsize=10)
    axes.set_xlabel("dimensions")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
all_axes[0].set_ylabel("milliseconds")
all_axes[0].legend(fontsize=8)
figure.tight_layout()
