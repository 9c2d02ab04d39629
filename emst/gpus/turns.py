"""Functions for several GPUs that run in one thread: each begins when what it reads from other GPUs has been written,
and those that wait for their GPU let others go on.

Events order the streams, so the host need not wait. They do not say when memory can be used again: one GPU may still
read what another one frees. So arguments and results are kept until all GPUs have done what they were given then.
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
    """The functions of this thread on its current streams of these GPUs."""

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
        """Call a function for a GPU, after what other GPUs were given. A generator goes on in `finish`. The function
        holds its arguments."""
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
        """What the GPU, the current one, is given next begins after what the others have been given until now."""
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
        """Whether a generator returns when it goes on."""
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
        """Keep nothing from before the last call. What the GPUs were given until then has been done long since: the
        host hardly waits for it."""
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

    def wait(self) -> None:
        """Wait until all GPUs have done what they were given, and keep nothing."""
        for gpu in self._given:
            with on_gpu(gpu):
                _cuda().get_current_stream().synchronize()
        self._kept, self._before = [], ([], [])
