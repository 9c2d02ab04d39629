"""Borůvka's rounds: every component takes its lightest edge out, all at once, until none has one.

References
----------
O. Borůvka, "O jistém problému minimálním" (1926); A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A high-performance MST
implementation for GPUs" (SC'23).
"""

from __future__ import annotations

from emst.backend import Backend
from emst.graph.adjacency import Adjacency, Chosen


def forest(graph: Adjacency, ops: Backend) -> Chosen:
    """Minimum spanning forest by the fastest way the device knows."""
    return ops.graph_forest(graph)
