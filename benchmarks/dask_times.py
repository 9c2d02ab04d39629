"""When tasks of `emst.dask` run: every task is timed from outside, for workers that are threads of this process."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from stages import Timed

import emst.dask.engine

RUN = emst.dask.engine._run


class Span(NamedTuple):
    """One task."""

    task: str
    worker: int  # its thread
    start: float
    stop: float
    operations: dict[str, float]  # seconds of the backend's operations
    peak: tuple[int, int]  # number of its GPU, and most bytes that arrays held there at a time
    result: Any  # None unless results are kept


SPANS: list[Span] = []
OPERATIONS = threading.Event()  # whether operations are timed too, which waits for the device around each
RESULTS = threading.Event()  # whether results are kept


def _timed_run(device: str, gpu: int | None, function: Callable[..., Any], *args: Any) -> Any:
    """What `DaskEngine` runs instead of `_run`."""
    seconds: dict[str, float] = {}
    peak = (0, 0)

    def task(ops: Any, *given: Any) -> Any:
        nonlocal seconds, peak
        if OPERATIONS.is_set():
            ops = Timed(ops)
            seconds = ops.seconds
        if device == "cpu":
            return function(ops, *given)
        with _high_water() as hook:
            result = function(ops, *given)
        peak = (ops.xp.cuda.Device().id, hook.peak)
        return result

    start = time.perf_counter()
    result = RUN(device, gpu, task, *args)
    kept = result if RESULTS.is_set() else None
    SPANS.append(Span(function.__name__, threading.get_ident(), start, time.perf_counter(), seconds, peak, kept))
    return result


def _high_water() -> Any:
    import cupy

    pool = cupy.get_default_memory_pool()

    class HighWater(cupy.cuda.MemoryHook):
        name = "high water"
        peak = 0

        def malloc_postprocess(self, **_: Any) -> None:
            self.peak = max(self.peak, pool.used_bytes())

    return HighWater()


@contextlib.contextmanager
def task_times(operations: bool = False, results: bool = False) -> Iterator[list[Span]]:
    """Time the tasks of the block."""
    SPANS.clear()
    for switch, on in ((OPERATIONS, operations), (RESULTS, results)):
        (switch.set if on else switch.clear)()
    emst.dask.engine._run = _timed_run
    try:
        yield SPANS
    finally:
        emst.dask.engine._run = RUN


def covered(spans: list[Span]) -> float:
    """Seconds in which at least one of the tasks runs."""
    total, upto = 0.0, 0.0
    for span in sorted(spans, key=lambda span: span.start):
        total += max(0.0, span.stop - max(span.start, upto))
        upto = max(upto, span.stop)
    return total


def peaks(spans: list[Span]) -> dict[int, int]:
    """Most bytes of arrays on every GPU."""
    found: dict[int, int] = {}
    for span in spans:
        number, peak = span.peak
        found[number] = max(found.get(number, 0), peak)
    return found


def task_table(spans: list[Span], wall: float, workers: int) -> str:
    """Seconds of every kind of task, in the order in which they begin, and what is left of the wall time."""
    lines = ["| task | tasks | seconds of all | the longest | wall | operations |", "|" + "---|" * 6]
    for name in dict.fromkeys(span.task for span in sorted(spans, key=lambda span: span.start)):
        own = [span for span in spans if span.task == name]
        took = [span.stop - span.start for span in own]
        lines.append(f"| {name} | {len(own)} | {sum(took):.4f} | {max(took):.4f} | {covered(own):.4f} | {_top(own)} |")
    busy, sum_of_all = covered(spans), sum(span.stop - span.start for span in spans)
    return "\n".join(lines) + (
        f"\n\nwall {wall:.4f} s; a task runs in {busy:.4f} s of it; Dask and the driver alone {wall - busy:.4f} s; "
        f"{len(spans)} tasks; workers busy {sum_of_all / workers / wall:.0%} of the wall time"
    )


def _top(spans: list[Span]) -> str:
    """The operations that take longest."""
    seconds: dict[str, float] = {}
    for span in spans:
        for name, took in span.operations.items():
            seconds[name] = seconds.get(name, 0.0) + took
    longest = sorted(seconds.items(), key=lambda item: -item[1])[:6]
    return ", ".join(f"{name} {took:.4f}" for name, took in longest if took > 1e-4)


def results_held(dask_worker: Any) -> int:
    """Task of `Client.run`: how many results a worker holds."""
    return len(dask_worker.data)
