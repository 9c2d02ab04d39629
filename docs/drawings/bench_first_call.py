"""The first call on a machine, and the first call of a process."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, ORANGE
from benchmarks.tables import number, rows

found = rows("epyc-2-cores-0.3.0.md", "The first call")
names = [f"tree, {row['d']}-D, {row['dtype']}" for row in found]
figure, axes = plt.subplots(figsize=(6.6, 2.6))
columns = (("empty cache", "0.3.0", ORANGE), ("warm cache", "0.3.0, warm cache", BLUE))
for shift, (label, column, colour) in zip((-0.2, 0.2), columns):
    seconds = [number(row[column]) for row in found]
    places = [place + shift for place in range(len(found))]
    axes.barh(places, seconds, height=0.38, color=colour, label=label)
    for place, value in zip(places, seconds):
        axes.text(value + 0.1, place, f"{value:.3g}", va="center", fontsize=8)
axes.set_yticks(range(len(found)), names)
axes.invert_yaxis()
axes.set_xlabel("seconds from the import to the result, 1,000 points")
axes.legend(fontsize=8)
axes.spines[["top", "right"]].set_visible(False)
