"""Seconds from points to labels under other norms, on two CPU cores."""

import matplotlib.pyplot as plt

from benchmarks.charts import bars
from benchmarks.tables import number, rows

found = [row for row in rows("epyc-2-cores.md", "Lp norms") if "hdbscan, ms" in row]
names = []
for row in found:
    points, metric = row["set"].removeprefix("cpu-blobs3 ").split(", ")
    names.append(f"{metric.capitalize()}, {int(points):,} points")
figure, axes = plt.subplots(figsize=(7, 3.4))
seconds = {name: [number(row[f"{name}, ms"]) / 1000 for row in found] for name in ("emst", "hdbscan")}
bars(axes, names, seconds, "seconds, logarithmic")
