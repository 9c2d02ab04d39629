"""Seconds of the stages of a tree on one and on two H200, beside one device without Dask."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, GREEN, ORANGE, PINK, RED
from benchmarks.tables import number, rows

STAGES = {
    "sample": PINK,
    "sort": ORANGE,
    "border": RED,
    "local trees and rounds": BLUE,
    "input and result": GREEN,
}
runs = [row for row in rows("dask.md", "Two H200") if "efficiency" in row]
stages = [row for row in rows("dask.md", "Two H200") if "stages, ms" in row]
figure, axes = plt.subplots(figsize=(6.4, 4))
for place, (run, stage) in enumerate(zip(runs, stages)):
    left = 0.0
    for name, colour in STAGES.items():
        seconds = number(stage[name]) / 1000
        axes.barh(place, seconds, left=left, color=colour, label=name if place == 0 else None)
        left += seconds
    axes.text(left + 0.01, place, f"{left:.2f} s", va="center", fontsize=8)
    alone = number(run["alone s"])
    axes.plot(
        [alone, alone],
        [place - 0.4, place + 0.4],
        color="black",
        lw=2,
        label="one device alone" if place == 0 else None,
    )
axes.set_yticks(
    range(len(runs)),
    [f"{run['set']}, {number(run['points']) / 1e6:.0f} M points, {run['workers']} GPU" for run in runs],
)
axes.invert_yaxis()
axes.set_xlabel("seconds")
axes.legend(fontsize=8, ncols=3, bbox_to_anchor=(0.4, -0.15), loc="upper center")
axes.spines[["top", "right"]].set_visible(False)
