"""The time of a version divided by that of the version before, on an H200: a dot for each set."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, GREEN, ORANGE
from benchmarks.tables import number, tables

COLOURS = {"forests": GREEN, "trees": BLUE, "labels": ORANGE}


def ratios(file, wanted):
    """(kind, ratio) of the tables of the GPU that compare versions."""
    for _, table in tables(file):
        for row in table:
            if set(wanted) <= set(row) and "quitefastmst, ms" not in row:
                kind = "labels" if "min_samples" in row else "forests" if "weights" in row else "trees"
                yield kind, number(row["ratio"])


figure, axes = plt.subplots(figsize=(6.6, 2.8))
files = {"0.2.0 / 0.1.0": ("0.2.0.md", ("0.1.0, ms", "0.2.0, ms", "ratio")),
         "0.3.0 / 0.2.0": ("0.3.0.md", ("0.2.0, ms", "0.3.0, ms", "ratio"))}  # fmt: skip
names, place = [], 0
for versions, (file, wanted) in files.items():
    found = list(ratios(file, wanted))
    for kind, colour in COLOURS.items():
        dots = [ratio for which, ratio in found if which == kind]
        if dots:
            axes.scatter(dots, [place] * len(dots), color=colour, s=40, alpha=0.6, linewidths=0)
            names.append(f"{versions}, {kind} ({len(dots)})")
            place += 1
axes.axvline(1, color="black", lw=1)
axes.set_yticks(range(place), names)
axes.invert_yaxis()
axes.margins(y=0.15)
axes.set_xlabel("ratio of the medians (below 1: the newer version is faster)")
axes.grid(axis="x", alpha=0.3)
axes.spines[["top", "right"]].set_visible(False)
