"""Borůvka's first round over points, kept for the dendrogram, in whose first round points choose the same edges.
Kernel: first_round.cu.

merge.py keeps which points hook in it, points/result.py carries what the dendrogram needs of it along with the edges,
and hierarchy/linkage.py goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from emst.cuda.merge import MergeScratch
from emst.cuda.runtime.arguments import Address, as_struct
from emst.cuda.runtime.memory import cleared, scratch

MOST_ROOTS = 1 << 29  # what first_round.cuh has bits for


@dataclass(eq=False)
class FirstRound:
    """The round as the dendrogram sees it: first_round.cuh says what the numbers are."""

    seen: Address  # uint32[m], by the place of an edge in the total order
    between: Address  # int32[components, 2]
    components: int  # that it has left


class Kept(NamedTuple):
    """The round while edges are sorted."""

    round: FirstRound | None  # its arrays are written then
    on_curve: np.ndarray  # a FirstRound of first_round.cuh, by value
    apart: Address | None  # int32[1]: see first_round.cuh


NOT_KEPT = Kept(None, as_struct([0] * 5, np.uint64), None)


def first_round(n: int, merges: MergeScratch, edges: int) -> Kept:
    """What was kept of the first round, for n points and a tree of so many edges. Nothing was kept if many points are
    equal, or if one launch took all rounds."""
    if merges.hooks is None or not 0 < merges.roots <= MOST_ROOTS:
        return NOT_KEPT
    seen, between = scratch((edges, np.uint32), ((merges.roots, 2), np.int32))
    number, apart = merges.spare, cleared((1, np.int32))[0] if merges.runs else None
    fields = [merges.hooks, merges.parent, number.data.ptr, between, apart or 0]
    on_curve = as_struct(fields, np.uint64)
    merges.compaction.launch("first_round", "number_roots", n, on_curve, n, number, merges.status)
    return Kept(FirstRound(seen, between, merges.roots), on_curve, apart)
