"""Components numbered on the GPU. Kernel: components.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.runtime.constants import COMPONENT_THREADS, MOST_BLOCKS, NUMBERING_WORDS
from emst.cuda.runtime.launch import launch_resident


def number_components(roots: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    n = len(roots)
    labels, scratch, state = (
        cupy.empty(n, np.int32),
        cupy.empty(2 * n, np.int32),
        cupy.zeros(NUMBERING_WORDS, np.uint64),
    )
    blocks = min(n // (4 * COMPONENT_THREADS) + 1, MOST_BLOCKS)
    first = scratch.data.ptr
    args = (roots, n, first, first + 4 * n, labels, state)
    launch_resident("graph/components", "number_components", blocks, *args, block=COMPONENT_THREADS)
    return labels
