"""A graph as all algorithms take it, what a look at it tells, and the forest as all algorithms return it.

The law of graphs: edges are ordered by (weight, smaller end, larger end, position in the input). In an `Adjacency` the
position of an entry stands for the last three, so one comparison of (weight, position) decides; -0.0 equals 0.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from emst.backend import Array


@dataclass(frozen=True, eq=False)
class Adjacency:
    """An undirected graph of n vertices and m entries in compressed sparse rows.

    An edge is an entry whose column is greater than its row. Columns of a row never descend, so among edges of equal
    weight the one the law prefers stands first. Entries on the diagonal mean nothing.

    Attributes
    ----------
    indptr : int32 or int64[n + 1]
    indices : int32[m]
    weights : int32, int64, float32 or float64[m]
        No NaN.
    symmetric : bool
        If true, the entries below the diagonal mirror those above, parallel edges included: every row holds all edges
        of its vertex. If false, there are none below the diagonal.
    """

    indptr: Array
    indices: Array
    weights: Array
    symmetric: bool

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """Number of entries."""
        return len(self.indices)


class GraphSurvey(NamedTuple):
    """What a look at all entries of a graph tells. All are numbers on the host; "first" is -1 where there is none.

    Where `descents` is not 0, or `first_start` and `last_end` are not 0 and m, nothing else is meant; where `outside`
    is not 0, only the NaNs are.
    """

    first_start: int  # indptr[0]
    last_end: int  # indptr[n]
    descents: int  # rows that end before they begin
    first_descent: int  # the first of them
    outside: int  # entries whose column is no vertex
    first_outside: int  # position of the first of them
    nans: int  # entries whose weight is NaN
    first_nan: int
    upper: int  # entries above the diagonal
    lower: int  # entries below it
    ascending: bool  # whether no row's columns ever descend
    fingerprint: tuple[int, int]  # 128 bits: (0, 0) if, and but for a chance of 2**-128 only if, the entries above the
    # diagonal and those below are the same edges with the same weights: sums of hashes of (smaller end, larger end,
    # weight), one triangle's less the other's, modulo 2**64. Those of parts of a graph add up to the whole's.


class Chosen(NamedTuple):
    """A spanning forest of k edges, as it stands in an `Adjacency`."""

    entries: Array  # int64[k]: positions of the edges, ascending: entries above the diagonal
    source: Array  # int32[k]: smaller ends
    target: Array  # int32[k]: larger ends
    roots: Array  # int32[n]: one and the same vertex of each component for all its vertices
