"""Components that are left after each round of Borůvka's algorithm."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, GREEN, GREY, MARKERS, ORANGE, PINK, RED, SKY
from benchmarks.tables import rows

COLOURS = (BLUE, ORANGE, GREEN, RED, PINK, SKY, GREY, "black")
figure, both = plt.subplots(1, 2, figsize=(8.2, 4.2), sharey=True)
FILES = {
    "500,000 points": ("xeon-2-cores.md", "Every k"),
    "60,000 to 12 M points": ("nvidia-h200.md", "Uneven data"),
}
for axes, (title, place) in zip(both, FILES.items()):
    for number, row in enumerate(row for row in rows(*place) if "components after each round" in row):
        left = [int(count.replace(",", "")) for count in row["components after each round"].split()]
        name = f"{row['stages, ms'].removeprefix('cpu-').removesuffix(' 500000')}, k={row['k']}"
        axes.plot(range(1, len(left) + 1), left, marker=MARKERS[number], color=COLOURS[number], ms=4, lw=1, label=name)
    axes.set_yscale("log")
    axes.set_xlabel("round")
    axes.set_title(title, fontsize=10)
    axes.legend(fontsize=7)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
both[0].set_ylabel("components left")
figure.tight_layout()
