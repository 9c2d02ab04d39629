"""The GPU's memory: arrays in it, and how much of it is free."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from typing import Any, TypeAlias

import cupy
import numpy as np

from emst.cuda.runtime.launch import current_gpu

CACHE_LINE = 128  # bytes
ONE_PIECE = 1 << 22  # bytes: larger arrays have memory of their own, which is freed when they are gone
Kind: TypeAlias = tuple[int | tuple[int, ...], Any]  # shape and type of an array


def empties(*kinds: Kind) -> list[cupy.ndarray]:
    """Uninitialised arrays of these shapes and types. If they are small, they are in one piece of memory: asking for
    memory takes several times as long as making an array in it. It is freed when the last array is gone, so small
    results that are kept should not share it with scratch."""
    places, total = _places(kinds)
    if total > ONE_PIECE:
        return [cupy.empty(shape, dtype) for shape, dtype in kinds]
    return _arrays(kinds, places, cupy.cuda.alloc(total))


def zeros(*kinds: Kind) -> list[cupy.ndarray]:
    """Arrays of zeros of these shapes and types, in one piece of memory, which is cleared at once."""
    places, total = _places(kinds)
    memory = cupy.cuda.alloc(total)
    memory.memset_async(0, total)
    return _arrays(kinds, places, memory)


@functools.lru_cache(1024)
def _places(kinds: tuple[Kind, ...]) -> tuple[list[int], int]:
    """Where arrays begin in one piece of memory, each on a cache line, and how many bytes it has."""
    places, total = [], 0
    for shape, dtype in kinds:
        places.append(total)
        size = shape if isinstance(shape, int) else math.prod(shape)
        total += -(-size * np.dtype(dtype).itemsize // CACHE_LINE) * CACHE_LINE
    return places, total


def _arrays(kinds: tuple[Kind, ...], places: list[int], memory: Any) -> list[cupy.ndarray]:
    return [cupy.ndarray(shape, dtype, memory + at) for (shape, dtype), at in zip(kinds, places)]


def all_ones(n: int, dtype: Any) -> cupy.ndarray:
    """n integers whose bits are all ones: -1, or the greatest. `cupy.full` would launch a kernel."""
    array = cupy.empty(n, dtype)
    array.data.memset_async(0xFF, array.nbytes)
    return array


class _Landing:
    """Pinned memory of the host, where few numbers arrive, and an event of the current GPU that says when."""

    def __init__(self, size: int) -> None:
        memory = cupy.cuda.alloc_pinned_memory(size)
        self.address, self.bytes = memory.ptr, np.frombuffer(memory, np.uint8, size)
        self.event = cupy.cuda.Event(disable_timing=True)


LANDING = 1 << 12  # bytes of a landing that is used again; larger arrays get one of their own
TO_HOST = 2  # CUDA's number of this kind of copy
_landings: defaultdict[int, list[_Landing]] = defaultdict(list)  # by GPU: those that are free


class OnItsWay:
    """A small array, whose elements follow one another, on its way to the host. The GPU does not wait for the host: it
    goes on with what is launched before `arrived` is called.

    Its pinned memory and event, a landing, are used again: making them takes as long as several launches. If an error
    prevents `arrived`, the copy may still run, so whoever takes a landing first waits for its event.
    """

    _landing: _Landing | None = None

    def __init__(self, array: cupy.ndarray) -> None:
        size, self._dtype, self._free = array.nbytes, array.dtype, _landings[current_gpu()]
        self._landing = landing = self._taken(size)
        landing.event.synchronize()
        self._place, stream = landing.bytes[:size], cupy.cuda.get_current_stream()
        if size:
            cupy.cuda.runtime.memcpyAsync(landing.address, array.data.ptr, size, TO_HOST, stream.ptr)
        landing.event.record(stream)

    def _taken(self, size: int) -> _Landing:
        try:
            return self._free.pop() if size <= LANDING else _Landing(size)
        except IndexError:  # all are in use; other threads take them, too
            return _Landing(LANDING)

    def arrived(self) -> list[Any]:
        """Its numbers, as soon as they are there."""
        if self._landing is not None:
            self._landing.event.synchronize()
            self._numbers = self._place.view(self._dtype).tolist()
            self._leave()
        return self._numbers

    def _leave(self) -> None:
        landing, self._landing = self._landing, None
        if landing is None:
            return
        if len(landing.bytes) == LANDING:
            self._free.append(landing)
        else:  # CuPy may give its memory away
            landing.event.synchronize()

    def __del__(self) -> None:
        self._leave()


def bytes_free() -> int | None:
    """See `emst.backend.operations`: what CuPy's own pool can give; of another allocator nothing is known."""
    pool = cupy.get_default_memory_pool()
    owner: Any = getattr(cupy.cuda.get_allocator(), "__self__", None)
    if owner is not pool:
        return None
    free = int(cupy.cuda.Device().mem_info[0] + pool.free_bytes())
    limit = pool.get_limit()
    return min(free, limit - pool.used_bytes()) if limit else free
