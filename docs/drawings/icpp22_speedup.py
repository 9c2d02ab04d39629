"""Figure 6 of the ICPP'22 paper: emst over the fastest other program, beside the published range."""

import matplotlib.pyplot as plt

from benchmarks.papers.charts import COLOURS, CPU, label, number, rows_of
from benchmarks.papers.published import ICPP22_SPEEDUP

rows = rows_of(CPU, "Figure 6")
figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
drawn = axes.barh(
    [label(row["set"]) for row in rows], [number(row["speed-up of emst"]) for row in rows], color=COLOURS["emst"]
)
axes.bar_label(drawn, fmt="%.2f", padding=2, fontsize=8)
axes.axvspan(
    *ICPP22_SPEEDUP, color="0.9", zorder=0, label="published: ArborX over the fastest\nmultithreaded program (abstract)"
)
axes.axvline(1, color="black", linewidth=0.8)
axes.invert_yaxis()
axes.set(xlabel="rate of emst / rate of quitefastmst", xlim=(0, 26), title="both on two CPU cores")
axes.legend(loc="lower right", fontsize=8)
