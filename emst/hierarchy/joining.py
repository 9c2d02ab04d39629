"""Where new points (queries) join a dendrogram; one device and the partitions share this stage.

The steps. Queries whose coordinates are too large for the scale of the points are searched at a lower scale:
`excess_of`. The core distance of a query is found as if the query were a point: by the operation `query_cores` on one
device, from the lists of `nearest_distances` over partitions. The operation `nearest_across` finds the training point
that the query joins. `leaving_of` says which cluster the query leaves, and at which height.
"""

from __future__ import annotations

import numpy as np

from emst.backend.records import Array, Condensed, Norm
from emst.hierarchy.density import density
from emst.inputs.devices import to_host
from emst.inputs.scaling import highest_exponent


def excess_of(queries: Array, scale: float, norm: Norm, core_factor: float) -> np.ndarray:
    """By how many powers of two every query is too large for the scale, int[m] on the host: its powers would overflow.

    Magnitudes are compared as integers: a GPU may take subnormal floats for 0. A query of zeros has no exponent.
    """
    integers = np.dtype(f"i{queries.dtype.itemsize}")
    magnitude = (queries.view(integers) & np.iinfo(integers).max).max(axis=1)
    greatest = to_host(magnitude).view(queries.dtype).astype(np.float64)
    highest = highest_exponent(queries.shape[1], queries.dtype, norm.degree, core_factor)
    exponent = np.frexp(greatest)[1] + (int(np.frexp(scale)[1]) - 1)
    excess = np.maximum(exponent - highest, 0)
    excess[greatest == 0] = 0
    return excess


def leaving_of(
    condensed: Condensed,
    ancestors: list[Array],
    cluster: Array,
    neighbour_height: Array,
    equal: Array,
    height: Array,
) -> tuple[Array, Array]:
    """The cluster that every query leaves, int32[m], and the height at which it leaves, T[m].

    A query leaves with its neighbour, but not before it joins: at the greater height of the two, and at the neighbour's
    if they are equal points. If the neighbour's cluster is born later than the query joins, the query leaves the first
    ancestor that is born earlier.

    Parameters
    ----------
    condensed : Condensed
        Only its clusters are read, not its points.
    ancestors : list of arrays
        Those of its clusters: `ancestors_of`.
    cluster, neighbour_height : int32[m], T[m]
        The cluster that the neighbour of every query leaves, and the height at which it leaves.
    equal : bool[m]
        Whether the query equals its neighbour.
    height : T[m]
        At which the query joins its neighbour.
    """
    height = np.where(equal, neighbour_height, np.maximum(height, neighbour_height))
    joins = density(height)
    late = joins < density(neighbour_height)
    return _first_born_before(condensed, ancestors, cluster, np.where(late, joins, np.nan)), height


def ancestors_of(condensed: Condensed) -> list[Array]:
    """Entry i holds, for every cluster, the ancestor that lies 2^i levels up, or the root: int32[K]. In the last one,
    all are the root."""
    levels = [np.maximum(condensed.parent, 0)]
    while bool(levels[-1].any()):
        levels.append(levels[-1][levels[-1]])
    return levels


def _first_born_before(condensed: Condensed, ancestors: list[Array], cluster: Array, joins: Array) -> Array:
    """Of each cluster and its ancestors, the first that is born below lambda `joins`, or the root.

    Where `joins` is NaN, it is the cluster itself.

    Children are born later than their parents. So ancestors 2^i levels up are tried, from the greatest i down, and a
    step is taken as long as the ancestor is still born too late.
    """
    for ancestor in reversed(ancestors):
        above = ancestor[cluster]
        cluster = np.where((condensed.birth[above] >= joins) & (above > 0), above, cluster)
    parent = ancestors[0]
    return np.where(condensed.birth[cluster] >= joins, parent[cluster], cluster)
