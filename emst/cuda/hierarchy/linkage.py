"""The dendrogram on the GPU. Kernels: linkage.cu, which explains how it follows from Borůvka's rounds."""

from __future__ import annotations

from dataclasses import dataclass

import cupy
import numpy as np

from emst.backend.records import Linkage
from emst.cuda.runtime.constants import BLOCK, FEW, FEW_THREADS, SCAN_TILE
from emst.cuda.runtime.launch import Compaction, launch
from emst.cuda.runtime.memory import all_ones
from emst.cuda.runtime.sort import sort_pairs

ROUND_WORDS = 7  # of a point, in the buffers of `few_rounds`
NO_TREE = "edges are not a spanning tree: some close a cycle"


@dataclass
class Chains:
    """All merges, chain after chain, each in ascending order; and the chains in the order of the rounds they closed in.

    The children of a chain's merges lie in earlier rounds, the parent of its last merge in a later one.
    """

    order: cupy.ndarray  # int32[m]: merges
    slots: cupy.ndarray  # uint32[m]: 2 * (parent of the chain's last merge) + side; 2 m for the root's chain
    starts: list[int]  # where each round begins, and m
    rounds: cupy.ndarray | None  # of few merges the same on the GPU, after the number of rounds

    def descend(self, room: str, name: str, *args: object) -> None:
        """Run a scan over the chains of each round, the root's first: kernel(order, slots, begin, count, rounds, ...,
        tiles, epoch)."""
        if self.rounds is not None:
            launch(room, name, BLOCK, self.order, self.slots, 0, 0, self.rounds, *args, None, np.uint32(0))
            return
        tiles = Compaction(len(self.order), SCAN_TILE)
        for begin, end in reversed(list(zip(self.starts[:-1], self.starts[1:]))):
            tiles.launch(room, name, end - begin, self.order, self.slots, begin, end - begin, None, *args)


def linkage(edges: cupy.ndarray, weights: cupy.ndarray, sizes: cupy.ndarray | None = None) -> Linkage:
    """See `emst.backend.operations`."""
    m = len(weights)
    child, size = cupy.empty((m, 2), np.int32), cupy.empty(m, np.int32)
    edges = cupy.ascontiguousarray(edges, np.int32)
    total = None
    if sizes is not None:
        sizes, total = cupy.ascontiguousarray(sizes, np.int32), int(sizes.sum(dtype=np.int64))
    keys, starts, bits, rounds = (few_rounds if 0 < m < FEW else run_rounds)(edges, child)
    keys, order = sort_pairs(keys, bits=bits + len(starts).bit_length())
    slots = cupy.empty(m, np.uint32)
    results = (np.uint64((1 << bits) - 1), m, sizes, slots, child, size)
    if rounds is not None:
        all_rounds = (keys, order, 0, 0, rounds, *results, None, np.uint32(0))
        launch("hierarchy/linkage", "sum_chains", BLOCK, *all_rounds)
    else:
        tiles = Compaction(m, SCAN_TILE)
        for begin, end in zip(starts[:-1], starts[1:]):
            args = (keys, order, begin, end - begin, None, *results)
            tiles.launch("hierarchy/linkage", "sum_chains", end - begin, *args)
    return Linkage(child, size, weights, Chains(order, slots, starts, rounds), total)


Found = tuple[cupy.ndarray, list[int], int, "cupy.ndarray | None"]


def few_rounds(edges: cupy.ndarray, child: cupy.ndarray) -> Found:
    """As `run_rounds`, in one launch; the last array is `Chains.rounds`."""
    m = len(edges)
    bits = _slot_bits(m)
    keys, room = cupy.empty(m, np.uint64), cupy.empty(ROUND_WORDS * (m + 1), np.uint64)
    rounds = cupy.zeros(FEW.bit_length() + 2, np.int32)
    args = (edges, m, np.int32(bits), room, child, keys, rounds)
    launch("hierarchy/linkage", "few_rounds", FEW_THREADS, *args, block=FEW_THREADS)
    count, *starts = rounds.get().tolist()
    if count == 0:
        raise ValueError(NO_TREE)
    return keys, starts[: count + 1], bits, rounds


def run_rounds(edges: cupy.ndarray, child: cupy.ndarray) -> Found:
    """Keys of all edges, where those that closed in each round begin, and the bits of a slot; points are stored in
    `child`."""
    rounds = Rounds(edges, child)
    rounds.run()
    return rounds.keys, [0, *np.cumsum(rounds.closed).tolist()], rounds.slot_bits, None


