"""Seconds of trees of uneven data on two CPU cores."""

import matplotlib.pyplot as plt

from benchmarks.charts import bars
from benchmarks.tables import number, rows

SETS = {
    "cpu-tracks3": "GPS tracks, 1 M x 3",
    "cpu-altitudes3": "places with some\nwrong altitudes, 1 M x 3",
    "cpu-lognormal2": "lognormal, 300,000 x 2",
    "cpu-pathways27": "counts and ratios,\n60,000 x 27",
}
found = {
    (row["set"], row["contestant"]): number(row["median ms"]) / 1000
    for row in rows("xeon-2-cores.md", "Uneven data")
    if "contestant" in row
}
figure, axes = plt.subplots(figsize=(7, 3.6))
seconds = {name: [found[key, name] for key in SETS] for name in ("emst", "quitefastmst")}
bars(axes, list(SETS.values()), seconds, "seconds, logarithmic")
