"""Labels of nodes on the GPU: the component of all points below a node, MIXED if there are several.

Kernels: labels.cu.
"""

from __future__ import annotations

import cupy

from emst.cuda.points.bvh import Bvh, each_level
from emst.cuda.runtime.constants import EACH, FAN, LEAF
from emst.cuda.runtime.launch import launch


def label_nodes(bvh: Bvh, labels: cupy.ndarray) -> None:
    """See `emst.backend.operations`."""
    if not bvh.walks:
        return
    args = (cupy.ascontiguousarray(labels), bvh.n, bvh.hierarchy, bvh.nodes)
    launch("points/labels", f"label_leaves<{bvh.layout}>", -(-bvh.n // EACH), *args, block=LEAF * FAN)
    top = max(sum(count > FAN for count in bvh.counts), 2)  # the first level that one block does at once
    each_level(bvh, "points/labels", "label_level", range(2, top))
    if top < len(bvh.counts):
        launch("points/labels", f"label_top<{bvh.layout}>", 1024, bvh.hierarchy, top, bvh.nodes, block=1024)
