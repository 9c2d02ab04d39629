"""The GPU's memory: arrays in it, and how much of it is free."""

from __future__ import annotations

import functools
import math
import threading
from collections import defaultdict
from typing import Any, TypeAlias

import cupy
import numpy as np

from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.launch import current_gpu, launch

CACHE_LINE = 128  # bytes
ONE_PIECE = 1 << 22  # bytes: larger arrays have memory of their own, which is freed when they are gone
CLEARED = 1 << 18  # bytes that are cleared at once; a request takes an eighth of them at most
Kind: TypeAlias = tuple[int | tuple[int, ...], Any]  # shape and type of an array
Layout: TypeAlias = list[tuple[int, tuple[int, ...], np.dtype]]  # where arrays begin, their shapes and types


def empties(*kinds: Kind) -> list[cupy.ndarray]:
    """Uninitialised arrays of these shapes and types. If they are small, they are in one piece of memory: asking for
    memory takes several times as long as making an array in it. It is freed when the last array is gone, so small
    results that are kept should not share it with scratch."""
    return [array_at(address) for address in scratch(*kinds)]


def scratch(*kinds: Kind) -> list[Address]:
    """The same for kernels alone: uninitialised memory, without arrays of CuPy."""
    layout, total = _layout(kinds)
    if total > ONE_PIECE:
        pieces = (_layout((kind,)) for kind in kinds)
        return [address for piece, size in pieces for address in _addresses(piece, cupy.cuda.alloc(size))]
    return _addresses(layout, cupy.cuda.alloc(total))


def zeros(*kinds: Kind) -> list[cupy.ndarray]:
    """Arrays of zeros of these shapes and types, in one piece of memory, which is cleared at once."""
    layout, total = _layout(kinds)
    return [array_at(address) for address in _addresses(layout, _filled(total))]


def all_ones(*kinds: Kind) -> list[cupy.ndarray]:
    """The same for integers whose bits are all ones: -1, or the greatest."""
    layout, total = _layout(kinds)
    return [array_at(address) for address in _addresses(layout, _filled(total, 0xFF))]


