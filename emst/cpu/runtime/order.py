"""The total order on edges, once for all of the CPU: (weight, power of the distance, smaller end, larger end), as
docs/how/total_order.md defines it. Under the plain metric a weight is the power of the distance."""

from __future__ import annotations

from emst.cpu.runtime.compile import part
from emst.cpu.runtime.numbers import greater, lesser


@part
def end_precedes(weight, distance, i, other_weight, other_distance, j):
    """Whether, of two edges of one point, that to point i comes before that to point j: their other end is the same, so
    the ids of these decide."""
    if weight != other_weight:
        return weight < other_weight
    return distance < other_distance or (distance == other_distance and i < j)


@part
def ends_precede(u, v, x, y):
    """Whether edge (u, v) comes before edge (x, y), which is as heavy and as long."""
    if lesser(u, v) != lesser(x, y):
        return lesser(u, v) < lesser(x, y)
    return greater(u, v) < greater(x, y)
