"""The default minimum spanning forest of a graph on the GPU. Kernels: graph.cu, which says how it works; chosen.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.compile import number_type
from emst.cuda.launch import Compaction, launch_resident
from emst.graph.adjacency import Adjacency, Chosen

TILE_THREADS, TILE = 512, 4096  # of graph.cuh
STATE_BYTES = 512 * (8 + 4) + 16 + 8  # of State in graph.cu
NARROW = 2**32 - 1  # fewer entries than this, and a weight of 32 bits, fit one word


def graph_forest(graph: Adjacency) -> Chosen:
    """See `emst.backend.Backend.graph_forest`. Only the number of edges reaches the host."""
    roots, marks = _forest(graph)
    return _chosen(graph, roots, marks)


def _forest(graph: Adjacency) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Roots, and the forest's entries as bits."""
    n, m, W = graph.n, graph.m, number_type(graph.weights.dtype)
    words = 1 if graph.weights.dtype.itemsize == 4 and m < NARROW else 2
    capacity = m // 2 if graph.symmetric else m
    parent, least = cupy.empty(n, np.int32), cupy.empty(2 * words * n, np.uint64)
    lists = cupy.empty(2 * capacity * (1 + words), np.uint64)
    marks, state = cupy.empty(-(-m // 32), np.uint32), cupy.zeros(STATE_BYTES // 8, np.uint64)
    name = f"forest<{('Narrow', 'Wide')[words - 1]}, {W}, {number_type(graph.indptr.dtype)}>"
    blocks = max(m // TILE, n // (4 * TILE_THREADS)) + 1
    rows = (graph.indptr, n, graph.indices, graph.weights, m, np.int32(graph.symmetric))
    launch_resident("graph", name, blocks, *rows, parent, least, lists, capacity, marks, state, block=TILE_THREADS)
    return parent, marks


def _chosen(graph: Adjacency, roots: cupy.ndarray, marks: cupy.ndarray) -> Chosen:
    n, m = graph.n, graph.m
    entries, count = cupy.empty(n, np.int64), cupy.zeros(1, np.int32)
    source, target = cupy.empty(n, np.int32), cupy.empty(n, np.int32)
    name = f"list_marked<{number_type(graph.indptr.dtype)}>"
    rows = (graph.indptr, n, graph.indices)
    Compaction(m).launch("chosen", name, m, marks, m, *rows, entries, source, target, count)
    k = int(count[0])
    return Chosen(entries[:k], source[:k], target[:k], roots)
