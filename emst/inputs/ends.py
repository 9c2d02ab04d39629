"""Ends of edges: whether they are vertices."""

from __future__ import annotations

from emst.backend.records import Array


def outside(ends: Array, n: int) -> tuple[int, int]:
    """How many ends of edges are no vertices 0 ... n - 1, and the position of the first; (0, -1) if all are vertices.
    NaN is no vertex. No array is made where all are."""
    if len(ends) == 0 or (bool(ends.min() >= 0) and bool(ends.max() < n)):
        return 0, -1
    bad = ~((ends >= 0) & (ends < n))
    return int(bad.sum()), int(bad.argmax())
