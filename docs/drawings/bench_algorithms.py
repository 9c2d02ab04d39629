"""The published graph algorithms beside the default, on an H200: against the mean degree."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, GREEN, ORANGE, PINK, RED
from benchmarks.tables import number, rows

ALGORITHMS = {"boruvka": BLUE, "partial-prim": ORANGE, "contraction": GREEN, "primitives": RED, "hybrid": PINK}
figure, all_axes = plt.subplots(2, 2, figsize=(7.8, 6), sharey=True)
for axes, kind in zip(all_axes.flat, ("R-MAT", "Erdős–Rényi", "Watts–Strogatz", "SSCA#2")):
    found = rows("nvidia-h200-graph-papers.md", "Degree", graph=kind)
    degrees = [number(row["degree"]) for row in found]
    for (name, colour), marker in zip(ALGORITHMS.items(), "oP^vX"):
        axes.plot(degrees, [number(row[name]) for row in found], marker=marker, ms=5, color=colour, label=name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(degrees, [f"{d:.0f}" for d in degrees])
    axes.set_xlabel("mean degree")
    axes.set_ylabel("milliseconds")
    axes.set_title(kind, fontsize=10)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
figure.legend(
    *all_axes[0, 0].get_legend_handles_labels(), fontsize=8, ncols=5, loc="lower center", bbox_to_anchor=(0.5, -0.07)
)
figure.tight_layout()
