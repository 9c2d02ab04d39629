"""The dendrogram on the GPU. Kernels: linkage.cu, which explains how it follows from Borůvka's rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cupy
import numpy as np

from emst.backend.records import Linkage
from emst.cuda.first_round import FirstRound
from emst.cuda.hierarchy.sizes import weighted_sizes
from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.constants import (
    BLOCK,
    COUNTER_WORDS,
    EACH,
    FEW,
    FEW_THREADS,
    PROGRESS_WORDS,
    ROUND_THREADS,
    SCAN_TILE,
)
from emst.cuda.runtime.launch import launch, launch_resident
from emst.cuda.runtime.memory import all_ones, cleared, empties, scratch
from emst.cuda.runtime.sort import sort_pairs
from emst.cuda.runtime.to_host import Written

KEY_BITS = 32  # of the sort's keys; 64 where these are not enough
NO_TREE = "edges are not a spanning tree: some close a cycle"


@dataclass
class Chains:
    """All merges, chain after chain, each in ascending order; and the chains in the order of the rounds they closed in.

    The children of a chain's merges lie in earlier rounds, the parent of its last merge in a later one.
    """

    entries: cupy.ndarray  # int32[m]: merges; ~merge if just one of its children is a point
    slots: Address  # uint32[m]: 2 * (parent of the chain's last merge) + side; 2 m for the root's chain
    parent_merge: Address  # int32[m + 1]: of every point, its parent
    rounds: Address  # int32: their number, where each begins, and m

    @property
    def few(self) -> bool:
        """Whether one block takes the merges of all rounds."""
        return len(self.entries) < FEW

    def descend(self, path: str, name: str, *args: object) -> None:
        """Scan the chains of all rounds, the root's first: kernel(entries, slots, rounds, *args, published)."""
        _scan_rounds(path, name, len(self.entries), self.entries, self.slots, self.rounds, *args)


def linkage(
    edges: cupy.ndarray,
    weights: cupy.ndarray,
    sizes: cupy.ndarray | None = None,
    early: bool = False,
    first_round: FirstRound | None = None,
) -> Linkage:
    """See `emst.backend.operations`."""
    total, weights_of_vertices = None, None
    if sizes is not None:
        sizes, total = cupy.ascontiguousarray(sizes), int(sizes.sum(dtype=np.int64))
        if sizes.dtype == np.int64:
            sizes, weights_of_vertices = None, sizes
    if len(weights) == 0:
        kind = np.int32 if weights_of_vertices is None else np.int64
        return Linkage(cupy.empty((0, 2), np.int32), cupy.empty(0, kind), weights, None, total)
    child, size, chains, number = _begun(edges, len(weights), sizes, first_round)
    if (not early or weights_of_vertices is not None) and number.arrived() == [0]:
        raise ValueError(NO_TREE)
    if weights_of_vertices is not None:
        size = weighted_sizes(chains, child, size, weights_of_vertices)
    return Linkage(child, size, weights, chains, total)


def _begun(
    edges: cupy.ndarray, m: int, sizes: cupy.ndarray | None, first_round: FirstRound | None
) -> tuple[cupy.ndarray, cupy.ndarray, Chains, Written]:
    """Children, sizes and chains of m edges, and the number of rounds, which is 0 if the edges are no tree. Kernels
    stay within bounds whatever the edges are."""
    child, size = empties(((m, 2), np.int32), (m, np.int32))
    slot_bits = (2 * m + 1).bit_length()
    bits = slot_bits + (m + 1).bit_length().bit_length()  # of the slot and the round
    word = np.dtype(np.uint32 if bits <= KEY_BITS else np.uint64)
    keys, entries, parent_merge, rounds, number = close_edges(
        cupy.ascontiguousarray(edges, np.int32), slot_bits, word, child, first_round
    )
    keys, entries = sort_pairs(keys, entries, bits)
    (slots,) = scratch((m, np.uint32))
    slot_mask, results = word.type((1 << slot_bits) - 1), (slots, child, size)
    args = (keys, entries, rounds, slot_mask, m, sizes, *results)
    _scan_rounds("hierarchy/linkage", f"sum_chains<u{8 * word.itemsize}>", m, *args)
    return child, size, Chains(entries, slots, parent_merge, rounds), number


def _scan_rounds(path: str, name: str, m: int, *args: object) -> None:
    """Scan the chains of all rounds, which have m merges (`scan_rounds` in chains.cuh): kernel(*args, published)."""
    if m < FEW:
        launch_resident(path, name, 1, *args, None, block=FEW_THREADS)
        return
    tiles = -(-m // SCAN_TILE)
    launch_resident(path, name, tiles, *args, *cleared((COUNTER_WORDS + tiles, np.uint64)), block=BLOCK)


class Closed(NamedTuple):
    """What `close_edges` finds. `Chains` says more of two of them."""

    keys: Address  # of the edges
    entries: Address  # int32[m]
    parent_merge: Address
    rounds: Address
    number: Written  # of the rounds; 0 if the edges are not a tree


def close_edges(
    edges: cupy.ndarray, slot_bits: int, word: np.dtype, child: cupy.ndarray, first_round: FirstRound | None = None
) -> Closed:
    """All rounds, with key and entry of every edge. Points are stored in `child`."""
    m, kind = len(edges), f"<u{8 * word.itemsize}>"
    n, begun = m + 1, 0 if first_round is None else first_round.components
    of_records = (2 * (begun or n), np.uint64)  # of the components of all rounds that are left
    (records,) = all_ones(of_records) if begun else scratch(of_records)
    parent_merge, rounds = scratch((n, np.int32), (n.bit_length() + 3, np.int32))  # these are kept
    keys, entries = scratch((m, word), (m, np.int32))
    # Two lists of the edges that are left. Where points were held back, most components may be left after one round.
    room = begun + begun // 2 or n
    parent, *left = scratch((begun or n, np.int32), ((room, 2), np.int32), (room, np.int32))
    (progress,), number = cleared((PROGRESS_WORDS, np.uint64)), Written(1)
    written = (*left, progress, child, parent_merge, keys, entries)
    if first_round is not None:
        assert len(first_round.seen) == m, "it was kept of these edges"
        seen = (first_round.seen, first_round.between, len(first_round.between), np.int32(begun))
        args = (edges, m, *seen, records, *written)
        launch("hierarchy/linkage", f"begin_rounds{kind}", -(-m // EACH), *args, block=ROUND_THREADS)
    launch_resident(
        "hierarchy/linkage",
        f"close_edges{kind}",
        -(-m // (ROUND_THREADS * EACH)),
        *(edges, m, begun, np.int32(slot_bits), records, parent, *written, rounds, number.address),
        block=ROUND_THREADS,
    )
    number.launched()
    return Closed(keys, entries, parent_merge, rounds, number)
