"""Figure 6 of the ICPP'22 paper: emst over the fastest other program, beside the published range."""

import matplotlib.pyplot as plt

from benchmarks.charts import COLOURS
from benchmarks.papers.published import ICPP22_SPEEDUP
from benchmarks.tables import number, rows

found = rows("xeon-2-cores-icpp22.md", "Figure 6")
names = [row["set"].split()[0].rstrip(",") for row in found]
ratios = [number(row["speed-up of emst"]) for row in found]
places = range(len(found))
figure, axes = plt.subplots(figsize=(8, 4))
axes.hlines(places, 1, ratios, color="0.7", lw=1)
axes.plot(ratios, places, "o", color=COLOURS["emst"], label="emst over quitefastmst, two CPU cores")
for place, ratio in zip(places, ratios):
    axes.annotate(f"{ratio:.2f}", (ratio, place), (7, 0), textcoords="offset points", va="center", fontsize=8)
range_label = "published: ArborX over the fastest\nmultithreaded program (abstract)"
axes.axvspan(*ICPP22_SPEEDUP, color="0.92", zorder=0, label=range_label)
axes.axvline(1, color="black", lw=1)
axes.set_xscale("log")
axes.set_xlim(0.8, 30)
axes.set_xticks([1, 2, 4, 8, 16, 24], ["1", "2", "4", "8", "16", "24"])
axes.minorticks_off()
axes.set_yticks(places, names)
axes.invert_yaxis()
axes.set_xlabel("ratio of the rates, logarithmic")
axes.legend(fontsize=8, loc="center right")
axes.spines[["top", "right"]].set_visible(False)
