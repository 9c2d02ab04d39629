"""Interrupts that come while Python imports a backend, or numba compiles a kernel."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from emst.backend.interrupts import after_this

IMPORT = """
import os, signal, sys
import numpy as np
from emst import EMST

class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == "numba.core.types":
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, CtrlC())
for _ in range(2):
    try:
        print(len(EMST(device="cpu").fit(np.eye(3)).weights_))
    except KeyboardInterrupt:
        print("interrupted")
"""


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_is_served_at_the_end():
    done = []
    with pytest.raises(KeyboardInterrupt), after_this():
        interrupt()
        done.append("all")
    assert done == ["all"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_passes_and_handlers_come_back():
    with pytest.raises(ValueError, match="wrong"), after_this():
        raise ValueError("wrong")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_another_handler_gets_the_interrupt():
    got, before = [], signal.signal(signal.SIGINT, lambda number, frame: got.append(number))
    try:
        with after_this():
            interrupt()
            assert got == []
        assert got == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_get_no_interrupts():
    done = []

    def work():
        with after_this():
            done.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [signal.default_int_handler]


def test_a_fit_after_an_interrupted_import():
    """Python keeps modules that are imported by half, and what needs them fails from then on."""
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["interrupted", "2"]


def test_an_interrupt_that_is_dropped_while_a_kernel_compiles():
    """numba goes on with half of its work, and fails."""
    from emst.cpu.runtime.atomics import lower
    from emst.cpu.runtime.numba_internals import _Interrupts

    hears, found = _Interrupts(), SimpleNamespace(data={"dispatcher": lower})
    hears.on_start(found)
    hears.on_start(found)  # a kernel that the first one calls
    with contextlib.suppress(KeyboardInterrupt):  # as LLVM does
        interrupt()
    hears.on_end(found)
    with pytest.raises(KeyboardInterrupt):
        hears.on_end(found)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    hears.on_start(found)
    hears.on_end(found)  # nothing came
