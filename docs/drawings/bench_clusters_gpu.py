"""Milliseconds from points to labels on an H200: against n beside cuML, and beside ArborX's dendrogram."""

import matplotlib.pyplot as plt

from benchmarks.charts import COLOURS, bars
from benchmarks.tables import number, rows

FILE = "nvidia-h200-hdbscan.md"


def median(contestant, key, k):
    return number(rows(FILE, contestant=contestant, set=key, k=k)[0]["median ms"])


figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 4), width_ratios=(1, 0.9))
for kind, k, sizes, line in (("blobs3", "6", (10_000, 100_000, 1_000_000, 2_000_000), "-"),
                             ("blobs5", "16", (100_000, 300_000, 1_000_000), "--")):  # fmt: skip
    for name, contestant in (("cuML", "cuML (recorded)"), ("emst", "HDBSCANGPU")):
        left.plot(
            sizes, [median(contestant, f"{kind} {n}", k) for n in sizes], f"o{line}", ms=5, color=COLOURS[name],
            label=f"{name}, {kind[-1]}-D, min_samples={k}",
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
    {
        "emst": [median("HDBSCANGPU", *key) for key in sets],
        "ArborX": [median("ArborX, dendrogram only (recorded)", *key) for key in sets],
    },
    "milliseconds (ArborX: to the dendrogram alone)",
    log=False,
)
figure.tight_layout()
