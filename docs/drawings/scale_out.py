"""Partitions, what they publish, which points ask others, and which edges rounds find: what the tasks of
`emst.partitions` return for 20,000 points in 6 partitions."""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.patches import Rectangle

sys.path.append("benchmarks")  # whose scripts import one another
from dask_times import task_times

from emst.dask import local_cluster, minimum_spanning_tree

N, PARTITIONS = 20_000, 6


def uniform():
    return np.random.default_rng(1).random((N, 2))


def blobs():
    g = np.random.default_rng(5)
    center, spread, which = g.random((12, 2)), g.uniform(0.004, 0.06, 12), g.integers(0, 12, N)
    x = center[which] + g.standard_normal((N, 2)) * spread[which][:, None]
    x[: N // 20] = g.uniform(-0.1, 1.1, (N // 20, 2))
    return x


def returned_by_tasks(points):
    """Edges, those that rounds found, costs, and what tasks returned, by the name of their function."""
    returned = {}
    with task_times(results=True) as spans, local_cluster(2, "cpu"):
        tree = minimum_spanning_tree(points, partitions=PARTITIONS, device="cpu")
        joined = tree._edges.futures[-1].result().rows
        edges = tree.to_local().edges
    for span in spans:
        returned.setdefault(span.task, []).append(span.result)
    return edges, joined, tree.report_, returned


def draw(title, points, left, right):
    edges, joined, report, returned = returned_by_tasks(points)
    locals_ = sorted(returned["local_tree"], key=lambda local: local.partition.index.points()[0].tolist())
    scale = np.abs(locals_[0].partition.index.points()[0] / points[locals_[0].partition.rows[0]])
    for number, local in enumerate(locals_):
        left.scatter(*points[local.partition.rows].T, s=1.8, color=plt.cm.tab10(number), linewidths=0)
        right.scatter(*points[local.partition.rows].T, s=1.2, color=plt.cm.tab10(number), linewidths=0, alpha=0.4)
    for outline in returned["outline_of"]:
        low, high = outline.low / scale, outline.high / scale
        lowest = np.flatnonzero((outline.child >= 0) & (outline.child[outline.child] < 0))  # their children are points
        boxes = [Rectangle(low[i], *(high[i] - low[i])) for i in lowest]
        left.add_collection(PatchCollection(boxes, facecolor="none", edgecolor="black", linewidth=0.4))
    asked = [questions.points for border in returned["border_of"] for questions in border.packets.values()]
    asked += [packet.questions.points for one in returned["ask"] for packet in one.packets.values()]
    asking = np.unique(np.concatenate(asked), axis=0) / scale
    right.add_collection(LineCollection(points[edges], color="0.6", linewidth=0.25))
    right.scatter(*asking.T, s=3, color="black", linewidths=0)
    right.add_collection(LineCollection(points[joined], color="red", linewidth=0.9))
    left.set_title(f"{title}: {report.partitions} partitions and the boxes that they publish", fontsize=9)
    right.set_title(
        f"{len(asking):,} points that ask (black), {len(joined):,} edges that rounds find (red)", fontsize=9
    )
    for axes in (left, right):
        axes.set_aspect("equal")
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        axes.set_axis_off()


figure, axes = plt.subplots(2, 2, figsize=(9, 9.3))
for (left, right), points in zip(axes, (uniform, blobs)):
    draw(points.__name__, points(), left, right)
figure.tight_layout()
