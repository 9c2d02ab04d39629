"""Figure 5 of the ICPP'22 paper: rates by set on one thread."""

import matplotlib.pyplot as plt

from benchmarks.papers.charts import CPU, bars, rows_of

figure, axes = plt.subplots(figsize=(7, 4.8), layout="constrained")
bars(axes, rows_of(CPU, "Figure 5"))
axes.set_title("one thread, 300,000 points, float64")
axes.legend(fontsize=8)
