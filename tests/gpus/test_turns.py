"""Functions for several GPUs in one thread: who waits for whom, and who goes on meanwhile."""

import contextlib
import functools
from types import SimpleNamespace

import pytest

import emst.cpu
from emst.gpus import engine, turns


class Machine:
    """Stands for the GPUs: it writes down what their streams are told."""

    def __init__(self):
        self.gpu, self.told = None, []
        self.Event = self.event

    @contextlib.contextmanager
    def on_gpu(self, gpu):
        before, self.gpu = self.gpu, gpu
        try:
            yield
        finally:
            self.gpu = before

    def get_current_stream(self):
        gpu = self.gpu
        return SimpleNamespace(
            gpu=gpu,
            wait_event=lambda event: self.told.append(f"{gpu} waits for {event.of}"),
            synchronize=lambda: self.told.append(f"host waits for {gpu}"),
        )

    def event(self, disable_timing):
        gpu = self.gpu
        wait = lambda: self.told.append(f"host waits for event of {gpu}")  # noqa: E731
        return SimpleNamespace(record=self.record, of=gpu, synchronize=wait)

    def record(self, stream):
        assert stream.gpu == self.gpu
        self.told.append(f"{stream.gpu} recorded")


@pytest.fixture
def machine(monkeypatch):
    machine = Machine()
    monkeypatch.setattr(turns, "on_gpu", machine.on_gpu)
    monkeypatch.setattr(turns, "_cuda", lambda: machine)
    monkeypatch.setattr(turns, "backend_of", lambda device: emst.cpu)
    return machine


def test_a_gpu_waits_once_for_what_another_one_was_given(machine):
    order = turns.Turns([0, 1, 2])

    def told(gpu, *others):
        machine.told.clear()
        order.submit(gpu, set(others), lambda: machine.told.append(f"{machine.gpu} begins"))
        return machine.told

    assert told(0, 0, 1, 2) == ["0 begins"]  # the others have been given nothing
    assert told(1) == ["1 begins"]
    assert told(2, 0) == ["0 recorded", "2 waits for 0", "2 begins"]
    assert told(1, 0, 1) == ["1 waits for 0", "1 begins"]
    assert told(2, 0) == ["2 begins"]
    assert told(0, 0) == ["0 begins"]
    assert told(2, 0, 1) == ["0 recorded", "2 waits for 0", "1 recorded", "2 waits for 1", "2 begins"]


def test_generators_take_turns(machine):
    order, done = turns.Turns([0, 1]), []

    def steps(count, name):
        for step in range(count):
            done.append((machine.gpu, name, step))
            yield
        return name

    submitted = [(gpu, count, f"{count} steps") for gpu, count in [(0, 2), (1, 0), (0, 1), (1, 3)]]
    futures = [order.submit(gpu, set(), functools.partial(steps, *which)) for gpu, *which in submitted]
    assert [future.done() for future in futures] == [False, True, False, False]
    order.finish()
    assert [future.result() for future in futures] == [name for *_, name in submitted]
    rest = [(0, "2 steps", 1), (1, "3 steps", 1), (1, "3 steps", 2)]
    assert done == [(0, "2 steps", 0), (0, "1 steps", 0), (1, "3 steps", 0), *rest]
    machine.told.clear()
    order.submit(1, {0}, lambda: None)
    assert machine.told == ["0 recorded", "1 waits for 0"]  # 0 has been given what generators gave it


def test_arguments_and_results_are_kept_until_the_host_has_waited_for_all_gpus(machine):
    order, freed = turns.Turns([0, 1]), []

    class Result:
        def __del__(self):
            freed.append(list(machine.told))

    order.submit(0, set(), Result)
    machine.told.clear()
    order.forget()
    assert machine.told == ["0 recorded", "1 recorded"] and not freed
    order.submit(1, set(), Result)
    machine.told.clear()
    order.forget()
    assert freed == [["host waits for event of 0", "host waits for event of 1"]]
    order.forget()
    freed.clear()
    order.submit(1, {0}, functools.partial(lambda given: None, Result()))  # made before, and read now
    order.forget()
    assert not freed
    order.forget()
    assert len(freed) == 1


def test_at_the_end_results_are_kept_until_the_host_has_waited_for_all_gpus(machine, monkeypatch):
    freed = []

    class Result:
        def __del__(self):
            freed.append(list(machine.told))

    for name, stand_in in [("on_gpu", machine.on_gpu), ("backend_of", lambda device: emst.cpu)]:
        monkeypatch.setattr(engine, name, stand_in)
    monkeypatch.setattr(engine, "wait_for", lambda ops: machine.get_current_stream().synchronize())
    with engine.GPUThreads([0, 1]) as gpus, gpus.at_once():
        gpus.submit(lambda ops: Result(), at=0)
        machine.told.clear()
    assert freed == [["host waits for 0", "host waits for 1"]]


def test_an_error_leaves_the_others(machine):
    order = turns.Turns([0, 1])

    def fails():
        yield
        raise MemoryError("in the middle")

    def one_more():
        yield
        return "done"

    failed, other = order.submit(0, set(), fails), order.submit(1, set(), one_more)
    with pytest.raises(MemoryError, match="in the middle"):
        order.finish()
    assert machine.gpu is None and isinstance(failed.exception(), MemoryError)
    order.finish()
    assert other.result() == "done"
