"""Few numbers on their way from the GPU to the host."""

import contextlib
import importlib
from types import SimpleNamespace

import numpy as np
import pytest


@pytest.mark.gpu
def test_numbers_on_their_way_to_the_host():
    """Several at once, in any order, asked for more than once, none, and more than a landing holds."""
    import cupy

    to_host = importlib.import_module("emst.cuda.runtime.to_host")
    arrays = [
        cupy.arange(begin, begin + size, dtype=dtype)
        for begin, size, dtype in [
            (7, 3, "i4"),
            (1 << 63, 4, "u8"),
            (0, 0, "i4"),
            (5, to_host.LANDING, "i4"),
            (2, 2, "f4"),
        ]
    ]
    for order in (range(5), range(4, -1, -1)):
        sent = [to_host.OnItsWay(array) for array in arrays]
        for at in [*order, *order]:
            assert sent[at].arrived() == arrays[at].tolist()


@pytest.mark.gpu
def test_numbers_that_a_kernel_writes_for_the_host():
    """They are zeros at first, also where others have been. Where an error prevents the launch, the landing is free."""
    import cupy

    to_host = importlib.import_module("emst.cuda.runtime.to_host")
    launch = importlib.import_module("emst.cuda.runtime.launch").launch
    words = cupy.arange(1, 5, dtype=np.int32)
    for count in (4, 3, 4):
        written, unused = to_host.Written(4), to_host.Written(2)
        assert written._landing is not unused._landing
        launch("runtime/copies", "send_words", count, words, count, written.address)
        written.launched()
        del unused  # nobody has launched anything
        assert written.arrived() == [1, 2, 3, 4][:count] + [0] * (4 - count)
        assert written.arrived() == written.arrived()


@pytest.mark.gpu
def test_a_landing_waits_for_numbers_that_nobody_asked_for():
    """After an error nobody asks for them. What they land on is used again, but not before."""
    import cupy

    to_host = importlib.import_module("emst.cuda.runtime.to_host")
    ours, theirs = cupy.full(1, 7, np.int32), cupy.full(1, 8, np.int32)
    large, stream = cupy.zeros(to_host.LANDING, np.int32), cupy.cuda.Stream(non_blocking=True)
    to_host.OnItsWay(ours).arrived()  # makes a landing, if there is none
    free = to_host._landings[to_host.current_gpu()]
    for _ in range(20):
        landing = free[-1]
        with stream:
            busy = cupy.zeros(1 << 26, np.float32)
            for _ in range(20):
                busy += 1
            left = to_host.OnItsWay(theirs), to_host.OnItsWay(large)
            events = [one._landing.event for one in left]
            del left
            assert events[1].done  # its memory may be given away
        found = to_host.OnItsWay(ours)
        assert found._landing is landing
        assert found.arrived() == [7]
        stream.synchronize()
        assert landing.bytes[:4].view(np.int32)[0] == 7


class Pinned(bytearray):
    ptr = 1 << 20


class Event:
    """What stands for an event: the streams that it was recorded on."""

    def __init__(self, disable_timing):
        self.streams = []

    def record(self, stream):
        self.streams.append(stream)

    def synchronize(self):
        pass


@pytest.fixture
def module(monkeypatch):
    """The module without a GPU: of two GPUs, number 1 is the current one."""
    module = pytest.importorskip("emst.cuda.runtime.to_host", reason="needs CuPy, which is not installed")
    current = SimpleNamespace(gpu=1, entered=[])

    @contextlib.contextmanager
    def device(gpu):
        current.entered.append(gpu)
        yield

    cuda = SimpleNamespace(
        Event=Event, Device=device, alloc_pinned_memory=Pinned, get_current_stream=lambda: f"stream of {current.gpu}"
    )
    monkeypatch.setattr(module, "cupy", SimpleNamespace(cuda=cuda, ndarray=type(None)))
    monkeypatch.setattr(module, "current_gpu", lambda: current.gpu)
    monkeypatch.setattr(module, "_landings", type(module._landings)(list))
    monkeypatch.setattr(module, "current", current, raising=False)
    return module


def launched_and_interrupted(*args):
    raise KeyboardInterrupt


@pytest.mark.parametrize("kind", ["sent", "written"])
def test_a_landing_comes_back_with_an_event_that_is_after_the_kernel(module, monkeypatch, kind):
    """Ctrl-C can come after the launch, and before the event is recorded. Another GPU may be the current one when the
    numbers are dropped."""
    monkeypatch.setattr(module, "launch", launched_and_interrupted)
    array = SimpleNamespace(dtype=np.dtype(np.int32), shape=(3,), data=SimpleNamespace(ptr=7))

    def interrupted():
        if kind == "sent":
            module.OnItsWay(array)
        module.launch(module.Written(3).address)

    with pytest.raises(KeyboardInterrupt) as caught:
        interrupted()
    module.current.gpu = 0
    del caught  # and with it the numbers
    (landing,) = module._landings[1]
    assert landing.event.streams == ["stream of 1"] and module.current.entered == [1]
    assert not module._landings[0]


def test_nobody_waits_for_what_was_not_launched(module):
    written = module.Written(2)
    with pytest.raises(AssertionError):
        written.arrived()
    written.launched()
    assert written.arrived() == [0, 0] == written.arrived()
