"""Labels of nodes on the GPU: the component of all points below a node, MIXED if there are several.

Kernels: labels.cu, labels.cuh.
"""

from __future__ import annotations

import cupy

from emst.cuda.points.bvh import SearchIndex
from emst.cuda.runtime.launch import launch, launch_over_points


def label_nodes(index: SearchIndex, labels: cupy.ndarray, group: cupy.ndarray | None = None) -> None:
    """See `emst.backend.operations`."""
    if not index.walks:
        return
    args = (cupy.ascontiguousarray(labels), group, index.n, index.hierarchy, index.nodes)
    launch_over_points("points/labels", f"label_leaves<{index.layout}>", index.n, *args)
    label_upper(index)


def label_upper(index: SearchIndex) -> None:
    """Labels of the nodes above level 1, from those of level 1: a warp a node of level 2."""
    if index.walks and len(index.counts) > 2:
        args = (index.hierarchy, index.nodes, index.arrived)
        launch("points/labels", f"upper_labels<{index.layout}>", 32 * index.counts[2], *args)
