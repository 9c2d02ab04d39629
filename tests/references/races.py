"""Threads as they hardly ever meet: many of them, in any order, and some held up between what they read and write."""

from __future__ import annotations

import functools
import random
import sys
import threading
from typing import NamedTuple

import numpy as np

from emst.cpu.runtime import parallel

THREADS = 16
ATOMIC = {"lower", "compare_and_swap"}  # read and write in one step, so nothing comes between


class Races:
    """What takes the place of `for_chunks` and `grain_for` in all stages of the CPU.

    Chunks are single items, and 16 threads take them in a shuffled order. One of eight is held up, as by the operating
    system: it reads at its turn, and what it has changed is written when all others have ended. That is possible for
    all kernels but those that read and write in one atomic step.

    Attributes
    ----------
    rooms : set of str
        Modules whose kernels have run like this.
    held_up : int
        Chunks that were.
    """

    def __init__(self, monkeypatch, seed: int) -> None:
        self.rooms: set[str] = set()
        self.held_up = 0
        self._random = random.Random(seed)
        self._switch = sys.getswitchinterval()
        monkeypatch.setattr(parallel, "thread_count", lambda: THREADS)
        for name, module in list(sys.modules.items()):
            if not name.startswith("emst.cpu.") or module is parallel:
                continue
            if getattr(module, "for_chunks", None) is parallel.for_chunks:
                monkeypatch.setattr(module, "for_chunks", self._for_chunks)
            if getattr(module, "grain_for", None) is parallel.grain_for:
                monkeypatch.setattr(module, "grain_for", lambda size, least: 1)
            if hasattr(module, "thread_count"):
                monkeypatch.setattr(module, "thread_count", lambda: THREADS)

    def __enter__(self) -> Races:
        sys.setswitchinterval(1e-6)
        return self

    def __exit__(self, *_) -> None:
        sys.setswitchinterval(self._switch)

    def _for_chunks(self, kernel, size, grain, *args, scratch=None, report=None):
        chunks = list(range(-(-size // grain)))
        self._random.shuffle(chunks)
        room = getattr(kernel, "py_func", kernel).__module__
        held = {chunk for chunk in chunks if self._random.random() < 1 / 8} if not is_atomic(kernel) else set()
        late, lock = [], threading.Lock()

        def run(*args):
            *own, begin, _ = args
            chunk = chunks[begin // grain]
            begin, end = chunk * grain, min((chunk + 1) * grain, size)
            if chunk not in held:
                kernel(*own, begin, end)
                return
            arrays: dict[tuple, Held] = {}
            of_thread = [] if scratch is None else [copied(own.pop(0), {})]  # no other thread sees it
            kernel(*of_thread, *(copied(value, arrays) for value in own), begin, end)
            with lock:
                late.extend(arrays.values())

        parallel.for_chunks(run, size, grain, *args, scratch=scratch, report=report)
        for held_array in late:
            held_array.write()
        self.rooms.add(room.removeprefix("emst.cpu."))
        self.held_up += len(held)


@functools.cache
def is_atomic(function) -> bool:
    """Whether a kernel, or a part of it, reads and writes in one step."""
    plain = getattr(function, "py_func", function)
    called = [plain.__globals__.get(name) for name in plain.__code__.co_names]
    return bool(ATOMIC & set(plain.__code__.co_names)) or any(is_atomic(f) for f in called if hasattr(f, "py_func"))


class Held(NamedTuple):
    """An array, a copy of it, and the copy that a chunk that is held up works on."""

    array: np.ndarray
    before: np.ndarray
    after: np.ndarray

    def write(self) -> None:
        if self.before.tobytes() == self.after.tobytes():
            return
        changed = self.before.view(np.uint8) != self.after.view(np.uint8)  # in any bit
        changed = changed.reshape(*self.after.shape, -1).any(axis=-1)
        self.array[changed] = self.after[changed]


def copied(value, arrays):
    """A copy of an argument for a kernel; `arrays` gets all arrays in it, each once."""
    if isinstance(value, np.ndarray):
        place = value.ctypes.data, value.shape, value.strides
        if place not in arrays:
            arrays[place] = Held(value, before := value.copy(order="C"), before.copy())
            arrays[place].after.flags.writeable = value.flags.writeable
        return arrays[place].after
    if isinstance(value, tuple):
        items = [copied(item, arrays) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value
