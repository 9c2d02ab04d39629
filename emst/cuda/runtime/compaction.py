"""Launches of ordered compaction. Kernels include compact.cuh.

Each block works on one tile, and the tiles publish words for one another (lookback.cuh).
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.constants import BLOCK, COMPACT_TILE, COUNTER_WORDS
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.memory import cleared, scratch


class Compaction:
    """Words that the tiles of up to n indices publish (lookback.cuh), and the epoch by which launches differ.

    Each block works on one tile. The launches must run one after the other, because they share the counter that gives
    every block its tile. `tiles` are zeros, as many as `words` says; by default the compaction makes them.
    """

    def __init__(self, n: int, tile: int = COMPACT_TILE, tiles: cupy.ndarray | Address | None = None) -> None:
        self._tile = tile
        if tiles is None:
            (tiles,) = (cleared if n > tile else scratch)(self.words(n, tile))  # a tile alone reads nothing
        self._tiles = tiles
        self._epoch = 0

    @staticmethod
    def words(n: int, tile: int = COMPACT_TILE) -> tuple[int, type]:
        """How many zeros `tiles` has, and their type."""
        return COUNTER_WORDS + -(-n // tile), np.uint64

    def launch(self, room: str, name: str, n: int, *args: Any) -> None:
        """Run a kernel that compacts or scans n indices; its last two parameters are tiles and epoch."""
        self._epoch += 1
        launch(room, name, -(-n // self._tile) * BLOCK, *args, self._tiles, np.uint32(self._epoch))
