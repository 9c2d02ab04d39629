"""Figure 7 of the ICPP'22 paper: rates of samples of a set."""

import matplotlib.pyplot as plt
from matplotlib.ticker import EngFormatter

from benchmarks.charts import COLOURS
from benchmarks.tables import number, rows

figure, axes = plt.subplots(figsize=(8, 4))
for program, marker in (("emst", "o"), ("quitefastmst", "s")):
    found = rows("xeon-2-cores-icpp22.md", "Figure 7", contestant=program)
    sizes, rates = [number(row["n x d"]) for row in found], [number(row["MFeatures/s"]) for row in found]
    axes.plot(sizes, rates, marker=marker, ms=5, color=COLOURS[program], label=program)
axes.set_xscale("log")
axes.xaxis.set_major_formatter(EngFormatter(sep=" "))
axes.set_xlabel("points in the sample")
axes.set_ylabel("MFeatures/s")
axes.set_ylim(0)
axes.legend(fontsize=8)
axes.grid(alpha=0.25)
axes.spines[["top", "right"]].set_visible(False)
