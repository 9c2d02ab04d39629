"""Labels of nodes: the component of all points below a node, or MIXED."""

from __future__ import annotations

from emst.cpu.points.bvh import MIXED
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.lanes import LANES
from emst.cpu.runtime.numbers import lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for


def label_nodes(index, labels, group=None):
    """See `emst.backend.operations`."""
    nodes, n = index.nodes, index.n
    below, start, count = labels, 0, n
    for first, size in zip(nodes.first.tolist(), nodes.counts.tolist(), strict=True):
        here = first * LANES
        if below is labels and group is not None:
            for_chunks(_label_leaves, size, grain_for(size, 4096), labels, group, n, nodes.label)
            below, start, count = nodes.label, here, size
            continue
        for_chunks(label_level, size, grain_for(size, 4096), below, start, count, nodes.label, here)
        below, start, count = nodes.label, here, size


@kernel
def label_level(below, start, count, label, here, begin, end):
    """Nodes of one level, whose labels begin at `here`; the `count` labels one level down begin at `start`."""
    for node in range(begin, end):
        at = start + node * LANES
        common = below[at]
        for i in range(at + 1, start + lesser(node * LANES + LANES, count)):
            if below[i] != common:
                common = MIXED
                break
        label[here + node] = common


@kernel
def _label_leaves(labels, group, n, label, begin, end):
    """Leaves, whose labels come first, where components are parts of groups."""
    for leaf in range(begin, end):
        common = group[labels[leaf * LANES]]
        for i in range(leaf * LANES + 1, lesser(leaf * LANES + LANES, n)):
            if group[labels[i]] != common:
                common = MIXED
                break
        label[leaf] = common
