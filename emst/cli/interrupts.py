"""Ctrl-C on the command line: one line on standard error, whatever it meets."""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

AGAIN = 0.01  # seconds


@contextlib.contextmanager
def heard() -> Iterator[None]:
    """From Ctrl-C on nothing is printed of exceptions that Python ignores, which are those of finalizers. Two come from
    an interrupt: one that ends the constructor of an object leaves it without attributes that its finalizer wants
    (numba's compiler has such objects), and Python drops one that comes within a finalizer. The latter comes again.

    Only the main thread gets interrupts, and a handler that the caller has set stays.
    """
    main, handler = threading.current_thread() is threading.main_thread(), signal.getsignal(signal.SIGINT)
    if not main or handler is not signal.default_int_handler:
        yield
        return
    hook = sys.unraisablehook
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if sys.unraisablehook is _ignored:
            gc.collect()  # what the traceback held
            sys.unraisablehook = hook


def _interrupt(number: int, frame: Any) -> None:
    sys.unraisablehook = _ignored
    signal.default_int_handler(number, frame)


def _ignored(what: Any) -> None:
    if what.exc_type is KeyboardInterrupt:
        threading.Timer(AGAIN, _again).start()


def _again() -> None:
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    elif (main := threading.main_thread().ident) is not None:
        signal.pthread_kill(main, signal.SIGINT)  # it ends a sleep of that thread, too
