"""The team: threads that run loops of compiled kernels, and never wait for Python.

A call of `parallel.for_chunks` is a *job*: a counter that says where the next chunk begins, the size of the range, and
the arguments of the kernel, packed with the address of its loop (`numba_internals.with_loop`). Every *member* of the
team has a word of memory, on a line of its own. It holds

    IDLE      the member waits awake: it reads its word again and again, for some tens of microseconds
    ASLEEP    then it sleeps, until somebody releases its lock
    BUSY      it runs the loop of its job until there are no more chunks, and is idle again; or it has not started yet
    else      the address of packed arguments: of a job that it has been given, and has not begun with

A job is given to a member by one compare-and-swap from IDLE or ASLEEP to the address, so several callers, in several
threads of Python, share the members. A caller that finds none does the work alone, and looks again after each of its
chunks. At the end it takes the job back from members that have not begun with it: on a busy machine, milliseconds pass
before the system lets a thread run. It waits for the others, awake at first, then asleep until the last wakes it.

The memory of the words is never freed: at exit, members may still read it.
"""

from __future__ import annotations

import _thread
import atexit
import ctypes
import os
import threading
import time

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from emst.cpu.runtime.compile import compiled
from emst.cpu.runtime.numba_wrapper import COUNTER, FAILED, GRAIN, JOB, LEFT, LOCK, PLACE, SIZE, STOPPED
from emst.cpu.runtime.processors import processors

IDLE, ASLEEP, BUSY = 0, 1, 2
LINE = 128  # bytes from one member's word to the next: its word and the address of its lock
MOST = 1023  # members
AWAKE = 4000  # pauses before a thread that waits falls asleep: 60 to 200 microseconds on processors of today
SLEEPS = 2**32  # added to the number of members that have not finished, by a caller that sleeps

ARM = ("llvm.aarch64.isb", (15,))
PAUSES = {"x86": ("llvm.x86.sse2.pause", ()), "aarch64": ARM, "arm64": ARM}
INT, BYTES = ir.IntType(64), ir.IntType(8).as_pointer()


def _pointer(builder, address):
    return builder.inttoptr(address, INT.as_pointer())


@intrinsic
def _load(typingctx, address):
    def codegen(context, builder, signature, args):
        return builder.load_atomic(_pointer(builder, args[0]), "acquire", 8)

    return types.int64(types.int64), codegen


@intrinsic
def _store(typingctx, address, value):
    def codegen(context, builder, signature, args):
        builder.store_atomic(args[1], _pointer(builder, args[0]), "release", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def _add(typingctx, address, value):
    """Returns what stood there."""

    def codegen(context, builder, signature, args):
        return builder.atomic_rmw("add", _pointer(builder, args[0]), args[1], "seq_cst")

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def _raise(typingctx, address, value):
    """Write `value` unless a greater number stands there."""

    def codegen(context, builder, signature, args):
        builder.atomic_rmw("max", _pointer(builder, args[0]), args[1], "seq_cst")
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def _swap(typingctx, address, expected, value):
    """Write `value` if `expected` stands there; returns whether it did."""

    def codegen(context, builder, signature, args):
        return builder.extract_value(builder.cmpxchg(_pointer(builder, args[0]), *args[1:], "seq_cst", "seq_cst"), 1)

    return types.boolean(types.int64, types.int64, types.int64), codegen


@intrinsic
def _pause(typingctx):
    """Tell the processor that this thread waits: it leaves the core to the other hardware thread, and saves power."""

    def codegen(context, builder, signature, args):
        for processor, (name, numbers) in PAUSES.items():
            if builder.module.triple.startswith(processor):
                kind = ir.FunctionType(ir.VoidType(), [ir.IntType(32)] * len(numbers))
                function = cgutils.get_or_insert_function(builder.module, kind, name)
                builder.call(function, [ir.IntType(32)(number) for number in numbers])
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def _run(typingctx, area, once):
    """Call the loop whose address stands before packed arguments."""

    def codegen(context, builder, signature, args):
        loop = builder.load(_pointer(builder, args[0]))
        return builder.call(builder.inttoptr(loop, ir.FunctionType(INT, [INT, INT]).as_pointer()), args)

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def _acquire(typingctx, lock):
    """Sleep until somebody releases a lock of Python, which this thread needs no state of Python for."""

    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(ir.IntType(32), [BYTES, ir.IntType(32)])
        acquire = cgutils.get_or_insert_function(builder.module, kind, "PyThread_acquire_lock")
        builder.call(acquire, [builder.inttoptr(args[0], BYTES), ir.IntType(32)(1)])
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@intrinsic
def _release(typingctx, lock):
    def codegen(context, builder, signature, args):
        release = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.VoidType(), [BYTES]), "PyThread_release_lock"
        )
        builder.call(release, [builder.inttoptr(args[0], BYTES)])
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@compiled
def serve(member, awake):
    """What a member does: for ever."""
    lock = _load(member + 8)
    _store(member, IDLE)
    while True:
        area, waited = _load(member), 0
        while area == IDLE:
            if waited < awake:
                _pause()
                waited += 1
            elif _swap(member, IDLE, ASLEEP):
                _acquire(lock)
            area = _load(member)
        if not _swap(member, area, BUSY):  # the caller has taken it back
            continue
        job = _load(area + 8)
        caller = _load(job + 8 * LOCK)
        _run(area, 0)
        _store(member, IDLE)
        if _add(job + 8 * LEFT, -1) == SLEEPS + 1:  # after this, its memory may be gone
            _release(caller)


