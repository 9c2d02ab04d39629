"""Seconds from points to labels on two CPU cores."""

import matplotlib.pyplot as plt

from benchmarks.charts import bars
from benchmarks.tables import number, rows

FILE, SECTION = "xeon-2-cores.md", "Labels beside other libraries"
SETS = {
    "cpu-blobs3": "blobs, 3-D, 1 M",
    "cpu-blobs10": "blobs, 10-D, 50,000",
    "cpu-blobs2 20000": "blobs, 2-D, 20,000",
}
CONTESTANTS = {
    "emst": "HDBSCANGPU",
    "quitefastmst": "quitefastmst",
    "fast_hdbscan": "fast_hdbscan",
    "hdbscan": "hdbscan",
    "scikit-learn": "scikit-learn",
}
found = {(row["set"], row["contestant"]): number(row["median ms"]) / 1000 for row in rows(FILE, SECTION)}
seconds = {name: [found.get((key, contestant)) for key in SETS] for name, contestant in CONTESTANTS.items()}
figure, axes = plt.subplots(figsize=(7.5, 4.2))
bars(axes, list(SETS.values()), seconds, "seconds, logarithmic (quitefastmst: the tree alone)")
