"""How many leaves a packet cannot skip when it searches nearest neighbours, by the number of dimensions."""

import matplotlib.pyplot as plt
import numpy as np

from emst import cpu

N, BLOBS, PACKETS = 4000, 20, 40
DIMENSIONS = [4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32]


def share_needed(points):
    """The mean share of leaves within the distance to the nearest neighbour of some point of a packet."""
    index = cpu.build_index(points, cpu.curve_order(points, 1.0).rows, 1.0)
    radius = np.sqrt(cpu.core_distances(index, 2))
    low, high = index.boxes(0)
    shares = []
    for leaf in np.linspace(0, index.leaves - 2, PACKETS).astype(int):
        packet = slice(16 * leaf, 16 * leaf + 16)
        x = index.points()[packet, None]
        gap = np.maximum(0, np.maximum(low - x, x - high))
        shares.append((np.linalg.norm(gap, axis=2) <= radius[packet, None]).any(axis=0).mean())
    return np.mean(shares)


g = np.random.default_rng(0)
sets = {
    "uniform": lambda d: g.uniform(size=(N, d)),
    f"{BLOBS} blobs": lambda d: g.normal(size=(N, d)) + 20 * g.uniform(size=(BLOBS, d))[g.integers(0, BLOBS, N)],
}
figure, ax = plt.subplots(figsize=(7.5, 3.6))
for (name, make), colour, marker in zip(sets.items(), ("#D55E00", "#0072B2"), "so"):
    shares = [100 * share_needed(make(d)) for d in DIMENSIONS]
    ax.plot(DIMENSIONS, shares, marker=marker, color=colour, label=name)
ax.set(xlabel="dimensions", ylabel="leaves that a packet needs, %", ylim=(0, 102), xticks=DIMENSIONS)
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
