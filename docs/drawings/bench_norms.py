"""Seconds from points to labels under other norms, on two CPU cores."""

import matplotlib.pyplot as plt

from benchmarks.charts import bars
from benchmarks.tables import number, rows

CONTESTANTS = {"emst": "HDBSCANGPU", "hdbscan": "hdbscan"}
found = rows("xeon-2-cores.md", "Lp norms")
names = []
for name in dict.fromkeys(row["set"] for row in found):
    points, metric = name.removeprefix("cpu-blobs3 ").split(", ")
    names.append(f"{metric.capitalize()}, {int(points):,} points")
seconds = {
    title: [number(row["median ms"]) / 1000 for row in found if row["contestant"] == contestant]
    for title, contestant in CONTESTANTS.items()
}
figure, axes = plt.subplots(figsize=(7, 3.4))
bars(axes, names, seconds, "seconds, logarithmic")
