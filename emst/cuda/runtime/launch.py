"""Launching kernels, and the buffers of ordered compaction.

Several threads may launch at once, each on the GPU that is its current one. What is kept here is kept for each GPU.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import cupy
import numpy as np

from emst.cuda.runtime.compile import kernel
from emst.cuda.runtime.constants import BLOCK, COMPACT_TILE, COUNTER_WORDS, EACH
from emst.cuda.runtime.signature import check

NULL = np.uint64(0)

# Kernels that a GPU has loaded, whose arguments of these types have been checked, and the places of the null pointers.
_ready: dict[tuple[Any, ...], tuple[Any, tuple[int, ...]]] = {}
_loading = threading.Lock()


def launch(room: str, name: str, threads: int, *args: Any, block: int = BLOCK) -> None:
    """Run kernel `name` of ``<room>.cu`` with at least `threads` threads; see `launch_grid` for the arguments."""
    if threads > 0:
        launch_grid(room, name, (-(-threads // block),), (block,), args)


def launch_over_points(room: str, name: str, n: int, *args: Any) -> None:
    """Run a kernel whose threads take `EACH` of n points."""
    launch(room, name, -(-n // EACH), *args)


def launch_resident(room: str, name: str, blocks: int, *args: Any, block: int) -> None:
    """Run a kernel whose blocks wait for one another: `blocks` of them, but no more than can be resident at once."""
    blocks = max(min(blocks, most_resident(room, name, block)), 1)
    launch_grid(room, name, (blocks,), (block,), args, resident=True)


def most_resident(room: str, name: str, block: int) -> int:
    """How many blocks of a kernel can be resident at once."""
    return _resident(room, name, block, current_gpu())


def launch_grid(
    room: str,
    name: str,
    grid: tuple[int, ...],
    block: tuple[int, ...],
    args: tuple[Any, ...],
    resident: bool = False,
    shared: int = 0,
) -> None:
    """Run kernel `name` of ``<room>.cu`` with these blocks, threads of a block, and bytes of dynamic shared memory.

    Python integers go as 64 bits, floats as doubles, None as a null pointer. A GPU's first launch with arguments of
    these types checks them against the kernel's signature and raises TypeError if they do not fit.
    """
    if 0 in grid:  # CuPy would start a block
        return
    key = (current_gpu(), room, name, resident, *map(type, args))
    ready = _ready.get(key)
    if ready is None:
        check(room, name, args)
        nulls = tuple(at for at, value in enumerate(args) if value is None)
        function = _loaded(room, name, resident)[0]
        if shared:
            function.max_dynamic_shared_size_bytes = shared
        ready = _ready[key] = function, nulls
    function, nulls = ready
    if nulls:
        values = list(args)
        for at in nulls:
            values[at] = NULL
        args = tuple(values)
    function(grid, block, args, shared_mem=shared)


def _loaded(room: str, name: str, resident: bool) -> tuple[Any, Any]:
    """The kernel, and its code on the current GPU, compiled and loaded by one thread at a time.

    CuPy takes no lock for that. Of two threads that loaded a kernel on one GPU at the same time, one would unload its
    module while its launch still ran; and both would compile what one of them finds on disk after the other.
    """
    with _loading:
        function = kernel(room, name, resident)
        return function, function.kernel


def current_gpu() -> int:
    """Number of the calling thread's GPU."""
    return int(cupy.cuda.runtime.getDevice())


@functools.cache
def _resident(room: str, name: str, block: int, device: int) -> int:
    code = _loaded(room, name, True)[1].ptr
    return multiprocessors() * int(cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(code, block, 0))


def multiprocessors() -> int:
    """How many the current GPU has."""
    return _multiprocessors(current_gpu())


@functools.cache
def _multiprocessors(device: int) -> int:
    return int(cupy.cuda.runtime.deviceGetAttribute(cupy.cuda.runtime.cudaDevAttrMultiProcessorCount, device))


class Compaction:
    """Words that the tiles of up to n indices publish (lookback.cuh), and the epoch by which launches differ.

    Each block works on one tile. The launches must run one after the other, because they share the counter that gives
    every block its tile.
    """

    def __init__(self, n: int, tile: int = COMPACT_TILE) -> None:
        self._tile, tiles = tile, -(-n // tile)
        self._tiles = (cupy.zeros if tiles > 1 else cupy.empty)(COUNTER_WORDS + tiles, np.uint64)  # one reads nothing
        self._epoch = 0

    def launch(self, room: str, name: str, n: int, *args: Any) -> None:
        """Run a kernel that compacts or scans n indices; its last two parameters are tiles and epoch."""
        self._epoch += 1
        launch(room, name, -(-n // self._tile) * BLOCK, *args, self._tiles, np.uint32(self._epoch))
