"""The first call on a machine, and the first call of a process."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, ORANGE
from benchmarks.tables import number, rows

found = rows("epyc-2-cores.md", "The first call")
names = [f"tree, {row['d']}-D, {row['dtype']}" for row in found]
figure, axes = plt.subplots(figsize=(6.6, 2.6))
columns = (("empty cache", ORANGE), ("filled cache", BLUE))
for shift, (column, colour) in zip((-0.2, 0.2), columns):
    seconds = [number(row[column]) for row in found]
    places = [place + shift for place in range(len(found))]
    axes.barh(places, seconds, height=0.38, color=colour, label=column)
    for place, value in zip(places, seconds):
        axes.text(value + 0.1, place, f"{value:.3g}", va="center", fontsize=8)
axes.set_yticks(range(len(found)), names)
axes.invert_yaxis()
axes.set_xlabel("seconds from the import to the result, 1,000 points")
axes.legend(fontsize=8)
axes.spines[["top", "right"]].set_visible(False)
