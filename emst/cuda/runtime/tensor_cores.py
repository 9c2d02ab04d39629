"""What the tensor cores of the current GPU can be given."""

from __future__ import annotations

import functools

import cupy

from emst.cuda.runtime.constants import PRODUCT_CHUNK, PRODUCT_TILE
from emst.cuda.runtime.launch import current_gpu

BESIDES = 8192  # bytes of shared memory that the kernels take besides the stages


def stages() -> int:
    """How many chunks of both sides a block of the current GPU holds."""
    return _stages(current_gpu())


def stage_bytes(stages: int) -> int:
    """Shared memory of the chunks of halves that a block holds at once."""
    return stages * 2 * PRODUCT_TILE * PRODUCT_CHUNK * 2


@functools.cache
def _stages(device: int) -> int:
    properties = cupy.cuda.runtime.getDeviceProperties(device)
    return 3 if properties["sharedMemPerBlockOptin"] >= stage_bytes(3) + BESIDES else 2
