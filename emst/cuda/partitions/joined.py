"""Edges that rounds have found, when the tree is put together: the rows of their ends, and the total order. Kernels:
joined.cu."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.backend.partition_records import Numbering, OpenEdges
from emst.cuda.runtime.arguments import as_struct
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.compile import number_type
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.sort import sort_pairs
from emst.cuda.runtime.to_host import OnItsWay


def rows_here(edges: OpenEdges, numbering: Numbering, rows: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.partition_operations`."""
    m, width = edges.words.shape
    found = cupy.empty((m, 2), rows.dtype)
    args = edges.words, np.int32(width), 2 * m, as_struct(numbering, np.int64), rows, len(rows), found
    launch("partitions/joined", f"rows_here<{number_type(rows.dtype)}>", 2 * m, *args)
    return found


def edges_from(edges: OpenEdges, start: int, size: int, rows: cupy.ndarray) -> tuple[OpenEdges, cupy.ndarray]:
    """See `emst.backend.partition_operations`. The host waits for their number."""
    m, width = edges.words.shape
    found, which, total = cupy.empty((m, width), np.uint64), cupy.empty(m, np.int32), cupy.zeros(1, np.int32)
    args = edges.words, m, start, size, rows, len(rows) // max(m, 1), found, which, total
    Compaction(m).launch("partitions/joined", f"edges_from<{width}>", m, *args)
    (count,) = OnItsWay(total).arrived()
    return OpenEdges(found[:count]), which[:count]


def edge_order(edges: OpenEdges) -> cupy.ndarray:
    """See `emst.backend.partition_operations`. Stable sorts from the last key to the first."""
    order: Any = None
    for word in edges.key_words():
        order = sort_pairs(_keys(edges, word, order), order)[1]
    return order


def _keys(edges: OpenEdges, word: int, order: Any) -> cupy.ndarray:
    """A word of every edge, in this order."""
    m, width = edges.words.shape
    keys = cupy.empty(m, np.uint64)
    launch("partitions/joined", "edge_keys", m, edges.words, np.int32(width), np.int32(word), order, m, keys)
    return keys
