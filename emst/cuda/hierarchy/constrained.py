"""Selection of clusters by constraints and stability, on the GPU. Kernels: constrained.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Condensed, Selection
from emst.cuda.hierarchy.selection import number_chosen, topmost_of
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.memory import all_ones


def select_constrained(
    condensed: Condensed, gain: cupy.ndarray, price: float, max_cluster_size: int, allow_single_cluster: bool
) -> Selection:
    """See `emst.backend.operations`."""
    count = condensed.count
    marked = cupy.empty(count, np.bool_)
    tree = (count, condensed.parent, condensed.children, condensed.size, condensed.stability, gain)
    rules = (np.float64(price), int(max_cluster_size), np.bool_(allow_single_cluster))
    passed_up = all_ones(*((count, np.uint64),) * 3)  # which children meet, the best stability and the best gain
    launch("hierarchy/constrained", "choose", 32 * count, *tree, *rules, *passed_up, marked)
    return number_chosen(topmost_of(condensed, marked))
