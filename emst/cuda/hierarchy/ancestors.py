"""The splits at which clusters of the condensed tree separate, on the GPU. Kernel: ancestors.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Condensed
from emst.cuda.runtime.launch import launch


def common_ancestor_lambdas(condensed: Condensed, clusters: cupy.ndarray, others: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    parting = cupy.empty((len(clusters), len(others)), np.float64)
    args = (condensed.parent, condensed.death, clusters, len(clusters), others, len(others), parting)
    launch("hierarchy/ancestors", "common_ancestor_lambdas", parting.size, *args)
    return parting
