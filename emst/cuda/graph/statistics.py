"""Statistics of a graph on the GPU. Kernel: statistics.cu."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.backend.records import GraphStatistics
from emst.cuda.graph.forest import BLOCK_TILE
from emst.cuda.runtime.compile import number_type
from emst.cuda.runtime.constants import GRAPH_THREADS, STATISTICS_FIELDS
from emst.cuda.runtime.launch import launch, multiprocessors
from emst.cuda.runtime.to_host import OnItsWay

FIRSTS = [3, 5, 7]  # fields of the result that are first positions
BLOCKS_AN_SM = 8


def graph_statistics(indptr: Any, indices: Any, weights: Any) -> GraphStatistics:
    """See `emst.backend.operations`. One copy to the host brings all results."""
    n, m = len(indptr) - 1, len(indices)
    sums = cupy.zeros(STATISTICS_FIELDS, np.int64)
    name = f"graph_statistics<{number_type(weights.dtype)}, {number_type(indptr.dtype)}>"
    blocks = min(max(-(-m // BLOCK_TILE), 1), multiprocessors() * BLOCKS_AN_SM)
    launch("graph/statistics", name, blocks * GRAPH_THREADS, indptr, n, indices, weights, m, sums, block=GRAPH_THREADS)
    *fields, steps_down, low, high = OnItsWay(sums).arrived()
    for field in FIRSTS:  # stored as complements; zero if there is none
        fields[field] = ~fields[field] if fields[field] else -1
    return GraphStatistics._make([*fields, steps_down == 0, (low % 2**64, high % 2**64)])
