"""
Halos of galaxies and friends of friends
========================================

In simulations of the universe, cosmologists look for *halos*: dense clumps of matter in which galaxies form. The usual
method is *friends of friends*. Two particles are friends if their distance is at most the *linking length*, and a halo
is a group of particles that chains of friends connect. These groups are the components of the minimum spanning tree
without its longer edges. So one tree gives the halos of every linking length.
"""

# %%
# A small universe
# ----------------
# Particles begin on a lattice, moved a little by random waves. Then gravity moves them, in a box that expands. The
# forces come from the density on a mesh (a particle-mesh simulation), so details finer than a cell of the mesh are
# lost. Lengths are in units of the mean distance between particles.
import matplotlib.pyplot as plt
import numpy as np
from scipy import fft


def universe(m, steps=32, waves=4.0, seed=0):
    """Positions of m^3 particles in a periodic box of side m, in a universe of matter alone."""
    shape = (m, m, m)
    axes = fft.fftfreq(m), fft.fftfreq(m), fft.rfftfreq(m)
    k = 2 * np.pi * np.stack(np.meshgrid(*axes, indexing="ij"))
    k2 = np.maximum((k**2).sum(axis=0), 1e-9)

    def gradient(field):
        return [fft.irfftn(1j * axis * field, shape, workers=2) for axis in k]

    noise = fft.rfftn(np.random.default_rng(seed).standard_normal(shape))
    shift = np.stack(gradient(noise * k2**-1.375 * np.exp(-k2 / 2))).reshape(3, -1)
    shift *= waves / shift.std()
    a, step = 0.1, 0.9 / steps  # a is the scale of the universe: 1 today
    x = np.indices(shape).reshape(3, -1) + a * shift
    momentum = (a - step / 2) ** 1.5 * shift
    for _ in range(steps):
        cell = np.ravel_multi_index(np.rint(x).astype(int) % m, shape)
        density = np.bincount(cell, minlength=m**3).reshape(shape)
        potential = -1.5 / a * fft.rfftn(density, workers=2) / k2 * np.exp(-k2 / 4)
        potential[0, 0, 0] = 0
        force = np.stack([part.ravel()[cell] for part in gradient(potential)])
        momentum -= np.sqrt(a) * step * force
        x += (a + step / 2) ** -1.5 * step * momentum
        a += step
    return x.T % m


side = 72
X = universe(side)
print(f"{len(X):,} particles")

# %%
# The tree, and a cut
# -------------------
# The box is periodic: what leaves it on one side enters on the other. With its side as the period, distances wrap, and
# a halo across a side of the box comes out as one. A linking length of 0.2 mean distances is usual. Groups of fewer
# than 20 particles do not count: they get the label -1. The picture shows a slice of the box. The colour of a halo shows
# how many particles it has, which is its mass.
from emst import EMST, HDBSCAN

mst = EMST(metric_params={"period": side}).fit(X)
groups = mst.cut(0.2, min_cluster_size=20)
print(f"{groups.max() + 1:,} halos hold {np.mean(groups >= 0):.0%} of the particles")

mass = np.bincount(groups[groups >= 0])
center, thickness = np.median(X[groups == mass.argmax(), 2]), 12
inside = np.abs(X[:, 2] - center) < thickness / 2
free, bound = inside & (groups < 0), inside & (groups >= 0)

fig, ax = plt.subplots(figsize=(8, 6.6), layout="constrained")
ax.set_facecolor("black")
ax.scatter(X[free, 0], X[free, 1], s=0.4, color="0.55", linewidths=0)
dots = ax.scatter(
    X[bound, 0],
    X[bound, 1],
    s=1.5,
    c=mass[groups[bound]],
    norm="log",
    cmap="plasma",
    linewidths=0,
)
ax.set(xlim=(0, side), ylim=(0, side), aspect="equal", xlabel="x", ylabel="y")
ax.set_title(f"Halos in a slice of thickness {thickness}")
fig.colorbar(dots, label="particles in the halo", shrink=0.9)
plt.show()

# %%
# The mass function
# -----------------
# How many halos have at least a given mass? Other linking lengths need no other tree. Longer ones reach further out,
# and connect halos that are neighbours.
fig, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
for length in (0.1, 0.15, 0.2, 0.25):
    sizes = np.sort(np.bincount(mst.cut(length, min_cluster_size=20) + 1)[1:])[::-1]
    ax.step(sizes, np.arange(1, len(sizes) + 1), label=f"{length}: {len(sizes):,} halos")
ax.set(
    xscale="log",
    yscale="log",
    xlabel="particles in the halo",
    ylabel="halos of at least this mass",
)
ax.legend(frameon=False, title="linking length")
ax.grid(alpha=0.3)
plt.show()

# %%
# HDBSCAN in place of one length
# ------------------------------
# A linking length is one threshold of density for the whole box. HDBSCAN chooses a threshold for each cluster: where
# halos lie close to each other, a higher one. Below, both methods look at the surroundings of the heaviest halo.
# Friends of friends connect it with its neighbours. HDBSCAN, with the leaves of its tree, sees the clumps within.
model = HDBSCAN(
    min_cluster_size=50,
    min_samples=10,
    metric_params={"period": side},
    cluster_selection_method="leaf",
).fit(X)

from emst.plots import cluster_colours

heaviest = X[groups == mass.argmax()]
near = np.all(np.abs(X - np.median(heaviest, axis=0)) < [8, 8, 4], axis=1)
fig, axes = plt.subplots(
    1, 2, figsize=(9, 4.8), sharex=True, sharey=True, layout="constrained"
)
both = {"friends of friends": groups, "HDBSCAN": model.labels_}
for ax, (name, labels) in zip(axes, both.items()):
    x, labels = X[near], labels[near]
    clusters, labels = np.unique(labels, return_inverse=True)
    labels = labels - (clusters[0] < 0)
    ax.scatter(*x[labels < 0, :2].T, s=0.6, color="0.75", linewidths=0)
    ax.scatter(
        *x[labels >= 0, :2].T,
        s=1.5,
        color=cluster_colours(labels, x)[labels[labels >= 0]],
        linewidths=0,
    )
    ax.set(aspect="equal", xlabel="x", title=f"{name}: {labels.max() + 1} groups")
axes[0].set_ylabel("y")
plt.show()
