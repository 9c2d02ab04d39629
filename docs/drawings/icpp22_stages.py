"""Figure 8 of the ICPP'22 paper: the share of each stage, for the Euclidean tree and for k = 16."""

import matplotlib.pyplot as plt

from benchmarks.papers.charts import CPU, label, number, rows_of

rows = rows_of(CPU, "Figure 8")
stages = [name for name, cell in rows[0].items() if "%" in cell]
figure, places = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
for axes, k in zip(places, ("1", "16")):
    own = [row for row in rows if row["k"] == k]
    begin = [0.0] * len(own)
    for stage in stages:
        shares = [100 * number(row[stage]) / number(row["sum"]) for row in own]
        axes.barh([label(row["set"]) for row in own], shares, left=begin, label=stage)
        begin = [start + share for start, share in zip(begin, shares)]
    axes.set(title=f"k = {k}", xlabel="share of the time, %", xlim=(0, 100))
places[0].invert_yaxis()
figure.legend(*places[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(stages), fontsize=8)
