"""Labels of nodes: the component of all points below a node, or MIXED."""

from __future__ import annotations

from emst.cpu.points.bvh import MIXED
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.lanes import LANES
from emst.cpu.runtime.parallel import for_chunks, grain_for


def label_nodes(bvh, forest):
    """See `emst.backend.operations`."""
    nodes = bvh.nodes
    for_chunks(_label_leaves, bvh.leaves, grain_for(bvh.leaves, 4096), forest.labels, nodes.label)
    for level in range(1, len(nodes.counts)):
        size = int(nodes.counts[level])
        for_chunks(_label_parents, size, grain_for(size, 4096), nodes, level)


@kernel
def _label_leaves(labels, node_label, begin, end):
    for leaf in range(begin, end):
        stop = min(leaf * LANES + LANES, len(labels))
        label = labels[leaf * LANES]
        for i in range(leaf * LANES + 1, stop):
            if labels[i] != label:
                label = MIXED
                break
        node_label[leaf] = label


@kernel
def _label_parents(nodes, level, begin, end):
    for node in range(begin, end):
        at = (nodes.first[level - 1] + node) * LANES
        size = min(LANES, nodes.counts[level - 1] - node * LANES)
        label = nodes.label[at]
        for i in range(at + 1, at + size):
            if nodes.label[i] != label:
                label = MIXED
                break
        nodes.label[nodes.first[level] * LANES + node] = label
