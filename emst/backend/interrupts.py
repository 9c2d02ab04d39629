"""Ctrl-C where Python must not stop: it keeps half-imported modules, and drops what a callback of compiled code raises.

Nothing changes where the signal has no handler of Python's, and outside of the main thread of the main interpreter,
which alone gets interrupts.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

# Of the blocks that wait now, the outermost first: the handler before the block, and the interrupts that came in it.
_waiting: list[tuple[Callable[..., Any], list[tuple[int, Any]]]] = []


@contextlib.contextmanager
def after_this() -> Iterator[None]:
    """An interrupt that comes within the block is served at its end. A second one is served at once."""
    handler, came = signal.getsignal(signal.SIGINT), list[tuple[int, Any]]()

    def wait(*interrupt: Any) -> None:
        came.append(interrupt)
        if len(came) > 1:
            came.clear()
            _waiting[0][0](*interrupt)

    try:
        if not callable(handler):
            raise ValueError("no handler of Python's")
        signal.signal(signal.SIGINT, wait)
    except ValueError:  # or another thread, or another interpreter
        yield
        return
    block = (handler, came)
    _waiting.append(block)
    try:
        yield
    finally:
        _waiting.remove(block)
        if signal.getsignal(signal.SIGINT) is wait:
            signal.signal(signal.SIGINT, handler)
        if came:
            handler(*came[0])


def serve_waiting() -> None:
    """Serve the interrupts that wait: within a block, where Python may stop."""
    if not any(came for _, came in _waiting) or threading.current_thread() is not threading.main_thread():
        return
    came = [interrupt for _, interrupts in _waiting for interrupt in interrupts]
    for _, interrupts in _waiting:
        interrupts.clear()
    _waiting[0][0](*came[0])
