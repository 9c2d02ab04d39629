"""Peak memory beyond the input: on the CPU in a separate process, on the GPU from CuPy's memory pool.

CPU: the child process loads the points, compiles, resets the kernel's high-water mark of resident memory (Linux) and
runs once. GPU: a memory hook records the bytes in use at every allocation.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

HERE = pathlib.Path(__file__).parent


def peak_of(contestant: str, points: Any, k: int, options: argparse.Namespace) -> int | None:
    """Peak memory beyond the input in one run, in bytes; None where it cannot be measured."""
    if options.device == "cuda":
        from contestants import ours

        return peak_on_device(lambda: ours("cuda")[contestant].under(options.metric).build(points, k))
    if not sys.platform.startswith("linux"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "points.npy"
        np.save(path, points)
        return in_child("memory", contestant, str(path), str(k), options.metric)


def peak_on_device(call: Callable[[], Any]) -> int:
    """Peak of the bytes that CuPy's pool has in use during the call, minus those before it."""
    import cupy

    pool = cupy.get_default_memory_pool()

    class HighWater(cupy.cuda.MemoryHook):
        name = "high water"
        peak = 0

        def malloc_postprocess(self, **_: Any) -> None:
            self.peak = max(self.peak, pool.used_bytes())

    before = pool.used_bytes()
    with HighWater() as hook:
        call()
    return hook.peak - before


def high_water(call: Callable[[], Any]) -> int:
    """Peak of this process's resident memory during the call, minus that before it (Linux): bytes."""
    before = start_high_water()
    call()
    return resident("VmHWM") - before


def start_high_water() -> int:
    """Let the high-water mark begin at the resident memory of now, in bytes (Linux)."""
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM
    return resident("VmRSS")


def in_child(module: str, *arguments: str) -> int:
    """The bytes that `child(*arguments)` of a module of this folder finds in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{HERE}{os.pathsep}{HERE.parent}"}
    code = f"import sys; from {module} import child; print(child(*sys.argv[1:]))"
    child = [sys.executable, "-c", code, *arguments]
    return int(subprocess.run(child, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout)


def resident(key: str) -> int:
    """A line of the kernel's status of this process, in bytes."""
    status = pathlib.Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(key))


def child(contestant: str, path: str, samples: str, metric: str) -> int:
    """Peak memory of one run in this process, which already holds the points and the compiled code: bytes."""
    from contestants import PEERS, ours

    build = (PEERS | ours("cpu"))[contestant].under(metric).build
    points, k = np.load(path), int(samples)
    build(points[:2000], min(k, 2000))  # compiles, starts threads
    return high_water(lambda: build(points, k))