@compiled
def give(members, count, area, wanted):
    """Give a job to up to `wanted` of the members that wait, first to those that are awake; returns to how many."""
    given, left = 0, _load(area + 8) + 8 * LEFT
    for state in (IDLE, ASLEEP):
        for i in range(count):
            if given == wanted:
                return given
            member = members + i * LINE
            if _load(member) != state:
                continue
            _add(left, 1)
            if not _swap(member, state, area):
                _add(left, -1)
                continue
            given += 1
            if state == ASLEEP:
                _release(_load(member + 8))
    return given


@compiled
def run_one(area):
    """Run the next chunk; returns where it ends, or -1 if there is none."""
    return _run(area, 1)


@compiled
def close(members, count, job, end, awake):
    """Let nobody take a further chunk, take the job back from members that have not begun with it, and wait for the
    others. The job and its arguments lie before `end`. Returns the chunk that failed + 1."""
    _raise(job + 8 * COUNTER, STOPPED)
    left, waited = job + 8 * LEFT, 0
    if _load(left) > 0:
        for member in range(members, members + count * LINE, LINE):
            area = _load(member)
            if job <= area < end and _swap(member, area, IDLE):
                _add(left, -1)
    while _load(left) > 0:
        if waited < awake:
            _pause()
            waited += 1
        else:
            if _add(left, SLEEPS) > 0:
                _acquire(_load(job + 8 * LOCK))
            break
    return _load(job + 8 * FAILED)


_allocate = ctypes.pythonapi.PyMem_RawCalloc
_allocate.restype, _allocate.argtypes = ctypes.c_void_p, [ctypes.c_size_t, ctypes.c_size_t]
_allocate_lock = ctypes.pythonapi.PyThread_allocate_lock
_allocate_lock.restype = ctypes.c_void_p
_take_lock = ctypes.pythonapi.PyThread_acquire_lock
_take_lock.argtypes = [ctypes.c_void_p, ctypes.c_int]


def _new_lock() -> int:
    """Address of a lock that is taken. It is never freed: its last release may not have returned."""
    lock = _allocate_lock()
    _take_lock(lock, 1)
    return int(lock)


class Job:
    """Memory of a call, for any number of calls one after the other: the job, and places for packed arguments."""

    def __init__(self) -> None:
        self._lock = _new_lock()
        self._places = 0

    def begin(self, size: int, grain: int, places: int) -> None:
        """A new call, with packed arguments at up to `places` places."""
        if places > self._places:
            self._words = np.empty(LINE // 8 + JOB + places * PLACE, np.int64)
            self._words = self._words[-self._words.ctypes.data % LINE // 8 :]
            self.address, self._places = self._words.ctypes.data, places
            self.end = self.address + self._words.nbytes
            self._words[LOCK] = self._lock
            self._words[JOB + 1 :: PLACE][:places] = self.address
        words = self._words
        words[COUNTER] = words[FAILED] = words[LEFT] = 0
        words[SIZE], words[GRAIN] = size, grain

    def place(self, number: int) -> int:
        return int(self.address + 8 * (JOB + number * PLACE))


class Team:
    """The members of this process. Threads do not survive a fork: a forked child makes a team of its own."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.count = 0
        self.awake = 0  # pauses; with more threads than processors, those that wait leave theirs to others
        self.members = _allocate(MOST + 1, LINE)
        self.members += -self.members % LINE
        self._most = MOST
        self._lock = threading.Lock()
        for function, integers in ((serve, 2), (give, 4), (run_one, 1), (close, 5)):
            if not function.signatures:  # in a forked child, the compiler's lock may be held for ever
                function.compile((types.int64,) * integers)  # no thread waits for the compiler later
        atexit.register(self._fall_asleep)

    def grow(self, count: int) -> None:
        """Have at least `count` members, as far as the system allows so many threads.

        A member counts before its thread starts: after an interrupt between the two, its word stays BUSY, and nobody
        uses it again."""
        with self._lock:
            while self.count < min(count, self._most):
                member = self.members + self.count * LINE
                _word(member).value, _word(member + 8).value = BUSY, _new_lock()
                self.awake = AWAKE if self.count + 1 < processors() else 0
                self.count += 1
                try:
                    _thread.start_new_thread(serve, (member, self.awake))
                except RuntimeError:  # can't start new thread
                    self.count -= 1
                    self._most = self.count

    def give(self, place: int, wanted: int) -> int:
        """Give what is packed at a place to up to `wanted` members that have no work; returns to how many."""
        return give(self.members, self.count, place, wanted)

    def _fall_asleep(self) -> None:
        """At exit, their machine code is freed, which only those that sleep do not run. One that the system keeps from
        running is not waited for: it has a second."""
        late = time.monotonic() + 1
        for i in range(self.count):
            while _word(self.members + i * LINE).value == IDLE and self.process == os.getpid():
                if time.monotonic() > late:
                    return
                time.sleep(1e-4)


def _word(address: int) -> ctypes.c_int64:
    return ctypes.c_int64.from_address(address)
