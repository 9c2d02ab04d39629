"""What a launch is given is checked against the kernel's signature; without a GPU, since a signature is text."""

import contextlib
import ctypes
import importlib
import pathlib
import re
import threading
import time

import numpy as np
import pytest

import emst
from emst.cuda.runtime.signature import check, signature

CUDA = pathlib.Path(emst.__file__).parent / "cuda"


class OnDevice:
    """What `check` looks at in an array of CuPy."""

    __cuda_array_interface__ = None

    def __init__(self, shape, dtype):
        self.shape, self.ndim, self.dtype = shape, len(shape), np.dtype(dtype)


def test_a_signature_is_read_off_the_source():
    found = signature("points/search", "nearest_outgoing<double, 2, 0, true>")
    assert [(p.type, p.pointer, p.size) for p in found] == [
        ("double", True, 8),
        ("int", True, 4),
        ("Hierarchy", False, None),
        ("double", True, 8),
        ("Norm<0>", False, None),
        ("int", True, 4),
        ("int", True, 4),
        ("int", True, 4),
        ("int", True, 4),
        ("Bits<double>", True, 8),
        ("Bits<double>", True, 8),
        ("Bits<double>", True, 8),
        ("u64", True, 8),
        ("double", False, 8),
    ]
    assert [p.type for p in signature("graph/forest", "forest<float, i64, true>")[:4]] == ["i64", "i64", "int", "float"]


BEGIN_ROUND = [
    *(*(OnDevice((9,), "i4") for _ in range(3)), 9, np.zeros(1, "V68")),
    *(OnDevice((9, 4), "f8"), OnDevice((9, 4), "f8"), np.int32(3), np.int32(4)),
    *(OnDevice((9,), "f8"), None, OnDevice((9,), "i4"), *(OnDevice((9,), "f8") for _ in range(2))),
    OnDevice((3,), "i4"),
]
LABELS = [OnDevice((9,), "i4"), None, 9, np.zeros(1, "V68"), OnDevice((9, 4), "f4")]
LEAVES = [9, OnDevice((9, 2), "i4"), np.bool_(True), OnDevice((9,), "?")]
NUMBERS = [9, None, np.bool_(True), 1 << 40]  # for the same kernel, by address
CUT = [
    OnDevice((9,), "i4"),
    OnDevice((5,), "i4"),
    OnDevice((9,), "i4"),
    9,
    5,
    OnDevice((9,), "i4"),
    OnDevice((25,), "u8"),
]
CHOSEN = [OnDevice((9, 2), "i4"), 9, *(OnDevice((9,), "i4") for _ in range(3)), OnDevice((25,), "u8"), np.uint32(1)]
SPLITS = [OnDevice((9, 2), "i4"), 9, *(OnDevice((9,), "i4") for _ in range(3))]
RIGHT = [
    ("points/cached", "begin_round<double, 3>", BEGIN_ROUND),
    ("points/labels", "label_leaves<float, 3>", LABELS),
    ("hierarchy/selection", "leaves", LEAVES),
    ("hierarchy/selection", "list_chosen", CHOSEN),
    ("hierarchy/cut", "find_tops", CUT),
    ("hierarchy/cut", "find_components", [SPLITS[0], SPLITS[2], 9, 5, *SPLITS[2:]]),
]


@pytest.mark.parametrize("room, name, args", RIGHT, ids=[name for _, name, _ in RIGHT])
def test_right_arguments_pass(room, name, args):
    check(room, name, args)
    check(room, name, [None if isinstance(value, OnDevice) else value for value in args])
    check(room, name, [1 << 40 if isinstance(value, OnDevice) else value for value in args])  # addresses


@pytest.mark.parametrize("room, name, args", RIGHT, ids=[name for _, name, _ in RIGHT])
def test_a_wrong_number_of_arguments_raises(room, name, args):
    for wrong in (args[:-1], [*args, 0]):
        with pytest.raises(TypeError, match=rf"^{name} of {room}.cu takes {len(args)} arguments .*; got {len(wrong)}$"):
            check(room, name, wrong)


