"""The GPU's memory: arrays in it, and how much of it is free. Kernel: convert.cu."""

from __future__ import annotations

import contextlib
import functools
import math
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import cupy
import numpy as np

from emst.cuda.runtime.launch import current_gpu, launch


def asarray(array: Any, dtype: Any = None) -> cupy.ndarray:
    """See `emst.backend.operations`. The device is the current GPU; arrays on other GPUs are copied."""
    if isinstance(array, np.ndarray):  # what travels is what will be used
        if dtype is not None and array.dtype != dtype:
            with np.errstate(over="ignore"):  # beyond the range of `dtype`: infinite, as on the GPU
                array = array.astype(dtype)
        array = np.ascontiguousarray(array)
        if array.nbytes <= STAGED:
            return _sent(array)
    elif array.data.device_id != cupy.cuda.runtime.getDevice():
        array = _from_another_gpu(array)
    elif array.flags.c_contiguous and (dtype is None or array.dtype == dtype):
        return array
    if array.dtype == np.float32 and dtype == np.float64:
        return _converted("widen", array, dtype)
    if array.dtype == np.float64 and dtype == np.float32:
        return _converted("to_float", array, dtype)
    return cupy.ascontiguousarray(cupy.asarray(array), dtype)


def asarrays(*arrays: cupy.ndarray | None) -> list[Any]:
    """See `emst.backend.operations`. `empties` and `zeros` make arrays in one piece."""
    there = [array for array in arrays if array is not None]
    whole = all(isinstance(array, cupy.ndarray) and array.flags.c_contiguous for array in there)
    together = whole and len({array.data.mem for array in there}) == 1
    if not together or there[0].data.device_id == current_gpu():
        return [None if array is None else asarray(array) for array in arrays]
    memory = there[0].data
    begin, end = min(array.data.ptr for array in there), max(array.data.ptr + array.nbytes for array in there)
    begin -= (begin - memory.mem.ptr) % CACHE_LINE  # arrays may be parts of others: all stay aligned in the copy
    piece = cupy.ndarray((end - begin,), np.uint8, memory + (begin - memory.ptr))
    copy = _from_another_gpu(piece).data
    return [
        None if array is None else cupy.ndarray(array.shape, array.dtype, copy + (array.data.ptr - begin))
        for array in arrays
    ]


def concatenated(parts: Sequence[Any]) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    filled = [part for part in parts if len(part)] or parts[:1]
    if len(filled) == 1:
        return asarray(filled[0])
    first, at = filled[0], 0
    out = cupy.empty((sum(map(len, filled)), *first.shape[1:]), first.dtype)
    for part in filled:
        place = out[at : at + len(part)]
        if isinstance(part, np.ndarray):
            place.set(part)
        elif part.data.device_id != current_gpu():
            _from_another_gpu(part, place)
        else:
            _write(part, place)
        at += len(part)
    return out


def copied(array: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`. CuPy compiles a kernel for every type that it copies."""
    copy = cupy.empty(array.shape, array.dtype)
    _write(array, copy)
    return copy


def _write(array: cupy.ndarray, place: cupy.ndarray) -> None:
    assert array.dtype == place.dtype and array.shape == place.shape
    if array.flags.c_contiguous:
        place.data.copy_from_device_async(array.data, array.nbytes)
    else:
        place[...] = array


def _converted(kernel: str, array: Any, dtype: Any) -> cupy.ndarray:
    array, out = cupy.ascontiguousarray(cupy.asarray(array)), cupy.empty(array.shape, dtype)
    launch("runtime/convert", kernel, array.size, array, array.size, out)
    return out


STAGED = 1 << 16  # bytes of an array that the driver keeps a copy of until it has been sent


def _sent(array: np.ndarray) -> cupy.ndarray:
    """A copy of a small array. CuPy's takes several times as long, since it brings the values to memory of its own."""
    copy = cupy.empty(array.shape, array.dtype)
    if array.nbytes:
        copy.data.copy_from_host_async(array.ctypes.data, array.nbytes)
    return copy


_thread = threading.local()  # `settled`: see below; by GPU, `streams` that copy, and `events`


@contextlib.contextmanager
def settled() -> Iterator[None]:
    """See `emst.backend.operations`."""
    before = getattr(_thread, "settled", False)
    _thread.settled = True
    try:
        yield
    finally:
        _thread.settled = before


def _from_another_gpu(array: cupy.ndarray, place: Any = None) -> cupy.ndarray:
    """A copy on the current GPU, in `place` unless it is None. The values are written before they are read, and read
    before their memory can be used again."""
    if not getattr(_thread, "settled", False):
        return _copy_in_turn(array, place)
    if not array.flags.c_contiguous:
        with array.device:
            array = cupy.ascontiguousarray(array)
            cupy.cuda.get_current_stream().synchronize()
    copy = cupy.empty(array.shape, array.dtype) if place is None else place
    cupy.cuda.get_current_stream().synchronize()  # kernels that used this memory before have ended
    if array.nbytes:
        stream = _copying_stream()
        copy.data.copy_from_device_async(array.data, array.nbytes, stream)
        stream.synchronize()
    return copy


def _copy_in_turn(array: cupy.ndarray, place: Any) -> cupy.ndarray:
    """A copy for a thread whose streams may still write the values: the streams of the two GPUs wait for each other,
    and the host for neither."""
    here = cupy.cuda.get_current_stream()
    with array.device:
        array = cupy.ascontiguousarray(array)
        there = cupy.cuda.get_current_stream()
        written = _event()
        written.record(there)
    copy = cupy.empty(array.shape, array.dtype) if place is None else place
    here.wait_event(written)
    if array.nbytes:
        copy.data.copy_from_device_async(array.data, array.nbytes, here)
    read = _event()
    read.record(here)
    with array.device:
        there.wait_event(read)
    return copy


def _event() -> cupy.cuda.Event:
    """An event of the current GPU and thread. Who waits for it waits for what had been recorded by then."""
    events, gpu = _thread.__dict__.setdefault("events", {}), current_gpu()
    if gpu not in events:
        events[gpu] = cupy.cuda.Event(disable_timing=True)
    return events[gpu]


ACCESS_ALREADY_ENABLED = 704  # CUDA's number of the error; CuPy enables access as well, for its copies


def readable(array: Any) -> cupy.ndarray:
    """See `emst.backend.operations`. Memory of another GPU is read in place if it comes from CUDA's own allocator, by a
    pool of CuPy: then it is open to all GPUs that have access to that one."""
    if isinstance(array, cupy.ndarray) and array.flags.c_contiguous:
        of_pool = isinstance(array.data.mem, cupy.cuda.memory.PooledMemory)
        if array.data.device_id != current_gpu() and of_pool and _has_access(current_gpu(), array.data.device_id):
            return array
    return asarray(array)


@functools.cache
def _has_access(gpu: int, other: int) -> bool:
    """Whether kernels on a GPU, the current one, can read the other's memory. Gives it that access."""
    runtime = cupy.cuda.runtime
    if not runtime.deviceCanAccessPeer(gpu, other):
        return False
    try:
        runtime.deviceEnablePeerAccess(other)
    except runtime.CUDARuntimeError as error:
        return bool(error.status == ACCESS_ALREADY_ENABLED)
    return True


def _copying_stream() -> cupy.cuda.Stream:
    """A stream of the current GPU and thread that waits for no kernels: the other GPU may be busy."""
    streams, gpu = _thread.__dict__.setdefault("streams", {}), current_gpu()
    if gpu not in streams:
        streams[gpu] = cupy.cuda.Stream(non_blocking=True)
    return streams[gpu]


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
