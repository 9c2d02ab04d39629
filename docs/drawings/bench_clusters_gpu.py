"""Milliseconds from points to labels on an H200: against n beside cuML, and beside ArborX's dendrogram."""

import matplotlib.pyplot as plt

from benchmarks.charts import COLOURS, bars
from benchmarks.tables import number, rows

CONTESTANTS = {"cuML": "cuML (recorded)", "ArborX": "ArborX, dendrogram only (recorded)", "emst": "HDBSCANGPU"}


def median(name, key, k):
    [row] = rows("nvidia-h200.md", "Labels", set=key, k=k, contestant=CONTESTANTS[name])
    return number(row["median ms"])


figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 4), width_ratios=(1, 0.9))
SIZES = (10_000, 100_000, 1_000_000)
for name in ("cuML", "emst"):
    left.plot(
        SIZES, [median(name, f"blobs3 {n}", "6") for n in SIZES], "o-", ms=5, color=COLOURS[name],
        label=f"{name}, 3-D, min_samples=6",
    )  # fmt: skip
left.set_xscale("log")
left.set_yscale("log")
left.set_xlabel("points")
left.set_ylabel("milliseconds")
left.set_title("blobs", fontsize=10)
left.legend(fontsize=8)
left.grid(alpha=0.25)
left.spines[["top", "right"]].set_visible(False)

sets = [("halob3", "2"), ("halob3", "5"), ("halob3", "16"), ("uniform5", "6")]
names = {"halob3": "halos, 10 M x 3", "uniform5": "uniform, 1 M x 5"}
bars(
    right,
    [f"{names[key]},\nmin_samples={k}" for key, k in sets],
    {name: [median(name, *key) for key in sets] for name in ("emst", "ArborX")},
    "milliseconds (ArborX: to the dendrogram alone)",
    log=False,
)
figure.tight_layout()
