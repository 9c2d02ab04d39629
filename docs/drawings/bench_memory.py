"""Bytes per point beyond the input, against min_samples."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE
from benchmarks.tables import number, rows

FILE = "nvidia-h200-0.3.0.md"
gpu = {int(row["k"]): number(row["now"]) for row in rows(FILE, "The goal column") if "k" in row}
gpu |= {int(row["k"]): number(row["bytes/point beyond input"]) for row in rows(FILE, "Every k") if "MFeatures/s" in row}
k = sorted(gpu)
figure, axes = plt.subplots(figsize=(5, 3.4))
axes.bar([str(value) for value in k], [gpu[value] for value in k], color=BLUE)
for place, value in enumerate(k):
    axes.text(place, gpu[value] + 2, f"{gpu[value]:.0f}", ha="center", fontsize=8)
axes.set_xlabel("min_samples")
axes.set_ylabel("bytes a point, float32")
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
