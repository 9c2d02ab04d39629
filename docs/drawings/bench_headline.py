"""How many times longer other libraries take: a dot for each set on which both were measured."""

import matplotlib.pyplot as plt

from benchmarks.charts import COLOURS, GREY
from benchmarks.tables import number, rows


def ratios(file, ours, theirs, keys, *sections):
    """Times of a contestant over ours, for every set of the tables with a column "contestant"."""
    found = {}
    for row in (row for section in sections for row in rows(file, section)):
        if "contestant" in row:
            found.setdefault(tuple(row[key] for key in keys), {})[row["contestant"]] = number(row["median ms"])
    return [times[theirs] / times[ours] for times in found.values() if ours in times and theirs in times]


CPU, PAPER = "xeon-2-cores.md", "xeon-2-cores-icpp22.md"
GPU, OLDER = "nvidia-h200.md", "nvidia-h200-0.3.0.md"
LABELS, TREES = ("Labels beside other libraries", "Lp norms"), ("Trees", "Small sets", "Uneven data", "Every k")
LABEL, GRAPH = ("set", "n x d", "k"), ("set", "weights")
groups = {
    "labels, two CPU cores": {
        peer: ratios(CPU, "HDBSCANGPU", peer, LABEL, *LABELS) for peer in ("hdbscan", "fast_hdbscan", "scikit-learn")
    },
    "labels, H200": {
        name: ratios(GPU, "HDBSCANGPU", row, LABEL, "Labels", "Many dimensions")
        for name, row in {"cuML": "cuML (recorded)", "ArborX": "ArborX, dendrogram only (recorded)"}.items()
    },
    "trees, two CPU cores": {
        "quitefastmst": ratios(CPU, "emst", "quitefastmst", LABEL, *TREES),
        "mlpack": ratios(PAPER, "emst", "mlpack", LABEL, "Figure 5"),
    },
    "forests, two CPU cores": {
        name: ratios(CPU, "emst", name, GRAPH, "Forests") for name in ("scipy", "rustworkx", "igraph", "networkit")
    },
    "forests, H200": {
        name: ratios(GPU, "emst", row, GRAPH, "Forests") + ratios(OLDER, "emst", row, GRAPH, "Graphs")
        for name, row in {
            "RAFT": "RAFT, labels and edge list (recorded)",
            "ECL-MST": "ECL-MST, mask alone (recorded)",
        }.items()
    },
}

figure, axes = plt.subplots(figsize=(7.8, 6))
ticks, names, place = [], [], 0
for title, peers in groups.items():
    ticks.append(place)
    names.append(title)
    place += 1
    for peer, found in peers.items():
        axes.scatter(found, [place] * len(found), s=45, color=COLOURS.get(peer, GREY), alpha=0.6, linewidths=0)
        ticks.append(place)
        names.append(f"{peer} ({len(found)})")
        place += 1
axes.axvline(1, color="black", lw=1)
axes.text(0.92, 0, "emst is slower", ha="right", va="center", fontsize=8)
axes.text(1.08, 0, "emst is faster", ha="left", va="center", fontsize=8)
axes.set_yticks(ticks, names)
for label in axes.get_yticklabels():
    label.set_weight("bold" if label.get_text() in groups else "normal")
axes.set_ylim(place - 0.5, -0.8)
axes.set_xscale("log")
axes.set_xticks(
    [0.3, 1, 3, 10, 30, 100, 300, 1000, 5000], ["0.3", "1", "3", "10", "30", "100", "300", "1,000", "5,000"]
)
axes.minorticks_off()
axes.grid(axis="x", alpha=0.3)
axes.set_xlabel("time of the other library / time of emst, one dot for each set (number of sets)")
axes.spines[["top", "right"]].set_visible(False)
