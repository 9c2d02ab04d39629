"""The GPU's memory: arrays in it, and how much of it is free."""

from __future__ import annotations

import functools
import math
import sys
import threading
from collections import defaultdict
from typing import Any, TypeAlias

import cupy
import numpy as np

from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.launch import current_gpu

CACHE_LINE = 128  # bytes
ONE_PIECE = 1 << 26  # bytes: larger arrays have memory of their own, which is freed when they are gone
CLEARED = 1 << 18  # bytes that are cleared at once; a request takes an eighth of them at most
PIECES_OF_STREAM, STREAMS_OF_THREAD = 4, 32  # such pieces, at most, and streams that have some
Kind: TypeAlias = tuple[int | tuple[int, ...], Any]  # shape and type of an array
Layout: TypeAlias = tuple[tuple[int, tuple[int, ...], np.dtype], ...]  # where arrays begin, their shapes and types


def empties(*kinds: Kind) -> list[cupy.ndarray]:
    """Uninitialised arrays of these shapes and types. If they are small, they are in one piece of memory: asking for
    memory takes several times as long as making an array in it. It is freed when the last array is gone, so small
    results that are kept should not share it with scratch."""
    return [array_at(address) for address in scratch(*kinds)]


def scratch(*kinds: Kind) -> list[Address]:
    """Uninitialised memory for arrays that only kernels use, placed as those of `empties`. CuPy makes no arrays."""
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
    """Zeros for arrays that only kernels use, and that nobody keeps after a fit. Many calls share memory that was
    cleared once."""
    layout, total = _layout(kinds)
    return _addresses(layout, _filled(total) if total > CLEARED // 8 else _part_of_cleared(total))


def array_at(address: Address, size: int | None = None) -> cupy.ndarray:
    """The array that begins at an address, or its first elements."""
    shape = address.shape if size is None else (size, *address.shape[1:])
    memory = address.memory
    return cupy.ndarray(shape, address.dtype, memory + (address - memory.ptr))


def part_of(address: Address, begin: int) -> Address:
    """The elements from `begin` on of a one-dimensional array."""
    part = Address(address + begin * address.dtype.itemsize)
    part.memory, part.shape, part.dtype = address.memory, (len(address) - begin,), address.dtype
    return part


@functools.lru_cache(1024)
def _layout(kinds: tuple[Kind, ...]) -> tuple[Layout, int]:
    """Arrays in one piece of memory, each on a cache line, and how many bytes it has."""
    layout, total = [], 0
    for size, dtype in kinds:
        shape, dtype = (size,) if isinstance(size, int) else size, np.dtype(dtype)
        layout.append((total, shape, dtype))
        total += -(-math.prod(shape) * dtype.itemsize // CACHE_LINE) * CACHE_LINE
    return tuple(layout), total


def _addresses(layout: Layout, memory: Any) -> list[Address]:
    begin, addresses = memory.ptr, []
    for at, shape, dtype in layout:  # a call for each would take as long as all else
        address = Address(begin + at)
        address.memory, address.shape, address.dtype = memory, shape, dtype
        addresses.append(address)
    return addresses


def _filled(size: int, byte: int = 0) -> Any:
    """So many bytes that are equal."""
    memory = cupy.cuda.alloc(size)
    memory.memset_async(byte, size)
    return memory


class _Piece:
    """Memory that was cleared on a stream, and how much of it has been given away. It comes from CUDA itself. In CuPy's
    pool it would keep a larger block from being freed, and the current allocator may soon be another one."""

    def __init__(self) -> None:
        self._memory = cupy.cuda.Memory(CLEARED)
        self._alone = self._references()
        self.clear()

    def _references(self) -> int:
        return sys.getrefcount(self._memory)

    def clear(self) -> None:
        """Clear it again, in the order of the current stream, which has launched all kernels that used it."""
        cupy.cuda.MemoryPointer(self._memory, 0).memset_async(0, CLEARED)
        self._used = 0

    def has(self, size: int) -> bool:
        return self._used + size <= CLEARED

    def is_held(self) -> bool:
        """Whether somebody has an address: each refers to the memory."""
        return self._references() > self._alone

    def part(self, size: int) -> Any:
        """So many of its bytes."""
        begin = self._used
        self._used += size
        return cupy.cuda.MemoryPointer(self._memory, begin)


class _Cleared(threading.local):
    """By GPU and stream: pieces of which parts are given away."""

    def __init__(self) -> None:
        self.pieces: defaultdict[tuple[int, int], list[_Piece]] = defaultdict(list)


_cleared = _Cleared()


def _part_of_cleared(size: int) -> Any:
    """So many zero bytes, which nobody else has got since they were cleared on the current stream."""
    kept, key = _cleared.pieces, (current_gpu(), cupy.cuda.get_current_stream().ptr)
    if key not in kept and len(kept) >= STREAMS_OF_THREAD:  # most of them are gone
        kept.clear()
    pieces = kept[key]
    for piece in pieces:
        if piece.has(size):
            return piece.part(size)
    for piece in pieces:
        if not piece.is_held():
            piece.clear()
            return piece.part(size)
    try:
        pieces.append(_Piece())
    except cupy.cuda.runtime.CUDARuntimeError:  # no memory is free, but the allocator may have some
        return _filled(size)
    del pieces[:-PIECES_OF_STREAM]
    return pieces[-1].part(size)


def bytes_free() -> int | None:
    """See `emst.backend.operations`: what CuPy's own pool can give; of another allocator nothing is known."""
    pool = cupy.get_default_memory_pool()
    owner: Any = getattr(cupy.cuda.get_allocator(), "__self__", None)
    if owner is not pool:
        return None
    free = int(cupy.cuda.Device().mem_info[0] + pool.free_bytes())
    limit = pool.get_limit()
    return min(free, limit - pool.used_bytes()) if limit else free
