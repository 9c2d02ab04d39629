"""Figure 1 of the ICPP'22 paper: rates by set on two CPU cores and on one GPU, with the published rates."""

import matplotlib.pyplot as plt

from benchmarks.charts import bars
from benchmarks.papers.published import ICPP22_RATES
from benchmarks.tables import number, rows, tree_rates

found = rows("xeon-2-cores-icpp22.md", "Figure 1")
sets = list(dict.fromkeys(row["set"] for row in found))
rates = {
    program: [number(row["MFeatures/s"]) for row in found if row["contestant"] == program]
    for program in ("emst", "quitefastmst")
}
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 5.4), layout="constrained")
bars(left, [name.split()[0].rstrip(",") for name in sets], rates, "MFeatures/s", log=False)
left.set_title("two CPU cores, float64", fontsize=10)

of_gpu = tree_rates("Figure 1", "A billion points")
bars(right, list(of_gpu), {"emst": list(of_gpu.values())}, "MFeatures/s", log=False)
right.set_title("GPUs, float32: emst on an H200", fontsize=10)
for quote, line in zip(ICPP22_RATES, (":", "-", "--")):
    right.axvline(quote.rate, color="black", lw=1, ls=line, label=str(quote))
figure.legend(*right.get_legend_handles_labels(), fontsize=8, loc="outside lower right")
