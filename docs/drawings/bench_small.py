"""Small inputs on an H200: milliseconds against the number of points in the plane."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, ORANGE
from benchmarks.tables import number, rows

figure, axes = plt.subplots(figsize=(6.6, 3.8))
for k, line, colour in (("1", "o-", BLUE), ("5", "s--", ORANGE)):
    found = rows("nvidia-h200.md", "Small sets", k=k)
    n, ms = ([number(row[column]) for row in found] for column in ("n x d", "median ms"))
    axes.plot(n, ms, line, ms=5, color=colour, label=f"tree, k={k}")
for k, most, height in ((1, 8_192, 0.2), (5, 10_240, 0.5)):
    axes.axvline(most, color="0.6", lw=0.8, ls=":")
    axes.text(most - 100, height, f"k={k}: one launch up to {most:,} points", ha="right", fontsize=8)
axes.set_ylim(0)
axes.set_xlabel("points")
axes.set_ylabel("milliseconds")
axes.legend(fontsize=8)
axes.grid(alpha=0.25)
axes.spines[["top", "right"]].set_visible(False)
