"""Bytes per point beyond the input: beside peers on the CPU, and against min_samples on the GPU."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, bars
from benchmarks.tables import number, rows

SETS = [("cpu-uniform2", "1"), ("cpu-uniform3", "1"), ("cpu-uniform2", "6"), ("cpu-blobs3", "6")]
cpu = {
    (row["set"], row["k"], row["contestant"]): number(row["bytes/point beyond input"])
    for row in rows("epyc-2-cores.md", "All figures")
    if "contestant" in row
}
figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.8))
bars(
    left,
    [f"{key.removeprefix('cpu-')}, k={k}" for key, k in SETS],
    {name: [cpu.get((*key, name)) for key in SETS] for name in ("emst", "quitefastmst", "mlpack")},
    "bytes a point, float64, 1 M points",
    log=False,
)
left.set_title("trees, two CPU cores", fontsize=10)

FILE = "nvidia-h200-0.3.0.md"
gpu = {int(row["k"]): number(row["now"]) for row in rows(FILE, "The goal column") if "k" in row}
gpu |= {int(row["k"]): number(row["bytes/point beyond input"]) for row in rows(FILE, "Every k") if "MFeatures/s" in row}
k = sorted(gpu)
right.bar([str(value) for value in k], [gpu[value] for value in k], color=BLUE)
for place, value in enumerate(k):
    right.text(place, gpu[value] + 2, f"{gpu[value]:.0f}", ha="center", fontsize=8)
right.set_xlabel("min_samples")
right.set_ylabel("bytes a point, float32")
right.set_title("trees, H200", fontsize=10)
right.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
