"""Road networks: our times on an H200 beside figures that the papers published."""

import matplotlib.pyplot as plt

from benchmarks.charts import BLUE, GREEN, ORANGE, PINK, RED
from benchmarks.tables import number, rows

OURS = {"boruvka": BLUE, "partial-prim": ORANGE, "contraction": GREEN, "primitives": RED, "hybrid": PINK}
MARKERS = {
    "Vineet et al. 2009, Tesla S1070": "s",
    "PMA 2012, Tesla S1070": "D",
    "Jain et al., Tesla K20": "^",
    "IrGL (Galois), GTX 1080": "v",
    "Sousa et al.'s code, RTX 3080 Ti (in SC'23)": "P",
    "ECL-MST 2023, RTX 3080 Ti": "X",
    "RAFT #3118, H200": "*",
}
found = rows("nvidia-h200-graph-papers.md", "Road networks")
figure, axes = plt.subplots(figsize=(7.8, 5))
vertices = [number(row["vertices"]) for row in found]
for name, colour in OURS.items():
    axes.plot(vertices, [number(row[name]) for row in found], "o-", ms=4, color=colour, label=f"here: {name}")
for name, marker in MARKERS.items():
    there = [(n, number(row[name])) for n, row in zip(vertices, found) if row[name] != "-"]
    axes.plot(*zip(*there), marker, ms=8, mfc="none", mec="black", ls="none", label=name)
axes.set_xscale("log")
axes.set_yscale("log")
axes.set_xlabel("vertices")
axes.set_ylabel("milliseconds")
axes.grid(alpha=0.25)
axes.legend(fontsize=8, ncols=2, bbox_to_anchor=(0.5, -0.14), loc="upper center")
axes.spines[["top", "right"]].set_visible(False)
