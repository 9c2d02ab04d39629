"""Figure 7 of the ICPP'22 paper: rates of samples of a set."""

import matplotlib.pyplot as plt
from matplotlib.ticker import EngFormatter

from benchmarks.papers.charts import COLOURS, CPU, number, rows_of

rows = rows_of(CPU, "Figure 7")
figure, axes = plt.subplots(figsize=(7, 3.8), layout="constrained")
for program in ("emst", "quitefastmst"):
    own = [row for row in rows if row["contestant"] == program]
    sizes, rates = [number(row["n x d"]) for row in own], [number(row["MFeatures/s"]) for row in own]
    axes.plot(sizes, rates, "o-", color=COLOURS[program], label=program)
axes.set(xscale="log", xlabel="points in the sample", ylabel="MFeatures/s", ylim=(0, None))
axes.xaxis.set_major_formatter(EngFormatter(sep=" "))
axes.set_title("samples of halo3, two CPU cores, float64")
axes.grid(alpha=0.3, linewidth=0.5)
axes.legend(fontsize=8)
