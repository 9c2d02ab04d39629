"""Figure 9 of the ICPP'22 paper: time for k from 1 to 64, relative to k = 1."""

import matplotlib.pyplot as plt

from benchmarks.charts import COLOURS
from benchmarks.tables import number, rows

FILE = "xeon-2-cores-icpp22.md"
sets = list(dict.fromkeys(row["set"] for row in rows(FILE, "Figure 9")))
figure, both = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for axes, name in zip(both, sets):
    for program, marker in (("emst", "o"), ("quitefastmst", "s")):
        found = [row for row in rows(FILE, "Figure 9", set=name) if row["contestant"].startswith(program)]
        ks, ratios = [number(row["k"]) for row in found], [number(row["ratio to k = 1"]) for row in found]
        axes.plot(ks, ratios, marker=marker, ms=5, color=COLOURS[program], label=f"{program}, two CPU cores")
    axes.set_title(name.split()[0], fontsize=10)
    axes.set_xscale("log", base=2)
    axes.set_xticks([1, 2, 4, 8, 16, 32, 64], ["1", "2", "4", "8", "16", "32", "64"])
    axes.set_xlabel("k")
    axes.legend(fontsize=8)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
both[0].set_ylim(bottom=0)
both[0].set_ylabel("time / time for k = 1")
