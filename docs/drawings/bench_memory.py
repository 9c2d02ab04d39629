"""Bytes per point beyond the input, against min_samples."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE
from benchmarks.tables import number, rows

COLUMN = "bytes/point beyond input"
gpu = {}
for section in ("Trees", "Labels", "Every k"):
    for row in rows("nvidia-h200.md", section):
        if row.get(COLUMN, "-") != "-":
            gpu[int(row["k"])] = max(gpu.get(int(row["k"]), 0), number(row[COLUMN]))
k = sorted(gpu)
figure, axes = plt.subplots(figsize=(5, 3.4))
axes.bar([str(value) for value in k], [gpu[value] for value in k], color=BLUE)
for place, value in enumerate(k):
    axes.text(place, gpu[value] + 2, f"{gpu[value]:.0f}", ha="center", fontsize=8)
axes.set_xlabel("min_samples")
axes.set_ylabel("bytes a point, float32")
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
