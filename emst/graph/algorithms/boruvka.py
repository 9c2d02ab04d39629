"""Borůvka's rounds: every component takes its lightest edge out, all at once, until none has one.

Both devices find the first round's edges row by row, without a list, then list the lighter edges and contract them, so
that most of the heavier ones are seen once, within a component, and never listed. From ECL-MST, the GPU has the list
that keeps representatives instead of vertices, the look before an atomic, and the threshold found by a sample. What
differs: the host takes no part between rounds, all of them being one launch; ends of chosen edges hook without
compare-and-swap, since under a strict order only pairs of components choose the same edge; the threshold is a weight
and a position, so that equal weights are split, too; and 64-bit weights of any sign. See `emst/cuda/graph.cu` and
`emst/cpu/graph.py`.

References
----------
O. Borůvka, "O jistém problému minimálním" (1926); A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A high-performance MST
implementation for GPUs" (SC'23).
"""

from __future__ import annotations

from emst.backend.operations import Backend
from emst.backend.records import Adjacency, ForestEdges

PER_EDGE = {4: 33, 8: 49}  # bytes that an edge takes beside the graph, by those of a weight: on a GPU two lists of
# both ends, weight and position, and a bit
PER_VERTEX = 60  # and a vertex; labels of the result included


def forest(graph: Adjacency, ops: Backend) -> ForestEdges:
    """Minimum spanning forest by the fastest way the device knows."""
    return ops.graph_forest(graph)
