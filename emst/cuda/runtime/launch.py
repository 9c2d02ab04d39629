"""Launching kernels.

Several threads may launch at once, each on the GPU that is its current one. What is kept here is kept for each GPU.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from collections import defaultdict, deque
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any, NamedTuple

import cupy

from emst.cuda.runtime.arguments import Arguments
from emst.cuda.runtime.compile import kernel, told
from emst.cuda.runtime.constants import BLOCK, EACH
from emst.cuda.runtime.signature import check


class Kernel(NamedTuple):
    """A kernel of ``<room>.cu``. The blocks of a resident one wait for one another."""

    room: str
    name: str
    resident: bool


# By GPU: kernels, and their code there, which one thread compiles or loads, and others wait for.
_loads: dict[tuple[int, Kernel], Future[tuple[Any, Any]]] = {}
_turns: defaultdict[Kernel, threading.Lock] = defaultdict(threading.Lock)  # held while a kernel is compiled or loaded
_loading = threading.Lock()  # held while these two change
MOST_LOADERS = 16  # threads


class _Thread(threading.local):
    """What a thread has launched, by GPU: kernels with the types of their arguments, and for each of these the kernel's
    code and places for its arguments, which have been checked. The thread has entered the context of these GPUs."""

    def __init__(self) -> None:
        self.ready: dict[int, dict[tuple[Any, ...], tuple[int, Arguments]]] = {}
        self.record: list[Launch] | None = None  # see `recorded`


_thread = _Thread()

current_gpu = cupy.cuda.runtime.getDevice  # number of the calling thread's GPU; a fit asks for it a hundred times


def launch(room: str, name: str, threads: int, *args: Any, block: int = BLOCK) -> None:
    """Run kernel `name` of ``<room>.cu`` with at least `threads` threads; see `launch_grid` for the arguments."""
    if threads > 0:
        _launch(room, name, (-(-threads // block), 1, 1), (block, 1, 1), args)


def launch_over_points(room: str, name: str, n: int, *args: Any) -> None:
    """Run a kernel whose threads take `EACH` of n points."""
    launch(room, name, -(-n // EACH), *args)


def launch_resident(room: str, name: str, blocks: int, *args: Any, block: int) -> None:
    """Run a kernel whose blocks wait for one another: `blocks` of them, but no more than can be resident at once."""
    blocks = max(min(blocks, most_resident(room, name, block)), 1) if blocks > 1 else 1
    _launch(room, name, (blocks, 1, 1), (block, 1, 1), args, resident=True)


def most_resident(room: str, name: str, block: int) -> int:
    """How many blocks of a kernel can be resident at once."""
    return _resident(room, name, block, current_gpu())


def all_resident(room: str, name: str, blocks: int, block: int) -> bool:
    """Whether so many blocks of a kernel can be resident at once. If so, `launch_resident` starts all of them."""
    return blocks <= most_resident(room, name, block)


def launch_grid(
    room: str,
    name: str,
    grid: tuple[int, ...],
    block: tuple[int, ...],
    args: tuple[Any, ...],
    shared: int = 0,
) -> None:
    """Run kernel `name` of ``<room>.cu`` with these blocks, threads of a block, and bytes of dynamic shared memory.

    `Arguments` says how values go. The first launch by a thread, on a GPU, with arguments of these types checks them
    against the kernel's signature and raises TypeError if they do not fit.
    """
    if 0 not in grid:  # the driver's error
        _launch(room, name, (*grid, 1, 1)[:3], (*block, 1, 1)[:3], args, shared=shared)


def _launch(
    room: str,
    name: str,
    grid: tuple[int, ...],
    block: tuple[int, ...],
    args: tuple[Any, ...],
    resident: bool = False,
    shared: int = 0,
) -> None:
    code_address, arguments = _checked(room, name, args, resident, shared)
    waits = resident and grid[0] > 1  # a block alone waits for no other one: its launch takes less time
    if _thread.record is not None:
        _thread.record.append(Launch(code_address, grid, block, shared, args, waits))
        return
    arguments.write(args)
    start(code_address, grid, block, shared, arguments.address, waits)


def _checked(room: str, name: str, args: tuple[Any, ...], resident: bool, shared: int) -> tuple[int, Arguments]:
    """The address of a kernel's code, and the thread's places for arguments of these types, which fit."""
    gpu = current_gpu()
    ready = _thread.ready.get(gpu)
    if ready is None:
        enter_context()
        ready = _thread.ready[gpu] = {}
    key = (name, room, resident, *map(type, args))
    found = ready.get(key)
    if found is None:
        check(room, name, args)
        function, code = _loaded(Kernel(room, name, resident))
        if shared:
            function.max_dynamic_shared_size_bytes = shared
        found = ready[key] = code.ptr, Arguments(args)
    return found


class Launch:
    """A launch that was recorded. The thread that has recorded it may start it on the same GPU as often as it likes,
    always with the same arguments, whose arrays are kept."""

    def __init__(
        self, code: int, grid: tuple[int, ...], block: tuple[int, ...], shared: int, args: tuple[Any, ...], waits: bool
    ) -> None:
        self._code, self._grid, self._block, self._shared, self._waits = code, grid, block, shared, waits
        self._arguments, self._kept = Arguments(args), args
        self._arguments.write(args)

    def start(self) -> None:
        """Start the kernel on the current stream."""
        start(self._code, self._grid, self._block, self._shared, self._arguments.address, self._waits)


class recorded(contextlib.AbstractContextManager[list[Launch]]):
    """A context in which this thread's launches are recorded in a list, in order, and not made. Ctrl-C can come before
    it or in it, and leaves the thread as it was."""

    def __enter__(self) -> list[Launch]:
        self._before, launches = _thread.record, list[Launch]()
        _thread.record = launches
        return launches

    def __exit__(self, *_: object) -> None:
        _thread.record = self._before


def enter_context() -> None:
    """Make the current GPU's context that of this thread: the driver does not, nor does every call of CuPy."""
    cupy.cuda.runtime.memGetInfo()


