"""Milliseconds of forests on two CPU cores."""

import matplotlib.pyplot as plt

from benchmarks.charts import bars
from benchmarks.tables import number, rows

SETS = {
    "USA-road-d.NY": "USA-road-d.NY",
    "grid1024": "lattice 1024 x 1024",
    "grid4096": "lattice 4096 x 4096",
    "rmat22": "R-MAT, scale 22",
    "gnm22": "random, mean degree 8",
    "gnm1M": "random, mean degree 30",
}
table = rows("xeon-2-cores.md", "Forests", weights="int32")
found = {(row["set"], row["contestant"]): number(row["median ms"]) for row in table}
names = ("emst", "rustworkx", "scipy", "networkit", "igraph")
figure, axes = plt.subplots(figsize=(7.2, 6.8))
bars(
    axes,
    list(SETS.values()),
    {name: [found.get((key, name)) for key in SETS] for name in names},
    "milliseconds, logarithmic",
)
