"""Figure 9 of the ICPP'22 paper: time for k from 1 to 64, relative to k = 1."""

import matplotlib.pyplot as plt

from benchmarks.papers.charts import COLOURS, CPU, GPU, label, number, rows_of

rows = rows_of(CPU, "Figure 9")
sets = list(dict.fromkeys(row["set"] for row in rows))
figure, (places,) = plt.subplots(1, len(sets), figsize=(10, 3.8), sharey=True, squeeze=False, layout="constrained")
for axes, name in zip(places, sets):
    for program in ("emst", "quitefastmst"):
        own = [row for row in rows if row["set"] == name and row["contestant"].startswith(program)]
        ks, ratios = [number(row["k"]) for row in own], [number(row["ratio to k = 1"]) for row in own]
        axes.plot(ks, ratios, "o-", color=COLOURS[program], label=f"{program}, two CPU cores")
    axes.set_title(label(name))
    axes.set_xscale("log", base=2)
    axes.set_xticks([1, 2, 4, 8, 16, 32, 64], ["1", "2", "4", "8", "16", "32", "64"])
    axes.set(xlabel="k", ylabel="time / time for k = 1")
    axes.grid(alpha=0.3, linewidth=0.5)
    axes.label_outer()

# The sets on the GPU have ten million points, and were measured for three values of k.
uniform = places[sets.index(next(name for name in sets if name.startswith("uniform3")))]
first = next(row for row in rows_of(GPU, "Euclidean", "MFeatures/s") if row["set"] == "uniform3")
own = [first, *rows_of(GPU, "Mutual reachability, uniform3")]
times = [number(row["median ms"]) for row in own]
uniform.plot(
    [number(row["k"]) for row in own], [time / times[0] for time in times], "s--", color="tab:red", label="emst, H200"
)
uniform.legend(fontsize=8)
places[0].set_ylim(bottom=0)
