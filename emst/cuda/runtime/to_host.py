"""Few numbers on their way from the GPU to the host. Kernel: copies.cu.

Their pinned memory and event, a landing, are used again: making them takes as long as several launches. After an error,
and where a stage has begun early, nobody asks for the numbers, and a kernel may still write them. So whoever takes a
landing first waits for its event.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import cupy
import numpy as np

from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.launch import current_gpu, launch

LANDING = 1 << 13  # bytes of a landing that is used again; larger arrays get one of their own
WORD = 4  # bytes
EARLY_UP_TO = 1 << 22  # points of which a stage begins before the host knows the one before: of more, waits matter less


class _Landing:
    """Pinned memory of the host, where numbers arrive, and an event of the current GPU that says when."""

    def __init__(self, size: int) -> None:
        memory = cupy.cuda.alloc_pinned_memory(size)
        self.address, self.bytes = memory.ptr, np.frombuffer(memory, np.uint8, size)
        self.event = cupy.cuda.Event(disable_timing=True)


_landings: defaultdict[int, list[_Landing]] = defaultdict(list)  # by GPU: those that are free


class OnItsWay:
    """A small array on its way to the host. It is contiguous, and its elements have four or eight bytes. The GPU does
    not wait for the host: it goes on with what is launched before `arrived` is called.

    A kernel writes the numbers there: before and after a copy the GPU would be idle."""

    _landing: _Landing | None = None
    _recorded = False  # whether the event comes after the kernel

    def __init__(self, array: cupy.ndarray | Address) -> None:
        address = array if isinstance(array, Address) else array.data.ptr
        landing = self._take(array.dtype, math.prod(array.shape))
        words = self._size // WORD
        launch("runtime/copies", "send_words", words, address, words, landing.address)
        self._record(landing)

    def _take(self, dtype: np.dtype, count: int) -> _Landing:
        self._gpu, self._stream = current_gpu(), cupy.cuda.get_current_stream()
        self._dtype, self._size = dtype, count * dtype.itemsize
        try:
            landing = _landings[self._gpu].pop() if self._size <= LANDING else _Landing(self._size)
        except IndexError:  # all are in use; other threads take them, too
            landing = _Landing(LANDING)
        self._landing = landing
        landing.event.synchronize()
        return landing

    def _record(self, landing: _Landing) -> None:
        landing.event.record(self._stream)
        self._recorded = True

    def arrived(self) -> list[Any]:
        """Its numbers, as soon as they are there."""
        assert self._recorded, "the kernel is launched, and then the event recorded, before somebody waits"
        if self._landing is not None:
            self._landing.event.synchronize()
            self._numbers = self._landing.bytes[: self._size].view(self._dtype).tolist()
            self._leave()
        return self._numbers

    def _leave(self) -> None:
        landing, self._landing = self._landing, None
        if landing is None:
            return
        if not self._recorded:  # an error or an interrupt came first, perhaps after the launch
            with cupy.cuda.Device(self._gpu):
                self._record(landing)
        if len(landing.bytes) == LANDING:
            _landings[self._gpu].append(landing)
        else:  # CuPy may give its memory away
            landing.event.synchronize()

    def __del__(self) -> None:
        self._leave()


class Written(OnItsWay):
    """Few numbers, zeros at first, that a kernel writes at `address`, in memory of the host. `launched` follows the
    launch."""

    def __init__(self, count: int, dtype: Any = np.int32) -> None:
        landing = self._take(np.dtype(dtype), count)
        landing.bytes[: self._size] = 0
        self.address = Address(landing.address)
        self.address.memory, self.address.shape, self.address.dtype = landing, (count,), self._dtype

    def launched(self) -> None:
        """What the stream has been given until now can write the numbers, and nothing after that."""
        assert self._landing is not None
        self._record(self._landing)
