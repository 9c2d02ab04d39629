"""The stages from points to clusters, and what each of them hands on."""

import matplotlib.pyplot as plt

ROWS = [
    ("tree", "#0072B2", [
        ("curve_order", "rows in curve order"),
        ("build_index", "hierarchy of boxes"),
        ("core_distances", "core distances"),
        ("nearest_outgoing,\nmerge", "forest"),
        ("sorted_edges", "edges and weights"),
    ]),
    ("clusters", "#D55E00", [
        ("linkage", "dendrogram"),
        ("condense", "condensed tree"),
        ("select", "selected clusters"),
        ("label_points", "labels, probabilities"),
    ]),
]  # fmt: skip
WIDTH, STEP, HEIGHT = 2.15, 2.5, 0.8
ARROW = {"arrowstyle": "-|>", "color": "0.4", "mutation_scale": 11, "shrinkA": 0, "shrinkB": 0}

figure, ax = plt.subplots(figsize=(8.4, 2.9))
for line, (title, colour, stages) in enumerate(ROWS):
    y = -2.25 * line
    given = "points" if line == 0 else "edges"
    ax.text(-WIDTH / 2, y + 0.62, f"{title}, from {given}", weight="bold", color=colour)
    for i, (operation, result) in enumerate(stages):
        x = STEP * i
        if i > 0:
            ax.annotate("", (x - WIDTH / 2, y), (x - STEP + WIDTH / 2, y), arrowprops=ARROW)
        ax.add_patch(
            plt.Rectangle((x - WIDTH / 2, y - HEIGHT / 2), WIDTH, HEIGHT, facecolor="white", edgecolor=colour, lw=1.5)
        )
        ax.text(x, y, operation, ha="center", va="center", fontsize=8, family="monospace")
        ax.text(x, y - HEIGHT / 2 - 0.22, result, ha="center", va="center", fontsize=9, color="0.25")
loop = STEP * 3
ax.annotate("", (loop - 0.5, 0.42), (loop + 0.5, 0.42), arrowprops=ARROW | {"connectionstyle": "arc3,rad=0.8"})
ax.text(loop, 0.95, "until one component is left", ha="center", fontsize=9, color="0.25")
ax.text(STEP * 2, 0.52, "only if k > 1", ha="center", fontsize=9, color="0.25")
ax.set(xlim=(-1.15, STEP * 4 + 1.15), ylim=(-3.1, 1.3))
ax.axis("off")
