"""Tree search and products of all pairs against the number of dimensions, on an H200."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, ORANGE
from benchmarks.tables import number, rows

figure, all_axes = plt.subplots(1, 3, figsize=(8.2, 3.2), sharey=True)
for axes, kind in zip(all_axes, ("uniform", "blobs", "8 intrinsic")):
    found = rows("nvidia-h200-0.3.0.md", "Where products begin", set=kind, n="300,000")
    d = [number(row["d"]) for row in found]
    for place, (k, line) in enumerate((("1", "-"), ("16", "--"))):
        for name, colour, marker in (("hierarchy", BLUE, "o"), ("products", ORANGE, "s")):
            values = [number(row[name].split("/")[place]) for row in found]
            axes.plot(d, values, marker + line, color=colour, label=f"{name}, k={k}")
    axes.set_yscale("log")
    axes.set_xticks(d)
    axes.set_yticks([100, 300, 1000, 3000], ["100", "300", "1,000", "3,000"])
    axes.set_title(kind, fontsize=10)
    axes.set_xlabel("dimensions")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
all_axes[0].set_ylabel("milliseconds")
all_axes[1].legend(fontsize=8)
figure.tight_layout()
