"""The default minimum spanning forest on the GPU. Kernel: forest.cu, which describes the algorithm."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.backend.records import Adjacency, ForestEdges
from emst.cuda.runtime.compile import number_type
from emst.cuda.runtime.constants import FOREST_WORDS, GRAPH_THREADS, GRAPH_TILE, MOST_BLOCKS
from emst.cuda.runtime.launch import launch_resident
from emst.cuda.runtime.to_host import OnItsWay

BLOCK_TILE = GRAPH_THREADS // 32 * GRAPH_TILE  # entries that a block processes at a time
EXACT = 2**32 - 1  # with fewer entries and weights of 32 bits, a word holds an edge without loss (keys.cuh)


def graph_forest(graph: Adjacency) -> ForestEdges:
    """See `emst.backend.operations`. Only the number of edges reaches the host."""
    n, m, W = graph.n, graph.m, number_type(graph.weights.dtype)
    exact = graph.weights.dtype.itemsize == 4 and m < EXACT
    capacity = m // 2 if graph.symmetric else m
    parent, result = cupy.empty(n, np.int32), cupy.empty(2 * n, np.uint64)
    lists = cupy.empty(4 * capacity, np.uint64)
    marks, state = cupy.empty(-(-m // 32), np.uint32), cupy.zeros(FOREST_WORDS, np.uint64)
    name = f"forest<{W}, {number_type(graph.indptr.dtype)}, {str(exact).lower()}>"
    blocks = min(max(m // BLOCK_TILE, n // (4 * GRAPH_THREADS)) + 1, MOST_BLOCKS)
    launch_resident(
        "graph/forest",
        name,
        blocks,
        *(graph.indptr, n, graph.indices, graph.weights, m, np.int32(graph.symmetric), np.int32(m.bit_length())),
        *(parent, result, lists, capacity, marks, state),
        block=GRAPH_THREADS,
    )
    (k,) = OnItsWay(state[:1]).arrived()

    def part(dtype: Any, start: int) -> cupy.ndarray:
        return cupy.ndarray(k, dtype, result.data + start * n)

    return ForestEdges(part(np.int64, 0), part(np.int32, 8), part(np.int32, 12), parent)
