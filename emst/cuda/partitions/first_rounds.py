"""Borůvka's first round over points in partitions, kept for the dendrogram. Kernels: first_rounds.cu.

Each partition keeps the round of its own points (`emst/cuda/first_round.py`). It says which of them have chosen the
edges that rounds have found (`ends_of_joined`), its edges carry what is seen of them to the list of all
(`seen_by_partition`, `insert_edges`, `merge_edges`), and the dendrogram begins with all of it (`whole_first_round`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cupy
import numpy as np

from emst.backend.partition_records import ListedEdges, Numbering, OpenEdges
from emst.cuda.first_round import MOST_ROOTS, FirstRound
from emst.cuda.runtime.arguments import as_struct
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.copies import concatenated
from emst.cuda.runtime.launch import launch, launch_over_points
from emst.cuda.runtime.memory import all_ones, cleared, empties, scratch
from emst.cuda.runtime.to_host import Written

NOTHING_SEEN = as_struct([0] * 9, np.uint64)  # a SeenEdges of first_rounds.cuh


@dataclass(eq=False)
class Ends:
    """What a partition knows of the edges that rounds have found, and of the choices of its points."""

    round: FirstRound
    base: int  # number of its first component
    choice: cupy.ndarray  # uint64[n]: of the points that were held back, see first_rounds.cuh
    ends: cupy.ndarray  # uint32[m, 2]: components of the ends that lie here, and whether they have chosen the edge
    apart: bool  # whether a distance is rounded to 0


@dataclass(eq=False)
class SeenByPartition:
    """What the edges of a partition carry along."""

    components: int  # that its first round has left
    apart: bool  # see `Ends`
    between: cupy.ndarray  # int32[components, 2]: written when its edges are listed
    between_found: cupy.ndarray  # int32[m, 2]: of the edges that rounds have found
    needs: tuple[Ends, cupy.ndarray, cupy.ndarray] | None  # until its edges are listed: see `puts`

    def puts(self, seen: cupy.ndarray) -> np.ndarray:
        """A SeenEdges of first_rounds.cuh, by value, that writes what is seen of all edges of the partition."""
        assert self.needs is not None
        here, found, which = self.needs  # what the partition knows; what is seen of found edges; which of them it lists
        round = here.round
        assert round.of_points is not None
        arrays = [round.seen.data.ptr, round.between.data.ptr, round.of_points.hooks, here.choice.data.ptr]
        of_found = [found.data.ptr, which.data.ptr]
        return as_struct([*arrays, here.base, *of_found, seen.data.ptr, self.between.data.ptr], np.uint64)


def ends_of_joined(
    first_round: FirstRound | None,
    listed: ListedEdges,
    places: cupy.ndarray,
    joined: OpenEdges,
    numbering: Numbering,
    n: int,
    base: int,
) -> Ends | None:
    """See `emst.backend.partition_operations`."""
    if first_round is None:
        return None
    assert first_round.of_points is not None, "points of partitions are held back"
    hooks, component = first_round.of_points
    (_, weight, power, _), (count, width), m = listed, joined.words.shape, len(places)
    (choice,), (ends,) = all_ones((n, np.uint64)), empties(((count, 2), np.uint32))
    (offered,), (state,), told = scratch((2 * count, np.uint64)), cleared((1, np.int32)), Written(1)
    launch_over_points("partitions/first_rounds", "offer_certain", m, places, m, hooks, choice)
    found = joined.words, count, as_struct(numbering, np.int64), n
    here, name = (hooks, choice, offered, state, told.address), f"offer_found<{ctype(weight.dtype)}>"
    launch("partitions/first_rounds", name, 2 * count, places, weight, power, m, *found, *here)
    told.launched()
    args = joined.words, np.int32(width), *found[1:], component, choice, offered, base, ends
    launch("partitions/first_rounds", "see_ends", 2 * count, *args)
    return Ends(first_round, base, choice, ends, told.arrived() != [0])


def seen_by_partition(
    here: Ends | None, ends: Sequence[Ends], rows: cupy.ndarray, which: cupy.ndarray
) -> SeenByPartition | None:
    """See `emst.backend.partition_operations`."""
    if here is None:
        return None
    count, components = len(here.ends), sum(one.round.components for one in ends)
    found, between_found = empties((count, np.uint32), ((count, 2), np.int32))
    (between,) = all_ones(((here.round.components, 2), np.int32))  # some roots never hook: no edge writes theirs
    args = rows, concatenated([one.ends for one in ends]), len(ends), count, np.int32(components), found, between_found
    launch("partitions/first_rounds", "see_found", count, *args)
    return SeenByPartition(here.round.components, here.apart, between, between_found, (here, found, which))


def whole_first_round(seen: Sequence[SeenByPartition | None], of_edges: cupy.ndarray | None) -> FirstRound | None:
    """See `emst.backend.partition_operations`."""
    parts = [one for one in seen if one is not None]
    if of_edges is None or any(one.apart for one in parts):
        return None
    components, found = sum(one.components for one in parts), parts[0].between_found
    if components + len(found) > MOST_ROOTS:
        return None
    return FirstRound(of_edges, concatenated([*(one.between for one in parts), found]), components)
