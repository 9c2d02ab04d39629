"""The time of labels by version 0.4.0 divided by that of 0.3.0: a dot for each set."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, ORANGE
from benchmarks.tables import number, rows

FILES = {"two CPU cores": ("xeon-2-cores.md", BLUE), "H200": ("nvidia-h200.md", ORANGE)}
figure, axes = plt.subplots(figsize=(6.6, 1.8))
names = []
for place, (machine, (file, colour)) in enumerate(FILES.items()):
    dots = [number(row["after / before"]) for row in rows(file) if "after / before" in row]
    axes.scatter(dots, [place] * len(dots), color=colour, s=40, alpha=0.6, linewidths=0)
    names.append(f"labels, {machine} ({len(dots)})")
axes.axvline(1, color="black", lw=1)
axes.set_yticks(range(len(names)), names)
axes.invert_yaxis()
axes.margins(y=0.4)
axes.set_xlabel("ratio of the medians (below 1: version 0.4.0 is faster)")
axes.grid(axis="x", alpha=0.3)
axes.spines[["top", "right"]].set_visible(False)
