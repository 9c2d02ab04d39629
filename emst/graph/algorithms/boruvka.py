"""Borůvka's algorithm, the default: in every round all components contract their lightest outgoing edges.

Both devices find the edges of the first round row by row, without a list. Then they list the light edges and contract
them. Most of the heavier edges lie within one component by then, and are never listed. The GPU follows ECL-MST in three
points: the list holds representatives instead of vertices, a plain comparison precedes every atomic, and a sample gives
the threshold. As in MASTIFF, the rows of the largest component are not read again. It differs from both in four points:
all rounds are one launch, without the host; contraction needs no compare-and-swap, because under a strict order only
pairs of components choose the same edge; the threshold is a weight and a position, so that it also divides edges of
equal weight; weights may have 64 bits and any sign. See `emst/cuda/graph/forest.cu` and `emst/cpu/graph/forest.py`.

References
----------
O. Borůvka, "O jistém problému minimálním" (1926); A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A high-performance MST
implementation for GPUs" (SC'23); M. Koohi Esfahani, P. Kilpatrick, H. Vandierendonck, "MASTIFF: structure-aware minimum
spanning tree/forest" (ICS'22).
"""

from __future__ import annotations

from emst.backend.operations import Backend
from emst.backend.records import Adjacency, ForestEdges

# Bytes beside the graph: per edge, by the bytes of a weight, and per vertex, with the labels of the result. On a GPU an
# edge takes a bit, and its ends and a word in two lists.
PER_EDGE, PER_VERTEX = {4: 33, 8: 49}, 60


def forest(graph: Adjacency, ops: Backend) -> ForestEdges:
    """The minimum spanning forest, by the device's fastest algorithm."""
    return ops.graph_forest(graph)