def start(
    code: int, grid: tuple[int, ...], block: tuple[int, ...], shared: int, arguments: int, resident: bool
) -> None:
    """Start a kernel on the current stream: its code, and the addresses of its arguments, by their own addresses."""
    stream = cupy.cuda.get_current_stream().ptr
    if resident:
        cupy.cuda.driver.launchCooperativeKernel(code, *grid, *block, shared, stream, arguments)
    else:
        cupy.cuda.driver.launchKernel(code, *grid, *block, shared, stream, arguments, 0)


def load_side_by_side(kernels: Iterable[Kernel]) -> None:
    """Begin to compile or load kernels on the current GPU, by a thread a core; this one does not wait.

    The threads take no further kernel once the main thread has ended. An error is that of the launch.
    """
    gpu = current_gpu()
    wanted = deque(one for one in kernels if (gpu, one) not in _loads)

    def work() -> None:
        with contextlib.suppress(BaseException), cupy.cuda.Device(gpu):
            while threading.main_thread().is_alive():
                _load(gpu, wanted.popleft())  # an IndexError when there are no more

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with contextlib.suppress(RuntimeError):  # no further thread: kernels are loaded when they are launched
        for _ in range(min(cores, MOST_LOADERS, len(wanted))):
            threading.Thread(target=work, name="emst-compiler").start()


def _loaded(wanted: Kernel) -> tuple[Any, Any]:
    """The kernel, and its code on the current GPU."""
    gpu = current_gpu()
    load = _loads.get((gpu, wanted))
    if load is not None and load.done():
        return load.result()
    with told():
        return _load(gpu, wanted)


def _load(gpu: int, wanted: Kernel) -> tuple[Any, Any]:
    """Compile or load a kernel on the current GPU, or wait for the thread that does.

    CuPy takes no lock for that. Of two threads that loaded a kernel on one GPU at the same time, one would unload its
    module while its launch still ran; and both would compile what one of them finds on disk after the other. Different
    kernels are compiled at the same time.
    """
    mine = False
    try:
        with _loading:
            load, turn = _loads.get((gpu, wanted)), _turns[wanted]
            if load is None:
                mine, load = True, Future()
                _loads[gpu, wanted] = load
        if mine:
            with turn:
                function = kernel(*wanted)
                load.set_result((function, function.kernel))
    except BaseException as error:
        if mine:
            _give_up(gpu, wanted, error)
        raise
    return load.result()


def _give_up(gpu: int, wanted: Kernel, error: BaseException) -> None:
    """Those that wait get the error, but not an interrupt, which is this thread's. The next launch tries again."""
    with _loading:
        load = _loads.pop((gpu, wanted), None)
    if load is not None and not load.done():
        interrupted = RuntimeError(f"{wanted.name} was not compiled: an interrupt came")
        load.set_exception(error if isinstance(error, Exception) else interrupted)


@functools.cache
def _resident(room: str, name: str, block: int, device: int) -> int:
    enter_context()
    code = _loaded(Kernel(room, name, True))[1].ptr
    return multiprocessors() * int(cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(code, block, 0))


def multiprocessors() -> int:
    """How many the current GPU has."""
    return _multiprocessors(current_gpu())


@functools.cache
def _multiprocessors(device: int) -> int:
    return int(cupy.cuda.runtime.deviceGetAttribute(cupy.cuda.runtime.cudaDevAttrMultiProcessorCount, device))
