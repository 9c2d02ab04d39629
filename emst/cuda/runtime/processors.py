"""How much of the GPU kernels use."""

from __future__ import annotations

from emst.cuda.runtime.launch import multiprocessors


def parallelism() -> tuple[int, str]:
    """See `emst.backend.operations`."""
    return multiprocessors(), "all multiprocessors"
