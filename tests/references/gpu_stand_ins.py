"""A machine with GPUs, for tests of what is decided before any of them computes."""

import sys
import types

from emst.gpus import devices, inputs


def machine_with(monkeypatch, count, peers=()):
    """Let CuPy report so many GPUs, of which these pairs can read each other."""
    runtime = types.SimpleNamespace(getDeviceCount=lambda: count, deviceCanAccessPeer=lambda a, b: int((a, b) in peers))
    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(cuda=types.SimpleNamespace(runtime=runtime)))
    monkeypatch.setattr(devices, "choose_device", lambda device, gpu=None: device)
    check = inputs.check_points
    monkeypatch.setattr(inputs, "check_points", lambda X, device, dtype=None: check(X, device="cpu", dtype=dtype))
