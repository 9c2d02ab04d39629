"""Edges that rounds have found, when the tree is put together: the rows of their ends, and the total order.

They are few beside the points, so array code is fast enough.
"""

from __future__ import annotations

import numpy as np

from emst.backend.partition_records import OpenEdges
from emst.cpu.runtime.sort import sort_order

FEW_LISTS = 64  # one for each partition, and what rounds have found


def rows_here(edges, numbering, rows):
    """See `emst.backend.partition_operations`."""
    places = numbering.places(np.stack([edges.u, edges.v], axis=1))
    here = (places >= 0) & (places < len(rows))
    found = np.full(places.shape, -1, rows.dtype)
    found[here] = rows[places[here]]
    return found


def edges_from(edges, start, size, rows):
    """See `emst.backend.partition_operations`."""
    here = (edges.u >= start) & (edges.u < start + size)
    of_parts = rows.reshape(len(rows) // max(len(edges), 1), len(edges), 2)
    ends = of_parts[:, here].max(axis=0, initial=-1)
    found = OpenEdges(edges.words[here])
    found.a[:], found.b[:] = ends.min(axis=1), ends.max(axis=1)
    return found, np.flatnonzero(here).astype(np.int32)


def edge_order(edges):
    """See `emst.backend.partition_operations`. Edges with equal numbers are sorted again, by their ends, too."""
    words, order = edges.key_words(), np.arange(len(edges), dtype=np.int32)
    if len(edges) < 2:
        return order
    numbers = words[2:]
    for word in numbers:
        order = order[_order(edges.words[order, word])]
    keys = edges.words[order][:, numbers]
    alike = (keys[1:] == keys[:-1]).all(axis=1)
    tied = np.flatnonzero(np.append(alike, False) | np.append(False, alike))
    if len(tied):
        among = order[tied]
        for word in words:
            among = among[sort_order(edges.words[among, word])]
        order[tied] = among
    return order


def _order(keys):
    """As `sort_order`. Few lists that ascend, one after the other, are merged, which takes less time."""
    if np.count_nonzero(keys[1:] < keys[:-1]) < FEW_LISTS:
        return np.argsort(keys, kind="stable").astype(np.int32)
    return sort_order(keys)
