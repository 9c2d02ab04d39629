"""Numbers of components on the GPU. Kernel: components.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.launch import launch_resident

THREADS, MOST_BLOCKS = 256, 4096  # of components.cu
STATE_WORDS = MOST_BLOCKS + 1  # of 64 bits: State


def number_components(roots: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.Backend.number_components`."""
    n = len(roots)
    labels, scratch, state = cupy.empty(n, np.int32), cupy.empty(2 * n, np.int32), cupy.zeros(STATE_WORDS, np.uint64)
    blocks = min(n // (4 * THREADS) + 1, MOST_BLOCKS)
    first = scratch.data.ptr
    launch_resident(
        "components", "number_components", blocks, roots, n, first, first + 4 * n, labels, state, block=THREADS
    )
    return labels