def _slot_bits(m: int) -> int:
    return (2 * m + 1).bit_length()


class Rounds:
    """Borůvka's rounds on m sorted edges, which find the chain of every edge and store the points in `child`.

    Attributes
    ----------
    keys : uint64[m]
        Of edges that have closed: round << slot_bits | slot.
    closed : list of int
        How many edges closed in each round; in the end those of the root's chain.
    """

    # _ends, _ranks: edges between components; in the first round an edge's rank is its index.
    # _opened: edges within components that have not closed, (rank, a component), numbered as before the last merging.
    # _parent, _number: of the components before the last merging, their root and its new number.

    def __init__(self, edges: cupy.ndarray, child: cupy.ndarray) -> None:
        m = len(edges)
        self.child = child
        self.slot_bits = _slot_bits(m)
        self.keys = cupy.empty(m, np.uint64)
        self.closed: list[int] = []
        self.compaction = Compaction(m + 1)
        self._count, self._ends, self._opened = m + 1, edges, cupy.empty((0, 2), np.int32)
        self._ranks: cupy.ndarray | None = None
        self._parent = self._number = None
        self._lightest = all_ones(m + 1, np.uint32)  # no slot
        self._spare = cupy.empty(m // 2 + 1, np.uint32)  # the next round's
        self._status = cupy.zeros(4, np.int32)  # roots, open edges kept, last unfinished pass of `shorten`; unused
        self._passes = 0

    def run(self) -> None:
        """Run rounds until one component is left: in a tree each component has an edge that leaves it, so that a round
        at least halves their number."""
        while self._count > 1:
            left = len(self._ends)
            launch("hierarchy/linkage", "lightest_slots", left, self._ends, self._ranks, left, self._lightest)
            kept = self._close_chains()
            roots, still_open = self._merge()
            if 2 * roots > self._count:
                raise ValueError(NO_TREE)
            if self._ranks is not None:
                self.closed.append(len(self._opened) - still_open)
            self._contract(roots, kept, still_open)
        opened, root = self._opened, np.uint64(len(self.closed) << self.slot_bits | 2 * len(self.keys))
        launch("hierarchy/linkage", "close_root", len(opened), opened, len(opened), root, self.keys)
        self.closed.append(len(opened))

    def _close_chains(self) -> cupy.ndarray:
        """Open edges that stay so, with room behind them for those that the round contracts."""
        kept, count = cupy.empty((len(self._opened) + self._count - 1, 2), np.int32), len(self._opened)
        marked = np.uint64(len(self.closed) << self.slot_bits)
        components = (self._parent, self._number, self._lightest)
        args = (self._opened, count, *components, marked, self.keys, kept, self._status[1:])
        self.compaction.launch("hierarchy/linkage", "close_chains", count, *args)
        return kept

    def _merge(self) -> tuple[int, int]:
        """Number of components left, and of edges that `_close_chains` kept open."""
        left, count = len(self._ends), self._count
        parent, number = cupy.arange(count, dtype=np.int32), cupy.empty(count, np.int32)  # without an edge: a root
        child = self.child if self._ranks is None else None
        launch("hierarchy/linkage", "hook", left, self._ends, self._ranks, left, self._lightest, parent, child)
        self.compaction.launch(
            "hierarchy/linkage", "number_roots", count, parent, count, number, self._spare, self._status
        )
        self._parent, self._number, unfinished = parent, number, self._passes
        while unfinished == self._passes:  # chains of components can be as long as there are components
            self._passes += 1
            launch("hierarchy/linkage", "shorten", count, parent, count, np.int32(self._passes), self._status[2:])
            roots, kept, unfinished = self._status[:3].get().tolist()
        return roots, kept if len(self._opened) else 0

    def _contract(self, roots: int, kept: cupy.ndarray, still_open: int) -> None:
        """The next round's edges and components; the edges that this one contracted are open."""
        left, ends, ranks = len(self._ends), cupy.empty((roots - 1, 2), np.int32), cupy.empty(roots - 1, np.int32)
        args = (self._lightest, self._parent, self._number, ends, ranks, kept[still_open:], self._status[3:])
        self.compaction.launch("hierarchy/linkage", "contract", left, self._ends, self._ranks, left, *args)
        self._opened = kept[: still_open + self._count - roots]
        self._lightest, self._spare = self._spare, self._lightest
        self._ends, self._ranks, self._count = ends, ranks, roots
