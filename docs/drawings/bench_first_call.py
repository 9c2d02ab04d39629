"""The first call on a machine, and the first call of a process."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, ORANGE
from benchmarks.tables import number, rows

found = rows("xeon-2-cores.md", "The first call")
empty, filled = ([row for row in found if row["contestant"].endswith(f"{kind} cache")] for kind in ("empty", "filled"))
names = []
for row in empty:
    what, d = "tree" if row["contestant"].startswith("emst") else "labels", row["n x d"].split(" x ")[1]
    names.append(f"{what}, {d}-D, {row['dtype']}, k = {row['k']}")
figure, axes = plt.subplots(figsize=(6.6, 4.4))
for shift, title, table, colour in ((-0.2, "empty cache", empty, ORANGE), (0.2, "filled cache", filled, BLUE)):
    seconds = [number(row["median ms"]) / 1000 for row in table]
    places = [place + shift for place in range(len(table))]
    axes.barh(places, seconds, height=0.38, color=colour, label=title)
    for place, value in zip(places, seconds):
        axes.text(value + 0.1, place, f"{value:.3g}", va="center", fontsize=8)
axes.set_yticks(range(len(names)), names)
axes.invert_yaxis()
axes.set_xlabel("seconds from the start of a process to the result, 1,000 points")
axes.legend(fontsize=8)
axes.spines[["top", "right"]].set_visible(False)
