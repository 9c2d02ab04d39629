"""Numbers of components on the GPU. Kernels: components.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.launch import Compaction, launch


def number_components(roots: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.Backend.number_components`."""
    n = len(roots)
    first = cupy.full(n, np.iinfo(np.int32).max, np.int32)
    number, labels, total = cupy.empty(n, np.int32), cupy.empty(n, np.int32), cupy.empty(1, np.int32)
    launch("components", "first_vertices", n, roots, n, first)
    Compaction(n).launch("components", "number_roots", n, roots, n, first, number, total)
    launch("components", "label_vertices", n, roots, n, number, labels)
    return labels
