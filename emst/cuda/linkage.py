"""The dendrogram on the GPU. Kernels: linkage.cu, which says how it falls out of Borůvka's rounds."""

from __future__ import annotations

from dataclasses import dataclass

import cupy
import numpy as np

from emst.cuda.launch import Compaction, launch
from emst.cuda.sort import sort_pairs
from emst.hierarchy.linkage import Linkage

NO_SLOT = np.iinfo(np.uint32).max
EMPTY = np.iinfo(np.int32).min


@dataclass
class Chains:
    """All merges, chain after chain, each in ascending order; and the chains in the order of the rounds they closed in.

    What hangs from a chain's merges comes in earlier rounds, the merge that a chain hangs from in a later one.
    """

    order: cupy.ndarray  # int32[m]: merges
    slots: cupy.ndarray  # uint32[m]: 2 * (merge that the chain hangs from) + side; 2 m for the root's chain
    starts: list[int]  # where each round begins, and m
    compaction: Compaction

    def launch(self, room: str, name: str, part: int, *args: object) -> None:
        """Run a scan over the chains of one round: kernel(order, slots, begin, count, ..., tiles, epoch)."""
        begin, count = self.starts[part], self.starts[part + 1] - self.starts[part]
        self.compaction.launch(room, name, count, self.order, self.slots, begin, count, *args)


def linkage(edges: cupy.ndarray, weights: cupy.ndarray) -> Linkage:
    """See `emst.backend.Backend.linkage`."""
    m = len(weights)
    child, size = cupy.full((m, 2), EMPTY, np.int32), cupy.empty(m, np.int32)
    compaction = Compaction(m + 1)
    keys, closed, shift = _close(cupy.ascontiguousarray(edges, np.int32), child, compaction)
    keys, order = sort_pairs(keys, bits=shift + len(closed).bit_length())
    slots = cupy.empty(m, np.uint32)
    starts = [0, *np.cumsum(closed).tolist()]
    for begin, count in zip(starts, closed):
        mask = np.uint64((1 << shift) - 1)
        args = (keys, order, begin, count, mask, m, slots, child, size)
        compaction.launch("linkage", "sum_chains", count, *args)
    return Linkage(child, size, weights, Chains(order, slots, starts, compaction))


def _close(edges: cupy.ndarray, child: cupy.ndarray, compaction: Compaction) -> tuple[cupy.ndarray, list[int], int]:
    """Run the rounds; keys (round, slot) of all edges, how many closed in each round, and the bits of a slot."""
    m = len(edges)
    count, shift, left = m + 1, (2 * m + 1).bit_length(), m
    keys = cupy.empty(m, np.uint64)
    status = cupy.zeros(4, np.int32)  # roots, open edges kept, last unfinished pass of `shorten`; unused
    lightest, spare = cupy.full(count, NO_SLOT, np.uint32), cupy.empty(count // 2 + 1, np.uint32)
    ends, ranks, opened = edges, None, cupy.empty((0, 2), np.int32)
    parent = number = None
    closed: list[int] = []
    passes = 0
    while count > 1:
        launch("linkage", "lightest_slots", left, ends, ranks, left, lightest)
        if ranks is None:
            launch("linkage", "hang_points", count, lightest, count, child)
        kept = cupy.empty((len(opened) + count - 1, 2), np.int32)
        if len(opened):
            marked = np.uint64(len(closed) << shift)
            args = (opened, len(opened), parent, number, lightest, marked, keys, kept, status[1:])
            compaction.launch("linkage", "close_chains", len(opened), *args)
        parent, number = cupy.empty(count, np.int32), cupy.empty(count, np.int32)
        launch("linkage", "hook", left, ends, ranks, left, lightest, parent)
        compaction.launch("linkage", "number_roots", count, parent, count, number, spare, status)
        unfinished = passes
        while unfinished == passes:  # chains of components can be as long as there are components
            passes += 1
            launch("linkage", "shorten", count, parent, count, np.int32(passes), status[2:])
            roots, kept_count, unfinished = status[:3].get().tolist()
        kept_count = kept_count if len(opened) else 0
        if ranks is not None:
            closed.append(len(opened) - kept_count)
        old_ends, old_ranks, chosen = ends, ranks, count - roots
        ends, ranks = cupy.empty((roots - 1, 2), np.int32), cupy.empty(roots - 1, np.int32)
        contracted = (lightest, parent, number, ends, ranks, kept[kept_count:], status[3:])
        compaction.launch("linkage", "contract", left, old_ends, old_ranks, left, *contracted)
        opened = kept[: kept_count + chosen]
        lightest, spare, count, left = spare, lightest, roots, roots - 1
    root = np.uint64(len(closed) << shift | 2 * m)
    launch("linkage", "close_root", len(opened), opened, len(opened), root, keys)
    return keys, [*closed, len(opened)], shift
