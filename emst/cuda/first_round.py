"""Borůvka's first round over points, kept for the dendrogram, in whose first round points choose the same edges.
Kernels: first_round.cu.

merge.py keeps which points hook in it, points/result.py carries what the dendrogram needs of it along with the edges,
partitions/first_rounds.py puts the rounds of partitions together, and hierarchy/linkage.py goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import cupy
import numpy as np

from emst.cuda.merge import MergeScratch
from emst.cuda.runtime.arguments import Address, as_struct
from emst.cuda.runtime.launch import launch_over_points
from emst.cuda.runtime.memory import cleared, empties

MOST_ROOTS = 1 << 29  # what first_round.cuh has bits for


@dataclass(eq=False)
class FirstRound:
    """The round as the dendrogram sees it: first_round.cuh says what the numbers are."""

    seen: cupy.ndarray  # uint32[m], by the place of an edge in the total order
    between: cupy.ndarray  # int32[pairs, 2]: as many as there are components, or more
    components: int  # that it has left
    of_points: OfPoints | None = None  # only if points were held back


class OfPoints(NamedTuple):
    """The round as points see it."""

    hooks: Address  # Hooks[ceil(n / 32)] of first_round.cuh
    component: Address  # int32[n]


class Kept(NamedTuple):
    """The round while edges are sorted."""

    round: FirstRound | None  # its arrays are written then
    argument: np.ndarray  # a FirstRound of first_round.cuh, by value
    apart: Address | None  # int32[1]: see first_round.cuh


NOT_KEPT = Kept(None, as_struct([0] * 4, np.uint64), None)


def first_round(n: int, merges: MergeScratch, edges: int) -> Kept:
    """What was kept of the first round, for n points and a forest of so many edges. Nothing was kept if many points are
    equal, or if one launch took all rounds."""
    if merges.hooks is None or not 0 < merges.roots <= MOST_ROOTS:
        return NOT_KEPT
    seen, between = empties((edges, np.uint32), ((merges.roots, 2), np.int32))
    hooks, component = of_points = OfPoints(merges.hooks, merges.parent)
    merges.compaction.launch("first_round", "number_roots", n, hooks, n, merges.spare, merges.status)
    launch_over_points("first_round", "number_points", n, hooks, merges.spare, n, component)
    apart: Any = cleared((1, np.int32))[0] if merges.runs else None
    argument = as_struct([hooks, component, between.data.ptr, apart or 0], np.uint64)
    round = FirstRound(seen, between, merges.roots, of_points if merges.holds_back else None)
    return Kept(round, argument, apart)
