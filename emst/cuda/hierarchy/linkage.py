"""The dendrogram on the GPU. Kernels: linkage.cu, which explains how it follows from Borůvka's rounds."""

from __future__ import annotations

from typing import NamedTuple

import cupy
import numpy as np

from emst.backend.records import Linkage
from emst.cuda.first_round import FirstRound
from emst.cuda.hierarchy.chains import Chains, scan_chains
from emst.cuda.hierarchy.linked import linked_linkage
from emst.cuda.hierarchy.sizes import weighted_sizes
from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.constants import (
    EACH,
    PROGRESS_WORDS,
    ROUND_THREADS,
)
from emst.cuda.runtime.launch import launch, launch_resident
from emst.cuda.runtime.memory import all_ones, cleared, empties, scratch
from emst.cuda.runtime.sort import sort_pairs
from emst.cuda.runtime.to_host import Written

KEY_BITS = 32  # of the sort's keys; 64 where these are not enough
NO_TREE = "edges are not a spanning tree: some close a cycle"


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
    chains, number = _chains_of(edges, len(weights), sizes, first_round)
    if (not early or weights_of_vertices is not None) and number.arrived() == [0]:
        raise ValueError(NO_TREE)
    if weights_of_vertices is not None:
        chains.size = weighted_sizes(chains, weights_of_vertices)
    return linked_linkage(chains, weights, total)


def _chains_of(
    edges: cupy.ndarray, m: int, sizes: cupy.ndarray | None, first_round: FirstRound | None
) -> tuple[Chains, Written]:
    """The chains of m edges, and the number of rounds, which is 0 if the edges are no tree. Kernels stay within bounds
    whatever the edges are."""
    slot_bits, bits = bits_of_keys(m)
    word = np.dtype(np.uint32 if bits <= KEY_BITS else np.uint64)
    keys, ends_below, rounds, number = close_edges(
        cupy.ascontiguousarray(edges, np.int32), slot_bits, word, first_round
    )
    keys, ranks = sort_pairs(keys, bits=bits)
    children, size = empties(((m, 2), np.int32), (m, np.int32))
    (parent,) = scratch((m, np.int32))  # memory of its own: `Chains` keeps it
    slot_mask, results = word.type((1 << slot_bits) - 1), (children, size, parent)
    args = (keys, ranks, rounds, slot_mask, m, sizes, ends_below, *results)
    scan_chains("hierarchy/linkage", f"sum_chains<u{8 * word.itemsize}>", m, *args)
    return Chains(ranks, children, size, parent, rounds), number


def bits_of_keys(m: int) -> tuple[int, int]:
    """Of m edges: of a slot, and of a round and a slot."""
    slot_bits = (2 * m + 1).bit_length()
    return slot_bits, slot_bits + (m + 1).bit_length().bit_length()


class Closed(NamedTuple):
    """What `close_edges` finds."""

    keys: Address  # of the edges
    # int32[m, 2]: by rank and side, the child: a point, or EMPTY. `sum_chains` adds the last merges of chains.
    ends_below: Address
    rounds: Address  # see `Chains`
    number: Written  # of the rounds; 0 if the edges are not a tree


def close_edges(edges: cupy.ndarray, slot_bits: int, word: np.dtype, first_round: FirstRound | None = None) -> Closed:
    """All rounds, with the key of every edge."""
    m, kind = len(edges), f"<u{8 * word.itemsize}>"
    n, begun = m + 1, 0 if first_round is None else first_round.components
    of_records = (2 * (begun or n), np.uint64)  # of the components of all rounds that are left
    (records,) = all_ones(of_records) if begun else scratch(of_records)
    (rounds,) = scratch((n.bit_length() + 3, np.int32))  # likewise
    keys, ends_below = scratch((m, word), ((m, 2), np.int32))
    # Two lists of the edges that are left. Where points were held back, most components may be left after one round.
    room = begun + begun // 2 or n
    parent, *left = scratch((begun or n, np.int32), ((room, 2), np.int32), (room, np.int32))
    (progress,), number = cleared((PROGRESS_WORDS, np.uint64)), Written(1)
    written = (*left, progress, ends_below, keys)
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
    return Closed(keys, ends_below, rounds, number)
