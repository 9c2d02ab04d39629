"""How many components are left after each round, for points and for graphs."""

import matplotlib.pyplot as plt
import numpy as np

from emst import cpu, graph_msf
from emst.spanning import spanning_tree

N = 20_000
g = np.random.default_rng(0)
side = int(N**0.5)
lattice = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2).astype(float)
SETS = {
    "uniform points": (g.uniform(size=(N, 2)), 1),
    "blobs": (g.normal(size=(N, 2)) + 20 * g.integers(0, 5, (N, 1)), 1),
    "blobs, min_samples = 16": (g.normal(size=(N, 2)) + 20 * g.integers(0, 5, (N, 1)), 16),
    "a lattice, all edges tied": (lattice, 1),
}

figure, ax = plt.subplots(figsize=(8, 4))
counts = {}
for name, (points, k) in SETS.items():
    counts[name] = [len(points)]
    spanning_tree(
        points, cpu.point_statistics(points), k, cpu, lambda number, left, name=name: counts[name].append(left)
    )
ends = g.integers(0, N, (2, 5 * N))
counts["a random graph"] = [N]
graph_msf(
    *ends, g.random(5 * N), symmetric="min", n_vertices=N, algorithm="contraction",
    report=lambda number, left: counts["a random graph"].append(left),
)  # fmt: skip
most = max(map(len, counts.values()))
ax.plot(N / 2.0 ** np.arange(most), color="0.75", lw=4, label="half as many each time")
colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000"]
for (name, left), colour, marker in zip(counts.items(), colours, "osD^v"):
    ax.semilogy(left, marker=marker, color=colour, ms=5, lw=1.2, label=name)
ax.set(xlabel="round", ylabel="components left", xticks=range(most))
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
ax.spines[["top", "right"]].set_visible(False)
