"""
One tree by several workers
===========================

``emst.dask`` spreads the points over the workers of a Dask cluster: GPUs, or cores of one or of many machines. The tree
has the same bits as that of one device. Here the workers are threads of this process, so you can try it anywhere.
:doc:`/scale_out/index` says how to use GPUs and several machines.
"""

# %%
# A cluster, and points in chunks
# -------------------------------
# ``local_cluster()`` starts a thread for each GPU of the machine, or for each core if there is none. Here it is asked
# for two workers on the CPU. Any other Dask client works, too, for example that of a cluster of a hundred machines.
# Chunks may come from files that no single machine can hold.
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

import emst
from emst.dask import EMST, HDBSCAN, local_cluster

g = np.random.default_rng(5)
centers, spreads = g.random((14, 2)), g.uniform(0.01, 0.06, (14, 1))
which = g.integers(0, 14, 30_000)
points = centers[which] + g.normal(0, 1, (30_000, 2)) * spreads[which]
points[:3000] = g.uniform(-0.1, 1.1, (3000, 2))

client = local_cluster(2, device="cpu")
X = da.from_array(points, chunks=(5000, 2))
mst = EMST(partitions=6).fit(X)
print(mst.edges_)

# %%
# The same bits
# -------------
# Edges lie on the workers, partition by partition. ``to_local`` brings them here, in the order of one device.
alone = emst.minimum_spanning_tree(points, device="cpu")
together = mst.to_local()
print("edges are equal:", np.array_equal(together.edges, alone.edges))
print("lengths are equal, bit for bit:", np.array_equal(together.weights, alone.weights))

# %%
# Who did what
# ------------
# Each worker gets parts of a curve that visits all points, the Hilbert curve. A part finds its own edges, as far as
# they are shorter than everything that leads out of it. These are nearly all edges; they have the colours of the parts.
# The others, in black, are found together: points near the border ask the other parts.
parts = [mst.edges_.blocks[i].compute() for i in range(mst.edges_.numblocks[0])]
fig, ax = plt.subplots(figsize=(8, 7), layout="constrained")
for i, edges in enumerate(parts[:-1]):
    ax.add_collection(LineCollection(points[edges], color=plt.cm.tab10(i), linewidths=0.7))
ax.add_collection(LineCollection(points[parts[-1]], color="black", linewidths=1.1))
ax.set(aspect="equal", xticks=[], yticks=[])
ax.set_title(f"{len(parts) - 1} parts; {len(parts[-1]):,} edges were found together")
ax.autoscale_view()
plt.show()

# %%
# ``report_`` counts what travelled, after the points were brought to their parts.
report = mst.report_
print(f"{report.partitions} partitions, {report.rounds} rounds")
print(f"asked at the border: {report.asked_border:,} points")
print(f"asked in the rounds: {report.asked_rounds:,}")

# %%
# Labels
# ------
# ``HDBSCAN`` of ``emst.dask`` has the same parameters as that of ``emst``. Its labels are a dask array in the chunks of
# the input, so they can be stored beside it.
model = HDBSCAN(min_cluster_size=300, min_samples=10).fit(X)
labels = model.labels_.compute()
same = emst.HDBSCAN(min_cluster_size=300, min_samples=10).fit(points)
print(f"{labels.max() + 1} clusters")
print("labels are equal:", np.array_equal(labels, same.labels_))

from emst.plots import plot_clusters

fig, ax = plt.subplots(figsize=(8, 6.4), layout="constrained")
plot_clusters(points, labels, model.probabilities_.compute(), ax=ax)
client.close()
plt.show()
