"""Ctrl-C on the command line: one line on standard error, whatever it meets."""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

AGAIN = 0.25  # seconds; an error that follows from a dropped interrupt has left the command by then


class Interrupts:
    """Those of one run of the command line."""

    def __init__(self) -> None:
        self._came = self._over = self._dropped = self._starting = False
        self._sending = threading.Lock()  # not for the handler: it may interrupt a thread that has it

    @contextlib.contextmanager
    def before_errors(self) -> Iterator[None]:
        """An error after an interrupt is taken for the interrupt: where Python drops one that comes within a callback,
        what called that goes on with half of its work (numba then has no machine code, and says so). At the end of this
        block it is decided how the command ends, and no interrupt comes any more."""
        try:
            yield
        except Exception as error:
            if self._came:
                raise KeyboardInterrupt from error
            raise
        finally:
            self._over = True

    def come(self, number: int, frame: Any) -> None:
        """The handler of the signal."""
        if not self._over and not self._starting:
            self._came, self._dropped = True, False
            sys.unraisablehook = self.ignored
            signal.default_int_handler(number, frame)

    def ignored(self, what: Any) -> None:
        """The hook for exceptions that Python ignores, those that are raised here, too."""
        if what.exc_type is KeyboardInterrupt and not self._over:
            self._dropped = self._starting = True
            try:
                threading.Thread(target=self._repeat, daemon=True).start()
            except RuntimeError:  # the process may have no further thread: the next Ctrl-C is heard
                self._dropped = False
            finally:
                self._starting = False

    def _repeat(self) -> None:
        while self._dropped:
            time.sleep(AGAIN)
            with self._sending:
                if self._dropped:
                    _send()

    def end(self) -> None:
        """None is on its way afterwards."""
        self._over = True
        with self._sending:
            self._dropped = False


@contextlib.contextmanager
def heard() -> Iterator[Interrupts]:
    """From Ctrl-C on nothing is printed of exceptions that Python ignores, which are those of finalizers and callbacks.
    Two come from an interrupt: one that ends the constructor of an object leaves it without attributes that its
    finalizer wants (numba's compiler has such objects), and Python drops one that comes within a finalizer or a
    callback. The latter comes again.

    Only the main thread gets interrupts, and a handler that the caller has set stays.
    """
    interrupts = Interrupts()
    main, handler = threading.current_thread() is threading.main_thread(), signal.getsignal(signal.SIGINT)
    if not main or handler is not signal.default_int_handler:
        yield interrupts
        return
    hook = sys.unraisablehook
    signal.signal(signal.SIGINT, interrupts.come)
    try:
        yield interrupts
    finally:
        interrupts.end()
        signal.signal(signal.SIGINT, handler)
        if sys.unraisablehook is not hook:
            gc.collect()  # what the traceback held
            sys.unraisablehook = hook


def _send() -> None:
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    elif (main := threading.main_thread().ident) is not None:
        signal.pthread_kill(main, signal.SIGINT)  # it ends a sleep of that thread, too
