"""Progress of long runs on standard error: lines with `verbose=1`, a bar with `verbose="bar"`.

A run tells a `Progress` what it does. `Progress` itself shows nothing, `Lines` and `Bar` show it; `showing` opens the
one that `verbose` asks for.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from emst.backend.notices import say_once
from emst.backend.operations import Backend
from emst.backend.records import Report

COMPILING = {
    "cpu": "compiling kernels, which are kept on disk",
    "cuda": "loading kernels, or compiling them",  # the library does not say which
}

SILENT_FOR = 1.0  # seconds in which kernels are compiled before a run that shows nothing says so
ONCE = (
    "emst compiles kernels, once for every metric, dtype and number of dimensions; `emst warm-up` compiles most of "
    "them beforehand"
)


class Clock:
    """Seconds in which any of several things that may overlap was done."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun, self._start, self._seconds = 0, 0.0, 0.0

    def tell(self, begins: bool) -> None:
        """One of them begins, or ends."""
        with self._lock:
            now = time.perf_counter()
            if self._begun:
                self._seconds += now - self._start
            self._begun, self._start = self._begun + (1 if begins else -1), now

    @property
    def seconds(self) -> float:
        """Until the last beginning or end."""
        return self._seconds


compiling = Clock()  # of kernels, in all runs of this process


class Seconds:
    """A context that measures its time, and how much of it went into compiling kernels."""

    def __enter__(self) -> Seconds:
        self._start, self._before = time.perf_counter(), compiling.seconds
        return self

    def __exit__(self, *error: Any) -> None:
        self.compiled = compiling.seconds - self._before
        self.computed = time.perf_counter() - self._start - self.compiled

    def of(self, what: str) -> str:
        """ "compiled in 12.70 s, tree in 0.70 s"; without the first if that is nothing."""
        compiled = f"compiled in {self.compiled:.2f} s, " if self.compiled >= 0.005 else ""
        return f"{compiled}{what} in {self.computed:.2f} s"


class Progress:
    """What a run tells about itself, in the order of the methods. This class shows nothing."""

    shown = False

    def __init__(self, report: Report | None = None) -> None:
        self._report = report
        self._compiled_before = compiling.seconds
        self._telling: contextlib.AbstractContextManager[Any] | None = None
        self._begun, self._lock = 0, threading.Lock()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: Any) -> None:
        try:
            self._unwatch()
            while self._begun:
                self._tell(False)
        finally:
            self._end()

    def _end(self) -> None:
        """The run ends."""

    def watch(self, ops: Backend) -> None:
        """The backend is known: what it compiles from now on is told."""
        self._unwatch()
        self._words = COMPILING[ops.name]
        telling = ops.telling_compilation(self._tell)
        telling.__enter__()
        self._telling = telling

    def _unwatch(self) -> None:
        """Nothing more is told. What is let go refers to this run."""
        telling, self._telling = self._telling, None
        if telling is not None:
            telling.__exit__(None, None, None)

    def _tell(self, begins: bool) -> None:
        """A thread begins to compile, or ends.

        It may be another one, and may have begun before, or not have ended when this run ends: this run ends all that
        it has seen to begin, and nothing else."""
        with self._lock:
            if not begins and self._begun == 0:
                return
            self._begun += 1 if begins else -1
            outermost = self._begun == int(begins)
            compiling.tell(begins)
        if outermost:
            self._compiling(self._words if begins else "")

    @property
    def compiled(self) -> float:
        """Seconds in which kernels were compiled since this run began."""
        return compiling.seconds - self._compiled_before

    def _compiling(self, what: str) -> None:
        """A kernel begins to be compiled (`what` says so), or is ready (`what` is empty)."""
        if self.compiled > SILENT_FOR:
            say_once(ONCE)  # who is not told why it takes so long looks for the reason elsewhere

    def note(self, text: str) -> None:
        """Something to know before the run begins."""

    def way(self, way: str) -> None:
        """How the tree is found."""

    def points(self, n: int) -> None:
        """The tree of n points is begun."""

    def cores(self, done: int, n: int) -> None:
        """About so many of n core distances are found; all of them if `done` is n."""

    def round(self, number: int, left: int) -> None:
        """A round of the tree is done, and this many components are left."""
        if self._report is not None:
            self._report(number, left)

    @property
    def rounds(self) -> Report | None:
        """`round`; None if nobody listens, so that nobody waits for the numbers."""
        return self.round if self.shown or self._report is not None else None

    def done(self, name: str, result: Any) -> None:
        """What bears this name is done, and this is an array of it."""


