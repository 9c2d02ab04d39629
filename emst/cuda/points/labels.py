"""Labels of nodes on the GPU: the component of all points below a node, MIXED if there are several.

Kernels: labels.cu, labels.cuh.
"""

from __future__ import annotations

import cupy

from emst.cuda.points.bvh import SearchIndex, launch_upper
from emst.cuda.runtime.launch import launch_over_points


def label_nodes(index: SearchIndex, labels: cupy.ndarray, group: cupy.ndarray | None = None) -> None:
    """See `emst.backend.operations`."""
    if not index.walks:
        return
    args = (cupy.ascontiguousarray(labels), group, index.n, index.hierarchy, index.nodes)
    launch_over_points("points/labels", f"label_leaves<{index.layout}>", index.n, *args)
    label_upper(index)


def label_upper(index: SearchIndex) -> None:
    """Labels of the nodes above level 1, from those of level 1."""
    if index.walks:
        launch_upper(index, "points/labels", "upper_labels", 2, index.nodes)