@pytest.mark.parametrize(
    "room, name, args, at, value, message",
    [
        (*RIGHT[0], 3, np.int32(9), "takes i64 for n; got an integer of 4 bytes"),
        (*RIGHT[0], 3, 9.0, "takes i64 for n; got a floating-point number of 8 bytes"),
        (*RIGHT[0], 12, OnDevice((9,), "f4"), r"takes Bits<double> \* for bound; got an array of float32"),
        (*RIGHT[0], 2, np.zeros(9, np.int32), r"takes int \* for labels; got array"),
        (*RIGHT[0], 11, 3.5, r"takes int \* for nearest; got 3.5"),
        (*RIGHT[1], 3, 3, "takes Hierarchy for h; got an integer of 8 bytes"),
        (*RIGHT[2], 2, 1, "takes bool for root_too; got an integer of 8 bytes"),
        (*RIGHT[2], 0, None, "takes i64 for clusters; got None"),
        (*RIGHT[3], 6, 1, "takes u32 for epoch; got an integer of 8 bytes"),
        (*RIGHT[5], 0, OnDevice((9,), "i4"), r"takes int2 \* for children; got an array of int32"),
    ],
)
def test_a_wrong_argument_raises(room, name, args, at, value, message):
    with pytest.raises(TypeError, match=f"^{name} of {room}.cu {message}"):
        check(room, name, [*args[:at], value, *args[at + 1 :]])


def test_every_launch_is_checked():
    """Nothing but `launch.py` gets a kernel."""
    asking = {path.name for path in CUDA.rglob("*.py") if re.search(r"import .*\bkernel\b", path.read_text())}
    assert asking == {"launch.py"}


@pytest.fixture
def launch(monkeypatch):
    """The module, with nothing loaded, in a thread whose GPU is number 0."""
    module = pytest.importorskip("emst.cuda.runtime.launch", reason="needs CuPy, which is not installed")
    monkeypatch.setattr(module, "_loads", {})
    monkeypatch.setattr(module, "current_gpu", lambda: getattr(threading.current_thread(), "gpu", 0))
    monkeypatch.setattr(module, "enter_context", lambda: None)
    monkeypatch.setattr(module, "_thread", module._Thread())
    monkeypatch.setattr(module, "start", lambda code, *args: code.started(*args))
    return module


class Code:
    """Stands for a kernel's code on a GPU, which is started there alone; it is its own address."""

    def __init__(self, kernel, gpu):
        self.kernel, self.gpu, self.ptr = kernel, gpu, self

    def started(self, grid, block, shared, arguments, resident):
        assert self.kernel.launch.current_gpu() == self.gpu
        self.kernel.launched.append((grid, block, shared, resident))


class Kernel:
    """Stands for a kernel of CuPy, which loads its code when a GPU needs it for the first time."""

    def __init__(self, launch):
        self.launch, self.code, self.loads, self.loading, self.at_once, self.launched = launch, {}, [], 0, 0, []

    @property
    def kernel(self):
        gpu = self.launch.current_gpu()
        if gpu not in self.code:
            self.loading += 1
            self.at_once = max(self.at_once, self.loading)
            time.sleep(0.02)  # other threads run meanwhile
            self.loads.append(gpu)
            self.code[gpu] = Code(self, gpu)
            self.loading -= 1
        return self.code[gpu]


def test_each_gpu_loads_a_kernel_once_and_before_it_runs(launch, monkeypatch):
    """Eight threads, two of them a GPU, launch the same kernels at the same moment."""
    kernels = {}
    monkeypatch.setattr(launch, "kernel", lambda room, name, _: kernels.setdefault(name, Kernel(launch)))
    monkeypatch.setattr(launch, "check", lambda *_: None)
    start, errors = threading.Barrier(8), []

    def work():
        try:
            start.wait()
            for name in ("leaves", "label_points", "leaves"):
                launch.launch("hierarchy/selection", name, 300, *NUMBERS)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for i, thread in enumerate(threads):
        thread.gpu = i % 4
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    for name, launches in (("leaves", 16), ("label_points", 8)):
        assert sorted(kernels[name].loads) == [0, 1, 2, 3] and kernels[name].at_once == 1
        assert len(kernels[name].launched) == launches


