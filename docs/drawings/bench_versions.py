"""The time of version 0.4.0 divided by that of 0.3.0: a dot for each set."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, GREEN, ORANGE
from benchmarks.tables import number, rows

COLUMNS = {
    "labels, two CPU cores": ("xeon-2-cores.md", "after / before", BLUE),
    "labels, H200": ("nvidia-h200.md", "after / before", ORANGE),
    "all works, H200, not in turns": ("nvidia-h200.md", "0.4.0 / 0.3.0", GREEN),
}
figure, axes = plt.subplots(figsize=(6.6, 2.2))
names = []
for place, (name, (file, column, colour)) in enumerate(COLUMNS.items()):
    dots = [number(row[column]) for row in rows(file) if column in row]
    axes.scatter(dots, [place] * len(dots), color=colour, s=40, alpha=0.6, linewidths=0)
    names.append(f"{name} ({len(dots)})")
axes.axvline(1, color="black", lw=1)
axes.set_yticks(range(len(names)), names)
axes.invert_yaxis()
axes.margins(y=0.4)
axes.set_xlabel("ratio of the medians (below 1: version 0.4.0 is faster)")
axes.grid(axis="x", alpha=0.3)
axes.spines[["top", "right"]].set_visible(False)
