"""Small inputs on an H200: milliseconds against the number of points in the plane."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, ORANGE
from benchmarks.tables import number, rows

found = [row for row in rows("nvidia-h200-0.3.0.md", "Small inputs") if row.get("n x d", "").endswith("x 2")]
figure, axes = plt.subplots(figsize=(6.6, 3.8))
for what, colour in (("tree", BLUE), ("labels", ORANGE)):
    for k, line in (("1", "o-"), ("5", "s--")):
        chosen = [row for row in found if row["min_samples"] == k]
        n = [number(row["n x d"]) for row in chosen]
        axes.plot(n, [number(row[f"{what}, ms"]) for row in chosen], line, ms=5, color=colour, label=f"{what}, k={k}")
axes.axvline(8192, color="0.6", lw=0.8, ls=":")
axes.text(8100, 0.2, "one launch up to 8,192 points", ha="right", fontsize=8)
axes.set_ylim(0)
axes.set_xlabel("points")
axes.set_ylabel("milliseconds")
axes.legend(fontsize=8)
axes.grid(alpha=0.25)
axes.spines[["top", "right"]].set_visible(False)