class Lines(Progress):
    """A line for everything."""

    shown = True

    def __init__(self, report: Report | None = None) -> None:
        super().__init__(report)
        self._said = self._searching = False
        self._start = time.perf_counter()
        self._print_seconds = seconds_printer(True)

    def _end(self) -> None:
        if self._said:
            self.note(f"compiling took {self.compiled:.3f} s of that")

    def _compiling(self, what: str) -> None:
        if what and not self._said:
            self._said = True
            self.note(what)

    def note(self, text: str) -> None:
        sys.stderr.write(f"[emst] {text}\n")

    def way(self, way: str) -> None:
        self.note(f"spanning tree from {way}")

    def points(self, n: int) -> None:
        self._start, self._searching = time.perf_counter(), True
        self._print_round = round_printer(n)

    def cores(self, done: int, n: int) -> None:
        if done == n and self._searching:
            self._searching = False
            self.note(f"core distances: {time.perf_counter() - self._start:.3f} s")

    def round(self, number: int, left: int) -> None:
        super().round(number, left)
        self._print_round(number, left)

    def done(self, name: str, result: Any) -> None:
        self._print_seconds(name, result)


class Bar(Progress):
    """A bar of tqdm: of the points whose core distances are found, then of the edges of the tree."""

    shown = True

    def __init__(self, report: Report | None = None) -> None:
        super().__init__(report)
        from tqdm.auto import tqdm

        drawn = sys.stderr.isatty() or any(base.__module__ == "tqdm.notebook" for base in tqdm.__mro__)
        self._n, self._doing = 0, "preparing"
        self._bar = tqdm(unit_scale=True, desc=self._doing, disable=not drawn, leave=False)

    def _end(self) -> None:
        self._bar.close()

    def _compiling(self, what: str) -> None:
        self._bar.set_description(what or self._doing)

    def note(self, text: str) -> None:
        self._bar.write(f"emst: note: {text}", file=sys.stderr)

    def points(self, n: int) -> None:
        self._n = n

    def cores(self, done: int, n: int) -> None:
        self._move("core distances", done, n, " points")

    def round(self, number: int, left: int) -> None:
        super().round(number, left)
        self._move(f"round {number}", self._n - left, self._n - 1, " edges")

    def done(self, name: str, result: Any) -> None:
        self._doing = f"{name} done"
        self._bar.set_description(self._doing)

    def _move(self, doing: str, done: int, total: int, unit: str) -> None:
        bar = self._bar
        if bar.disable:  # it has no numbers then
            return
        if doing != self._doing:
            self._doing = doing
            bar.set_description(doing, refresh=False)
            if unit != bar.unit:
                bar.unit = unit
                bar.reset(total)
        bar.total = total
        bar.update(done - bar.n)
        if done == total or unit == " edges":
            bar.refresh()


def showing(verbose: bool | int | str, report: Report | None = None) -> Progress:
    """What `verbose` asks for: nothing, lines, or a bar. It is a context, which lasts as long as the run.

    Parameters
    ----------
    verbose : bool, int or "bar"
    report : callable, optional
        Called as ``report(round, components_left)`` after every round, in addition.

    Raises
    ------
    ValueError
        `verbose` is another string.
    """
    if isinstance(verbose, str) and verbose != "bar":
        raise ValueError(f"verbose must be True or False, a number, or 'bar'; got {verbose!r}")
    return Bar(report) if verbose == "bar" else Lines(report) if verbose else Progress(report)


def check_lines(verbose: Any) -> None:
    """Raise ValueError where a bar is asked for and only lines can be written."""
    if isinstance(verbose, str):
        raise ValueError(f"verbose must be True or False over workers, which write lines but no bar; got {verbose!r}")


def round_printer(n: int) -> Report:
    """A report that writes round, components left and seconds since this call to standard error."""
    start = time.perf_counter()
    sys.stderr.write(f"[emst] {n:,} points\n")

    def report(rounds: int, left: int) -> None:
        seconds = time.perf_counter() - start
        sys.stderr.write(f"[emst] round {rounds}: {left:,} component{'' if left == 1 else 's'} left, {seconds:.3f} s\n")

    return report


def seconds_printer(verbose: bool) -> Callable[[str, Any], None]:
    """A function to call with the name of what is done and an array of it; it writes how long that took."""
    start = time.perf_counter()

    def done(name: str, result: Any) -> None:
        nonlocal start
        if hasattr(result, "__cuda_array_interface__"):
            result.device.synchronize()
        seconds, start = time.perf_counter() - start, time.perf_counter()
        sys.stderr.write(f"[emst] {name}: {seconds:.3f} s\n")

    return done if verbose else lambda name, result: None


@contextlib.contextmanager
def reading_bar(path: Path) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of bytes read so far; it fills a bar on standard error, if that is a
    terminal."""
    from tqdm import tqdm

    with tqdm(
        total=path.stat().st_size,
        unit="B",
        unit_scale=True,
        desc=f"reading {path.name}",
        disable=not sys.stderr.isatty(),
        leave=False,
    ) as bar:
        yield lambda read: bar.update(read - bar.n)
