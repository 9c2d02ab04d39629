"""How many times as fast each work is on several threads as on one of before, beside as many times as there are."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, GREEN, GREY, ORANGE
from benchmarks.tables import number, rows

WORKS = {"tree, 2,000,000": BLUE, "labels, 2,000,000": GREEN, "forest": ORANGE}
table = rows("xeon-32-cores.md", "Works")
figure, axes = plt.subplots(figsize=(6.4, 3.8))
axes.plot([1, 32], [1, 32], color=GREY, lw=1, label="as many times as threads")
for work, colour in WORKS.items():
    of_work = [row for row in table if row["work"].startswith(work)]
    alone = number(of_work[0]["before, ms"])
    for column, style in (("after, ms", "-"), ("before, ms", ":")):
        known = [(number(row["threads"]), number(row[column])) for row in of_work if row[column] != "-"]
        threads, ms = zip(*known)
        label = of_work[0]["work"].replace(",000,000", " M").replace(", float64", "") + (
            ", before" if column == "before, ms" else ""
        )
        axes.plot(threads, [alone / one for one in ms], style, marker="o", ms=4, color=colour, label=label)
axes.set_xscale("log", base=2)
axes.set_yscale("log", base=2)
axes.set_xticks([1, 4, 16, 32], ["1", "4", "16", "32"])
axes.set_yticks([1, 2, 4, 8, 16, 32], ["1", "2", "4", "8", "16", "32"])
axes.set_xlabel("threads")
axes.set_ylabel("times as fast as one thread before")
axes.legend(fontsize=7)
axes.spines[["top", "right"]].set_visible(False)
