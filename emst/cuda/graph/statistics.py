"""A look at all of a graph on the GPU. Kernel: graph_survey.cu."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.backend.records import GraphStatistics
from emst.cuda.runtime.compile import number_type
from emst.cuda.runtime.launch import launch, multiprocessors

GRAPH_THREADS, BLOCK_TILE = 256, 2048  # of graph.cuh; entries that a block works on at once
FIRSTS = [3, 5, 7]  # fields of the result that are least positions
FIELDS = 13
BLOCKS_AN_SM = 8


def graph_statistics(indptr: Any, indices: Any, weights: Any) -> GraphStatistics:
    """See `emst.backend.operations`. Everything comes back in one copy."""
    n, m = len(indptr) - 1, len(indices)
    found = cupy.zeros(FIELDS, np.int64)
    name = f"look<{number_type(weights.dtype)}, {number_type(indptr.dtype)}>"
    blocks = min(max(-(-m // BLOCK_TILE), 1), multiprocessors(cupy.cuda.runtime.getDevice()) * BLOCKS_AN_SM)
    launch("graph/statistics", name, blocks * GRAPH_THREADS, indptr, n, indices, weights, m, found, block=GRAPH_THREADS)
    *seen, down, low, high = found.get().tolist()
    for field in FIRSTS:  # complements; those of nothing are zero
        seen[field] = ~seen[field] if seen[field] else -1
    return GraphStatistics._make([*seen, down == 0, (low % 2**64, high % 2**64)])
