"""Labels of nodes on the GPU: the component of all points below a node, MIXED if there are several.

Kernels: labels.cu, labels.cuh.
"""

from __future__ import annotations

import cupy

from emst.cuda.points.bvh import SearchIndex, each_level
from emst.cuda.runtime.constants import FAN, LEAF
from emst.cuda.runtime.launch import launch


def label_nodes(index: SearchIndex, labels: cupy.ndarray, group: cupy.ndarray | None = None) -> None:
    """See `emst.backend.operations`."""
    if not index.walks:
        return
    args = (cupy.ascontiguousarray(labels), group, index.n, index.hierarchy, index.nodes)
    launch("points/labels", f"label_leaves<{index.layout}>", 32 * -(-index.n // (LEAF * FAN)), *args)
    top = max(sum(count > FAN for count in index.counts), 2)  # the first level that one block does at once
    each_level(index, "points/labels", "label_level", range(2, top), index.nodes)
    if top < len(index.counts):
        launch("points/labels", f"label_top<{index.layout}>", 1024, index.hierarchy, top, index.nodes, block=1024)
