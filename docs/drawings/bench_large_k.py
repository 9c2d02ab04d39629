"""Time of trees against min_samples."""

import matplotlib.pyplot as plt

from benchmarks.charts import lines
from benchmarks.tables import number, rows

cpu = {name: rows("xeon-2-cores.md", "Every k", contestant=name) for name in ("quitefastmst", "emst")}
gpu = [row for row in rows("nvidia-h200.md", "Every k") if "MFeatures/s" in row]
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.8))
lines(
    left,
    {
        name: ([number(row["k"]) for row in found], [number(row["median ms"]) / 1000 for row in found])
        for name, found in cpu.items()
    },
    "min_samples",
    "seconds",
)
left.set_title("500,000 points, two CPU cores", fontsize=10)
lines(
    right,
    {"emst": ([number(row["k"]) for row in gpu], [number(row["median ms"]) for row in gpu])},
    "min_samples",
    "milliseconds",
)
right.set_ylim(1, 20)
right.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
right.set_title("1,000,000 points, H200", fontsize=10)
for axes, row in ((left, cpu["emst"]), (right, gpu)):
    axes.set_xticks([number(r["k"]) for r in row], [r["k"] for r in row])
    axes.minorticks_off()
figure.tight_layout()
