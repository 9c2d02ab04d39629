"""Milliseconds of trees on two CPU cores against the number of points."""

import matplotlib.pyplot as plt

from benchmarks.charts import COLOURS
from benchmarks.tables import number, rows

FILE = "epyc-2-cores.md"
figure, both = plt.subplots(1, 2, figsize=(8, 4), sharey=True)
for axes, (kind, title) in zip(both, (("uniform2", "uniform, 2-D"), ("blobs3", "blobs, 3-D"))):
    for k, line in (("1", "-"), ("6", "--")):
        small = rows(FILE, "Smaller sets", set=kind, k=k)
        for name in ("quitefastmst", "emst"):
            million = rows(FILE, "All figures", set=f"cpu-{kind}", k=k, contestant=name)[0]
            axes.plot(
                [number(row["n"]) for row in small] + [1_000_000],
                [number(row[name]) for row in small] + [number(million["median ms"])],
                f"o{line}", ms=5, color=COLOURS[name], label=f"{name}, min_samples={k}",
            )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("points")
    axes.set_title(title, fontsize=10)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
both[0].set_ylabel("milliseconds")
both[0].legend(fontsize=8)
figure.tight_layout()
