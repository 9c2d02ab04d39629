"""The dendrogram by links, and scans over its chains. Kernels: chains.cuh.

The *rank* of a merge is its place among the sorted edges; the records of `emst.backend.records` name it so. Its *link*
is its place among the edges sorted by (round, slot, rank), where they lie chain after chain (linkage.cu). The parent of
a merge is the next link, except for the last merge of a chain. So kernels name merges by links: what a merge inherits
or collects lies beside it in memory.

A merge has a greater link than all merges below it, as with ranks. Of two merges in different branches, the one with
the greater link may have the smaller rank.
"""

from __future__ import annotations

from dataclasses import dataclass

import cupy
import numpy as np

from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.constants import BLOCK, COUNTER_WORDS, FEW, FEW_THREADS, SCAN_TILE
from emst.cuda.runtime.launch import launch_resident
from emst.cuda.runtime.memory import cleared


@dataclass
class Chains:
    """A dendrogram of m merges by links. A child of a merge is a point, the merge before it in its chain, or the last
    merge of a chain of an earlier round. The parent of a chain's last merge lies in a later round."""

    ranks: cupy.ndarray  # int32[m]: of every merge
    children: cupy.ndarray  # int32[m, 2]: links, or points -m - 1 ... -1; either may come first
    size: cupy.ndarray  # of every merge: int32[m], or int64[m] if vertices have weights of 64 bits
    parent: Address  # int32[m]: a link; m for the root
    rounds: Address  # int32: the number of rounds, the first link of each, and m

    @property
    def few(self) -> bool:
        """Whether one block takes the merges of all rounds."""
        return len(self.ranks) < FEW

    def descend(self, path: str, name: str, *args: object) -> None:
        """Scan the chains of all rounds, the root's first: kernel(parent, rounds, *args, published)."""
        scan_chains(path, name, len(self.ranks), self.parent, self.rounds, *args)


def scan_chains(path: str, name: str, m: int, *args: object) -> None:
    """Scan the chains of all rounds, which have m merges (`scan_rounds` in chains.cuh): kernel(*args, published)."""
    if m < FEW:
        launch_resident(path, name, 1, *args, None, block=FEW_THREADS)
        return
    tiles = -(-m // SCAN_TILE)
    launch_resident(path, name, tiles, *args, *cleared((COUNTER_WORDS + tiles, np.uint64)), block=BLOCK)