def cleared(*kinds: Kind) -> list[Address]:
    """The same for kernels alone, and not to be kept: what many calls ask for is cleared at once."""
    layout, total = _layout(kinds)
    return _addresses(layout, _filled(total) if total > CLEARED // 8 else _part_of_cleared(total))


def array_at(address: Address, size: int | None = None) -> cupy.ndarray:
    """The array that begins at an address, or its first elements."""
    shape = address.shape if size is None else (size, *address.shape[1:])
    memory = address.memory
    return cupy.ndarray(shape, address.dtype, memory + (address - memory.ptr))


def part_of(address: Address, begin: int) -> Address:
    """The elements from `begin` on of a one-dimensional array."""
    return _address(address + begin * address.dtype.itemsize, address.memory, (len(address) - begin,), address.dtype)


@functools.lru_cache(1024)
def _layout(kinds: tuple[Kind, ...]) -> tuple[Layout, int]:
    """Arrays in one piece of memory, each on a cache line, and how many bytes it has."""
    layout, total = [], 0
    for size, dtype in kinds:
        shape, dtype = (size,) if isinstance(size, int) else size, np.dtype(dtype)
        layout.append((total, shape, dtype))
        total += -(-math.prod(shape) * dtype.itemsize // CACHE_LINE) * CACHE_LINE
    return layout, total


def _addresses(layout: Layout, memory: Any) -> list[Address]:
    begin = memory.ptr
    return [_address(begin + at, memory, shape, dtype) for at, shape, dtype in layout]


def _address(number: int, memory: Any, shape: tuple[int, ...], dtype: np.dtype) -> Address:
    address = Address(number)
    address.memory, address.shape, address.dtype = memory, shape, dtype
    return address


def _filled(size: int, byte: int = 0) -> Any:
    """So many bytes that are equal."""
    memory = cupy.cuda.alloc(size)
    memory.memset_async(byte, size)
    return memory


class _Cleared(threading.local):
    """By GPU: a stream, memory that was cleared on it, and how much of that has been given away."""

    def __init__(self) -> None:
        self.pieces: dict[int, tuple[int, Any, int]] = {}


_cleared = _Cleared()


def _part_of_cleared(size: int) -> Any:
    """So many zero bytes that nobody has had since they were cleared on the current stream."""
    gpu, stream = current_gpu(), cupy.cuda.get_current_stream().ptr
    of_stream, memory, used = _cleared.pieces.get(gpu, (stream, None, CLEARED))
    if of_stream != stream or used + size > CLEARED:
        memory, used = _filled(CLEARED), 0
    _cleared.pieces[gpu] = stream, memory, used + size
    return memory + used


class _Landing:
    """Pinned memory of the host, where few numbers arrive, and an event of the current GPU that says when."""

    def __init__(self, size: int) -> None:
        memory = cupy.cuda.alloc_pinned_memory(size)
        self.address, self.bytes = memory.ptr, np.frombuffer(memory, np.uint8, size)
        self.event = cupy.cuda.Event(disable_timing=True)


LANDING = 1 << 12  # bytes of a landing that is used again; larger arrays get one of their own
WORD = 4  # bytes
_landings: defaultdict[int, list[_Landing]] = defaultdict(list)  # by GPU: those that are free


class OnItsWay:
    """A small array, whose elements follow one another and are words, on its way to the host. The GPU does not wait for
    the host: it goes on with what is launched before `arrived` is called.

    A kernel sends the words: before and after a copy the GPU would be idle. Their pinned memory and event, a landing,
    are used again: making them takes as long as several launches. If an error prevents `arrived`, the kernel may still
    run, so whoever takes a landing first waits for its event.
    """

    _landing: _Landing | None = None

    def __init__(self, array: cupy.ndarray | Address) -> None:
        address = array if isinstance(array, Address) else array.data.ptr
        landing = self._take(array.dtype, math.prod(array.shape))
        words = self._size // WORD
        launch("runtime/copies", "send_words", words, address, words, landing.address)
        landing.event.record()

    def _take(self, dtype: np.dtype, count: int) -> _Landing:
        self._dtype, self._size, self._free = dtype, count * dtype.itemsize, _landings[current_gpu()]
        try:
            landing = self._free.pop() if self._size <= LANDING else _Landing(self._size)
        except IndexError:  # all are in use; other threads take them, too
            landing = _Landing(LANDING)
        self._landing = landing
        landing.event.synchronize()
        return landing

    def arrived(self) -> list[Any]:
        """Its numbers, as soon as they are there."""
        if self._landing is not None:
            self._landing.event.synchronize()
            self._numbers = self._landing.bytes[: self._size].view(self._dtype).tolist()
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


class Written(OnItsWay):
    """Few numbers, zeros at first, that a kernel writes at `address`, in memory of the host. `launched` follows the
    launch."""

    _is_launched = False

    def __init__(self, count: int, dtype: Any = np.int32) -> None:
        landing = self._take(np.dtype(dtype), count)
        landing.bytes[: self._size] = 0
        self.address = _address(landing.address, None, (count,), self._dtype)

    def launched(self) -> None:
        """From now on, what the current stream has been given can write the numbers, and nothing after that."""
        assert self._landing is not None
        self._landing.event.record()
        self._is_launched = True

    def _leave(self) -> None:
        if self._landing is not None and not self._is_launched:  # an error or an interrupt came before
            self.launched()
        super()._leave()


def bytes_free() -> int | None:
    """See `emst.backend.operations`: what CuPy's own pool can give; of another allocator nothing is known."""
    pool = cupy.get_default_memory_pool()
    owner: Any = getattr(cupy.cuda.get_allocator(), "__self__", None)
    if owner is not pool:
        return None
    free = int(cupy.cuda.Device().mem_info[0] + pool.free_bytes())
    limit = pool.get_limit()
    return min(free, limit - pool.used_bytes()) if limit else free
