"""Labels of nodes on the GPU: the component of all points below a node, MIXED if there are several.

Kernels: labels.cu, labels.cuh.
"""

from __future__ import annotations

import cupy

from emst.cuda.points.bvh import SearchIndex
from emst.cuda.runtime.launch import launch_over_points


def label_nodes(index: SearchIndex, labels: cupy.ndarray, group: cupy.ndarray | None = None) -> None:
    """See `emst.backend.operations`."""
    if not index.walks:
        return
    args = (cupy.ascontiguousarray(labels), group, index.n, index.hierarchy, index.nodes, index.arrived)
    launch_over_points("points/labels", f"label_nodes<{index.layout}>", index.n, *args)