def test_the_first_launch_is_checked_and_later_ones_are_not(launch, monkeypatch):
    kernel = Kernel(launch)
    launched = kernel.launched
    monkeypatch.setattr(launch, "kernel", lambda *_: kernel)
    with pytest.raises(TypeError, match="takes 4 arguments"):
        launch.launch("hierarchy/selection", "leaves", 300, *NUMBERS[:-1])
    launch.launch("hierarchy/selection", "leaves", 300, *NUMBERS)
    monkeypatch.setattr(launch, "check", None)
    launch.launch("hierarchy/selection", "leaves", 300, *NUMBERS)
    launch.launch_grid("hierarchy/selection", "leaves", (2, 3), (32, 4), tuple(NUMBERS), shared=48)
    assert launched == [*[((2, 1, 1), (256, 1, 1), 0, False)] * 2, ((2, 3, 1), (32, 4, 1), 48, False)]


def test_each_thread_has_its_own_arguments(launch, monkeypatch):
    """While the driver reads the arguments of one thread, another thread writes its own."""
    kernel, read, start = Kernel(launch), [], threading.Barrier(4)
    monkeypatch.setattr(launch, "kernel", lambda *_: kernel)

    def started(code, grid, block, shared, arguments, resident):
        start.wait(10)  # all have written
        address = ctypes.c_void_p.from_address(arguments).value
        read.append(ctypes.c_longlong.from_address(address).value)

    monkeypatch.setattr(launch, "start", started)
    threads = [
        threading.Thread(target=launch.launch, args=("hierarchy/selection", "leaves", 300, clusters, *NUMBERS[1:]))
        for clusters in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(read) == [0, 1, 2, 3]


def test_every_thread_enters_the_context(launch, monkeypatch):
    """Also one with the number of a thread that has ended."""
    kernel, entered = Kernel(launch), []
    monkeypatch.setattr(launch, "kernel", lambda *_: kernel)
    monkeypatch.setattr(launch, "enter_context", lambda: entered.append(threading.current_thread()))

    def work():
        for _ in range(2):
            launch.launch("hierarchy/selection", "leaves", 300, *NUMBERS)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
        thread.join()
    assert entered == threads


@pytest.mark.gpu
def test_the_first_that_a_thread_does_may_be_a_launch():
    """Before, threads with the number of one that had ended got "invalid device context"."""
    cupy, launch = pytest.importorskip("cupy"), importlib.import_module("emst.cuda.runtime.launch").launch
    array, wide, numbers, errors = cupy.ones(100, np.float32), cupy.empty(100, np.float64), [], []

    def work():
        numbers.append(threading.get_ident())
        try:
            launch("runtime/convert", "widen", 100, array, 100, wide)
        except Exception as error:
            errors.append(error)

    while len(set(numbers)) == len(numbers) and len(numbers) < 50:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert len(set(numbers)) < len(numbers)
    assert not errors
    assert float(wide.sum()) == 100


def test_arguments_lie_where_the_driver_reads_them():
    arguments = pytest.importorskip("emst.cuda.runtime.arguments", reason="needs CuPy, which is not installed")
    struct = np.arange(17, dtype=np.int32)
    values = {
        None: 0,
        True: np.int8(1),
        -5: np.int64(-5),
        0.1: np.float64(0.1),
        np.int32(-3): np.int32(-3),
        np.uint32(2**32 - 1): np.uint32(2**32 - 1),
        np.uint64(2**64 - 1): np.uint64(2**64 - 1),
        np.float32(1e-45): np.float32(1e-45),
        np.float32(np.inf): np.float32(np.inf),
        np.float64(np.pi): np.float64(np.pi),
        np.bool_(False): np.int8(0),
        1 << 40: np.int64(1 << 40),
    }
    args = (*values, struct.view("V68"), np.int32(7))
    places = arguments.Arguments(args)
    for _ in range(2):  # as often as one likes
        places.write(args)
        addresses = (ctypes.c_void_p * len(args)).from_address(places.address)
        for address, value in zip(addresses, values.values()):
            assert address % 8 == 0
            assert ctypes.string_at(address, np.asarray(value).nbytes) == np.asarray(value).tobytes()
        assert ctypes.string_at(addresses[-2], 68) == struct.tobytes()
        assert ctypes.c_int.from_address(addresses[-1]).value == 7
    with pytest.raises(KeyError):
        arguments.Arguments(("a word",))


def test_nothing_to_do_launches_nothing(launch, monkeypatch):
    """A grid without blocks is an error of the driver."""
    kernel = Kernel(launch)
    monkeypatch.setattr(launch, "kernel", lambda *_: kernel)
    launch.launch("hierarchy/selection", "leaves", 0, *NUMBERS)
    launch.launch_grid("hierarchy/selection", "leaves", (0,), (256,), tuple(NUMBERS))
    launch.launch_grid("hierarchy/selection", "leaves", (3, 0), (256,), tuple(NUMBERS))
    assert not kernel.launched


def test_kernels_are_loaded_side_by_side(launch, monkeypatch):
    """Two at a time, each once, also the one that is launched meanwhile; an error is that of the launch."""
    together, kernels = threading.Barrier(2, timeout=10), {}

    def kernel(room, name, resident):
        if name == "broken":
            raise ValueError("does not compile")
        if name in ("first", "second"):
            together.wait()
        return kernels.setdefault(name, Kernel(launch))

    monkeypatch.setattr(launch, "kernel", kernel)
    monkeypatch.setattr(launch, "check", lambda *_: None)
    monkeypatch.setattr(launch.os, "sched_getaffinity", lambda _: range(3), raising=False)
    monkeypatch.setattr(launch.cupy.cuda, "Device", lambda gpu: contextlib.nullcontext())
    wanted = [launch.Kernel("merge", name, False) for name in ("broken", "first", "second", "third")]
    launch.load_side_by_side(wanted)
    launch.launch("merge", "first", 300)
    deadline = time.monotonic() + 10
    while any(thread.name == "emst-compiler" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert {name: one.loads for name, one in kernels.items()} == {name: [0] for name in ("first", "second", "third")}
    with pytest.raises(ValueError, match="does not compile"):
        launch.launch("merge", "broken", 300)
    launch.load_side_by_side(wanted[1:])
    assert not any(thread.name == "emst-compiler" for thread in threading.enumerate())


def test_without_a_further_thread_kernels_are_loaded_when_they_are_launched(launch, monkeypatch):
    """As where the system limits the threads of a process."""

    class NoThread(threading.Thread):
        def start(self):
            raise RuntimeError("can't start new thread")

    kernel = Kernel(launch)
    monkeypatch.setattr(launch, "kernel", lambda *_: kernel)
    monkeypatch.setattr(launch, "check", lambda *_: None)
    monkeypatch.setattr(launch.threading, "Thread", NoThread)
    launch.load_side_by_side([launch.Kernel("merge", "first", False)])
    assert kernel.loads == []
    launch.launch("merge", "first", 300)
    assert kernel.loads == [0]


def test_an_interrupt_is_that_of_one_thread(launch, monkeypatch):
    """Another thread waits for the same kernel: it gets an error that speaks of the interrupt. The next launch compiles
    the kernel."""
    compiling, waiting, errors, tries = threading.Event(), threading.Event(), [], []

    def kernel(*_):
        tries.append(1)
        if len(tries) == 1:
            compiling.set()
            waiting.wait(10)
            time.sleep(0.05)
            raise KeyboardInterrupt
        return Kernel(launch)

    def other():
        compiling.wait(10)
        waiting.set()
        try:
            launch.launch("merge", "hook", 300)
        except BaseException as error:
            errors.append(error)

    monkeypatch.setattr(launch, "kernel", kernel)
    monkeypatch.setattr(launch, "check", lambda *_: None)
    thread = threading.Thread(target=other)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        launch.launch("merge", "hook", 300)
    thread.join()
    assert [type(error) for error in errors] == [RuntimeError] and "an interrupt came" in str(errors[0])
    launch.launch("merge", "hook", 300)
    assert len(tries) == 2
