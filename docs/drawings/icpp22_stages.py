"""Figure 8 of the ICPP'22 paper: the share of each stage, for the Euclidean tree and for k = 16."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, GREEN, GREY, ORANGE, PINK, RED
from benchmarks.tables import number, rows

STAGES = {
    "order": ORANGE,
    "hierarchy of boxes": RED,
    "core distances": GREEN,
    "rounds": BLUE,
    "sorted edges": PINK,
    "dendrogram": GREY,
}
figure, both = plt.subplots(1, 2, figsize=(9, 4.6), sharey=True, layout="constrained")
for axes, k in zip(both, ("1", "16")):
    found = rows("xeon-2-cores-icpp22.md", "Figure 8", k=k)
    for place, row in enumerate(found):
        left, total = 0.0, number(row["sum"])
        for stage, colour in STAGES.items():
            share = 100 * number(row[stage]) / total
            axes.barh(place, share, left=left, color=colour, label=stage if place == 0 else None)
            left += share
    axes.set_yticks(range(len(found)), [row["set"].split()[0].rstrip(",") for row in found])
    axes.set_xlabel("percent of the sum of all stages")
    axes.set_title(f"k = {k}", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
both[0].invert_yaxis()
figure.legend(*both[0].get_legend_handles_labels(), fontsize=8, ncols=len(STAGES), loc="outside lower center")
