"""One thread runs functions for several GPUs, in turns. A function begins on its GPU when the other GPUs have written
what it reads. While a function waits for its GPU, the others go on.

Events order the streams, so the host need not wait. They do not say when memory can be used again: one GPU may still
read what another one frees. So arguments and results are kept until all GPUs have finished what they were given.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from typing import Any

from emst.backend import backend_of
from emst.inputs.devices import on_gpu


def _cuda() -> Any:
    return backend_of("cuda").xp.cuda


class Turns:
    """Runs functions for these GPUs in the thread that makes it, on the current stream of each GPU."""

    def __init__(self, gpus: Iterable[int]) -> None:
        self._given = dict.fromkeys(gpus, 0)  # by GPU: functions until now
        self._recorded = dict.fromkeys(self._given, 0)  # functions before its event
        self._events = {gpu: self._event(gpu) for gpu in self._given}
        self._awaited: dict[tuple[int, int], int] = {}  # by GPU and another one: functions that the first waits for
        self._begun: deque[tuple[int, Future[Any], Generator[None, None, Any]]] = deque()
        self._kept: list[Any] = []  # arguments and results since the last call of `forget`
        self._before: tuple[list[Any], list[Any]] = [], []  # those before it, and events that it recorded

    def _event(self, gpu: int) -> Any:
        with on_gpu(gpu):
            return _cuda().Event(disable_timing=True)

    def submit(self, gpu: int, others: set[int], function: Callable[[], Any]) -> Future[Any]:
        """Call a function for a GPU, after what the others were given. A generator runs to its first `yield`, and goes
        on in `finish`. The function holds its arguments, so they are kept with it."""
        future: Future[Any] = Future()
        self._kept.append((function, future))
        with on_gpu(gpu):
            self._follow(gpu, others)
            with backend_of("cuda").ordered():
                result = function()
        if not isinstance(result, Generator):
            self._end(gpu, future, result)
        elif not self._ends(gpu, future, result):
            self._begun.append((gpu, future, result))
        return future

    def _follow(self, gpu: int, others: set[int]) -> None:
        """Let the current GPU begin its next function after everything that the others have been given so far."""
        for other in others - {gpu}:
            given = self._given[other]
            if self._awaited.get((gpu, other), 0) == given:
                continue
            if self._recorded[other] < given:
                with on_gpu(other):
                    self._events[other].record(_cuda().get_current_stream())
                self._recorded[other] = given
            _cuda().get_current_stream().wait_event(self._events[other])
            self._awaited[gpu, other] = given

    def finish(self) -> None:
        """All generators go on in turn until they have results."""
        while self._begun:
            one = self._begun.popleft()
            if not self._ends(*one):
                self._begun.append(one)

    def _ends(self, gpu: int, future: Future[Any], steps: Generator[None, None, Any]) -> bool:
        """Let a generator go on; whether it has returned."""
        try:
            with on_gpu(gpu), backend_of("cuda").ordered():
                next(steps)
        except StopIteration as end:
            self._end(gpu, future, end.value)
            return True
        except BaseException as error:
            future.set_exception(error)
            raise
        return False

    def _end(self, gpu: int, future: Future[Any], result: Any) -> None:
        future.set_result(result)
        self._given[gpu] += 1

    def forget(self) -> None:
        """Drop what was kept before the last call. The GPUs have usually finished with it, so the host hardly waits."""
        kept, events = self._before
        for event in events:
            event.synchronize()
        kept.clear()
        self._before = self._kept, [self._recorded_now(gpu) for gpu in self._given]
        self._kept = []

    def _recorded_now(self, gpu: int) -> Any:
        event = self._event(gpu)
        with on_gpu(gpu):
            event.record(_cuda().get_current_stream())
        return event
