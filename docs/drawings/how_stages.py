"""The stages from points to clusters, and what each of them hands on."""

import matplotlib.pyplot as plt

ROWS = [
    ("tree", "#0072B2", [
        ("curve_order", "rows in curve order"),
        ("build_bvh", "hierarchy of boxes"),
        ("core_distances", "core distances"),
        ("nearest_outgoing,\nmerge", "forest"),
        ("sorted_edges", "edges and weights"),
    ]),
    ("clusters", "#D55E00", [
        ("linkage", "dendrogram"),
        ("condense", "condensed tree"),
        ("select", "selected clusters"),
        ("label_points", "labels and probabilities"),
    ]),
]  # fmt: skip
WIDTH, STEP, HEIGHT = 2.1, 2.6, 0.8
ARROW = {"arrowstyle": "-|>", "color": "0.4", "mutation_scale": 14}

figure, ax = plt.subplots(figsize=(11, 3))
for line, (title, colour, stages) in enumerate(ROWS):
    y = -1.9 * line
    left = -WIDTH / 2 - 0.5
    ax.text(left, y + 0.16, title, ha="right", va="center", weight="bold", color=colour)
    ax.text(left, y - 0.2, "from points" if line == 0 else "from edges", ha="right", va="center", fontsize=9)
    for i, (operation, result) in enumerate(stages):
        x = STEP * i
        ax.annotate("", (x - WIDTH / 2, y), (x - STEP + WIDTH / 2, y), arrowprops=ARROW)
        ax.add_patch(
            plt.Rectangle((x - WIDTH / 2, y - HEIGHT / 2), WIDTH, HEIGHT, facecolor="white", edgecolor=colour, lw=1.5)
        )
        ax.text(x, y, operation, ha="center", va="center", fontsize=9, family="monospace")
        ax.text(x, y - HEIGHT / 2 - 0.22, result, ha="center", va="center", fontsize=9, color="0.25")
loop = STEP * 3
ax.annotate("", (loop - 0.5, 0.42), (loop + 0.5, 0.42), arrowprops=ARROW | {"connectionstyle": "arc3,rad=0.8"})
ax.text(loop, 0.95, "until one component is left", ha="center", fontsize=9, color="0.25")
ax.text(STEP * 2, 0.52, "only if k > 1", ha="center", fontsize=9, color="0.25")
ax.set(xlim=(-2.9, STEP * 4 + 1.2), ylim=(-2.65, 1.2))
ax.axis("off")
