"""Figure 1 of the ICPP'22 paper: rates by set on two CPU cores and on one GPU, with the published rates."""

import matplotlib.pyplot as plt

from benchmarks.papers.charts import CPU, GPU, bars, rows_of
from benchmarks.papers.published import ICPP22_RATES

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
bars(left, rows_of(CPU, "Figure 1"))
left.set_title("two CPU cores, float64")
left.legend(loc="lower right", fontsize=8)

bars(right, rows_of(GPU, "Euclidean", "MFeatures/s"))
right.set_title("GPUs, float32: emst on an H200")
for quote, style in zip(ICPP22_RATES, ("--", "-", ":")):
    right.axvline(quote.rate, color="black", linestyle=style, linewidth=1, label=f"{quote.label} ({quote.source})")
right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), fontsize=7)
