"""CUDA kernels with a changed text, which is compiled when they are next needed."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from unittest import mock


@contextlib.contextmanager
def changed_kernels(room: str, old: str, new: str) -> Iterator[None]:
    """`new` stands in place of `old` in all sources that hold it; that of `room` must."""
    compile, launch = (importlib.import_module(f"emst.cuda.runtime.{name}") for name in ("compile", "launch"))
    plain = compile.source

    def forget():
        compile.kernel.cache_clear()
        launch._resident.cache_clear()
        launch._loads.clear()
        launch._thread.ready.clear()

    assert old in plain(room)
    with mock.patch.object(compile, "source", lambda room: plain(room).replace(old, new)):
        forget()
        try:
            yield
        finally:
            forget()
