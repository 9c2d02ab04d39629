"""Arrays that come to the current GPU, from the host or from other GPUs, and several that become one. Kernels:
convert.cu, copies.cu.

What is copied from another GPU must have been written before, and its memory must not be used again until it has been
read. `settled` says that the caller sees to both, so that copies need no order of their own.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

import cupy
import numpy as np

from emst.cuda.runtime.arguments import as_bytes
from emst.cuda.runtime.constants import MOST_PIECES
from emst.cuda.runtime.launch import current_gpu, launch
from emst.cuda.runtime.memory import empties


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


def asarrays(*arrays: Any) -> list[Any]:
    """See `emst.backend.operations`."""
    for array in arrays:
        if array is not None and not _is_here(array):
            break
    else:  # as a rule: a round asks for the same arrays often
        return list(arrays)
    ours = iter(concatenated_columns([[array] for array in arrays if array is not None]))
    return [None if array is None else next(ours) for array in arrays]


def concatenated(parts: Sequence[Any]) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    return concatenated_columns([parts])[0]


def concatenated_columns(columns: Sequence[Sequence[Any]]) -> list[cupy.ndarray]:
    """See `emst.backend.operations`. Small parts are copied by one launch."""
    filled = [[part for part in parts if len(part)] or parts[:1] for parts in columns]
    moved = [len(parts) > 1 or (_is_small(parts[0]) and not _is_here(parts[0])) for parts in filled]
    there = [parts for parts, moves in zip(filled, moved) if moves]
    wholes = empties(*(((sum(map(len, parts)), *parts[0].shape[1:]), parts[0].dtype) for parts in there))
    pieces: list[Piece] = []
    for parts, whole in zip(there, wholes):
        begin, row = 0, whole.nbytes // max(len(whole), 1)
        for part in parts:
            end = begin + len(part)
            assert part.dtype == whole.dtype and part.shape[1:] == whole.shape[1:]
            if _is_small(part):
                pieces.append((part.data.ptr, whole.data.ptr + begin * row, part.nbytes))
            elif isinstance(part, np.ndarray):
                whole[begin:end].set(part)
            elif part.data.device_id != current_gpu():
                _from_another_gpu(part, whole[begin:end])
            else:
                write(part, whole[begin:end])
            begin = end
    _copy_pieces(pieces)
    ours = iter(wholes)
    return [next(ours) if moves else asarray(parts[0]) for parts, moves in zip(filled, moved)]


SMALL = 1 << 25  # bytes: larger arrays are copied as fast by the driver
Piece: TypeAlias = tuple[int, int, int]  # where an array lies, where it is copied to, and its bytes


def _is_here(array: Any) -> bool:
    """Whether `asarray` would return the array itself."""
    here = isinstance(array, cupy.ndarray) and array.data.device_id == current_gpu()
    return here and bool(array.flags.c_contiguous)


def _is_small(array: Any) -> bool:
    """Whether `_copy_pieces` may copy an array: kernels can read it where it is, in words."""
    if not isinstance(array, cupy.ndarray) or array.nbytes > SMALL or array.itemsize % 4:
        return False
    return _is_here(array) or (_is_settled() and _is_readable(array))


def _copy_pieces(pieces: Sequence[Piece]) -> None:
    """Copy arrays: one launch copies up to MOST_PIECES of them."""
    pieces = [piece for piece in pieces if piece[2]]
    for first in range(0, len(pieces), MOST_PIECES):
        fields, words = [], 0
        for source, place, size in pieces[first : first + MOST_PIECES]:
            words += size // 4
            fields += [source, place, words]
        table = np.zeros(3 * MOST_PIECES, np.uint64)
        table[: len(fields)] = fields
        launch("runtime/copies", "copy_pieces", words, as_bytes(table), np.int32(len(fields) // 3), words)


def copied(array: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`. CuPy compiles a kernel for every type that it copies."""
    copy = cupy.empty(array.shape, array.dtype)
    write(array, copy)
    return copy


def write(array: cupy.ndarray, place: cupy.ndarray) -> None:
    """Copy an array of the current GPU to a place there, of the same shape and dtype."""
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


_thread = threading.local()  # whether it is `settled`; by GPU, `streams` that copy, and `events`


def settled() -> AbstractContextManager[None]:
    """See `emst.backend.operations`."""
    return _Settled()


def _is_settled() -> bool:
    return getattr(_thread, "settled", False)


class _Settled(AbstractContextManager[None]):
    """Ctrl-C can come before the context or in it, and leaves the thread as it was."""

    def __enter__(self) -> None:
        self._before, _thread.settled = _is_settled(), True

    def __exit__(self, *_: object) -> None:
        _thread.settled = self._before


def _from_another_gpu(array: cupy.ndarray, place: Any = None) -> cupy.ndarray:
    """Copy an array of another GPU to the current one, to `place` if it is given. The copy begins after the values have
    been written, and ends before their memory is used again."""
    if _is_small(array):
        copy = cupy.empty(array.shape, array.dtype) if place is None else place
        _copy_pieces([(array.data.ptr, copy.data.ptr, array.nbytes)])
        return copy
    if not _is_settled():
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


def readable(array: Any) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    here = isinstance(array, cupy.ndarray) and array.data.device_id == current_gpu()
    return array if not here and _is_readable(array) else asarray(array)


def are_readable(arrays: Sequence[Any], gpus: Sequence[int]) -> bool:
    """Whether kernels on all of these GPUs can read all of these arrays in place. What was known of access is asked
    again: others in this process can close it."""
    forget_peers()
    for gpu in set(gpus):
        with cupy.cuda.Device(gpu):
            if not all(array.data.device_id == gpu or _is_readable(array) for array in arrays):
                return False
    return True


def _is_readable(array: Any) -> bool:
    """Whether kernels can read an array of another GPU in place. Memory of CUDA's own allocator, by a pool of CuPy, is
    open to all GPUs that have access to that one."""
    if not isinstance(array, cupy.ndarray) or not array.flags.c_contiguous:
        return False
    of_pool = isinstance(array.data.mem, cupy.cuda.memory.PooledMemory)
    return of_pool and _has_access(current_gpu(), array.data.device_id)


def forget_peers() -> None:
    """See `emst.backend.operations`."""
    _has_access.cache_clear()


ACCESS_ALREADY_ENABLED = 704  # CUDA's number of the error; CuPy enables access as well, for its copies


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
