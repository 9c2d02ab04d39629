"""Ctrl-C while Python cannot stop."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def after_this() -> Iterator[None]:
    """An interrupt that comes within the block is served at its end. So it does not leave a module imported by half,
    which no later import completes. Only the main thread gets interrupts."""
    handler, came = signal.getsignal(signal.SIGINT), list[tuple[int, Any]]()
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    signal.signal(signal.SIGINT, lambda *interrupt: came.append(interrupt))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if came:
            handler(*came[0])
