"""Figure 6 of the ICPP'22 paper: emst over the fastest other program, beside the published range."""

import matplotlib.pyplot as plt

from benchmarks.charts import bars
from benchmarks.papers.published import ICPP22_SPEEDUP
from benchmarks.tables import number, rows

found = rows("epyc-2-cores-icpp22.md", "Figure 6")
names = [row["set"].split()[0].rstrip(",") for row in found]
figure, axes = plt.subplots(figsize=(8, 4))
ratios = {"emst": [number(row["speed-up of emst"]) for row in found]}
bars(axes, names, ratios, "rate of emst / rate of quitefastmst, logarithmic")
axes.axvspan(
    *ICPP22_SPEEDUP,
    color="0.92",
    zorder=0,
    label="published, of a GPU:\nArborX over the fastest\nmultithreaded program",
)
axes.axvline(1, color="black", lw=1)
axes.set_xlim(0.8, 30)
axes.set_xticks([1, 2, 4, 8, 16, 24], ["1", "2", "4", "8", "16", "24"])
axes.minorticks_off()
axes.legend(fontsize=8, loc="center right")
