"""Launching kernels, and the buffers of ordered compaction."""

from __future__ import annotations

import functools
from typing import Any

import cupy
import numpy as np

from emst.cuda.runtime.compile import kernel

BLOCK = 256
COMPACT_TILE = 4096  # of compact.cuh
COUNTER_WORDS = 16  # of lookback.cuh: before the words of tiles
EACH = 4  # points a thread of a pass over all points, of exact.cuh


def launch(room: str, name: str, threads: int, *args: Any, block: int = BLOCK) -> None:
    """Run kernel `name` of ``<room>.cu`` with at least `threads` threads; Python ints go as 64-bit, None as null."""
    if threads > 0:
        kernel(room, name)((-(-threads // block),), (block,), tuple(map(pointer, args)))


def launch_over_points(room: str, name: str, n: int, *args: Any) -> None:
    """Run a kernel whose threads take `EACH` of n points."""
    launch(room, name, -(-n // EACH), *args)


def pointer(value: Any) -> Any:
    """A kernel argument; None as a null pointer."""
    return np.uint64(0) if value is None else value


def launch_resident(room: str, name: str, blocks: int, *args: Any, block: int) -> None:
    """Run a kernel whose blocks wait for one another: `blocks` of them, but no more than can be resident at once."""
    blocks = max(min(blocks, _resident(room, name, block, cupy.cuda.runtime.getDevice())), 1)
    kernel(room, name, True)((blocks,), (block,), args)


@functools.cache
def _resident(room: str, name: str, block: int, device: int) -> int:
    code = kernel(room, name, True).kernel.ptr
    return multiprocessors(device) * int(cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(code, block, 0))


@functools.cache
def multiprocessors(device: int) -> int:
    """How many a device has."""
    return int(cupy.cuda.runtime.deviceGetAttribute(cupy.cuda.runtime.cudaDevAttrMultiProcessorCount, device))


class Compaction:
    """What tiles of `compact` in compact.cuh tell each other, for up to n indices, and the epoch that tells its launches
    apart. They run one after the other: they share the counter that tiles are taken from."""

    def __init__(self, n: int) -> None:
        self._tiles = cupy.zeros(COUNTER_WORDS + -(-n // COMPACT_TILE), np.uint64)
        self._epoch = 0

    def launch(self, room: str, name: str, n: int, *args: Any) -> None:
        """Run a compacting kernel over n indices; its last two parameters are tiles and epoch."""
        self._epoch += 1
        launch(room, name, -(-n // COMPACT_TILE) * BLOCK, *args, self._tiles, np.uint32(self._epoch))
