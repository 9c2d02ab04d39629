"""Milliseconds of forests on an H200, for weights of four and of eight bytes."""

import matplotlib.pyplot as plt

from benchmarks.charts import bars
from benchmarks.tables import number, rows

SETS = {
    "USA-road-d.NY": "USA-road-d.NY",
    "grid1024": "lattice\n1024 x 1024",
    "grid4096": "lattice\n4096 x 4096",
    "rmat22": "R-MAT, scale 22",
    "gnm22": "random,\nmean degree 8",
    "gnm1M": "random,\nmean degree 30",
}
CONTESTANTS = {
    "emst": "emst",
    "RAFT": "RAFT, labels and edge list (recorded)",
    "ECL-MST": "ECL-MST, mask alone (recorded)",
}
TABLES = (("nvidia-h200.md", "Forests"), ("nvidia-h200-0.3.0.md", "Graphs"))
figure, both = plt.subplots(1, 2, figsize=(8.4, 5.2))
for axes, weights in zip(both, ("int32", "float64")):
    found = {
        (row["set"], row["contestant"]): number(row["median ms"])
        for table in TABLES
        for row in rows(*table, weights=weights)
    }
    series = {
        name: [found[key, contestant] for key in SETS]
        for name, contestant in CONTESTANTS.items()
        if ("grid1024", contestant) in found
    }
    bars(axes, list(SETS.values()), series, "milliseconds, logarithmic")
    axes.set_title(f"weights: {weights}", fontsize=10)
figure.tight_layout()
