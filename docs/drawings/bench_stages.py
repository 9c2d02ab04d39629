"""The share of each stage of a clustering on the CPU."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, GREEN, ORANGE, PINK, RED
from benchmarks.tables import number, rows

STAGES = {"tree": BLUE, "linkage": ORANGE, "condense": GREEN, "select": RED, "label_points": PINK}
figure, axes = plt.subplots(figsize=(7, 3.2))
found = [row for row in rows("epyc-2-cores-hdbscan.md") if "stages, ms" in row]
for place, row in enumerate(found):
    left, total = 0.0, number(row["sum"])
    for stage, colour in STAGES.items():
        share = 100 * number(row[stage]) / total
        axes.barh(place, share, left=left, color=colour, label=stage if place == 0 else None)
        left += share
    axes.text(101, place, f"{total:.3g} ms", va="center", fontsize=8)
axes.set_yticks(range(len(found)), [f"{row['stages, ms'].removeprefix('cpu-')}, k={row['k']}" for row in found])
axes.tick_params(labelsize=8)
axes.invert_yaxis()
axes.set_xlabel("percent of the sum of all stages")
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
figure.legend(fontsize=8, ncols=5, loc="upper center", bbox_to_anchor=(0.5, 0))
