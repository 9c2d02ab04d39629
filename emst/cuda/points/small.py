"""All of Borůvka's rounds at once, for few points, on the GPU. Kernel: small.cu."""

from __future__ import annotations

from typing import NamedTuple

import cupy
import numpy as np

from emst.backend.records import NO_FOREST, Forest
from emst.cuda.merge import halves
from emst.cuda.points.bvh import SearchIndex
from emst.cuda.runtime.constants import BLOCK, SMALL_WORDS
from emst.cuda.runtime.launch import launch_resident
from emst.cuda.runtime.memory import empties

KEPT_WORDS = 6  # of a point, see `Kept` in small.cu


class Finished(NamedTuple):
    """What is left of the buffers of `merge` when the forest is finished."""

    ends: cupy.ndarray


def join_all(index: SearchIndex) -> tuple[Forest, list[int]] | None:
    """See `emst.backend.operations`. The number of components after each round reaches the host in one copy."""
    if not index.few:
        return None
    n = index.n
    of_points = ((n, np.int32), (n, index.dtype), (n, np.uint64), (KEPT_WORDS * n, np.uint64))
    labels, weight, ends, kept = empties(*of_points)
    state = cupy.zeros(SMALL_WORDS, np.int32)
    mrd = "false" if index.core is None else "true"
    launch_resident(
        "points/small",
        f"join_all<{index.T}, {index.d if index.walks else 0}, {index.metric.number}, {mrd}>",
        -(-32 * n // BLOCK),
        *(index.rows, n, *index.shape, index.metric.norm, kept, labels, ends, weight, state),
        block=BLOCK,
    )
    _, broken, *left = state.get().tolist()
    if broken or 1 not in left:
        raise RuntimeError(NO_FOREST)
    joined = Forest(labels, labels[:1], None, None, None, *halves(ends), weight, Finished(ends))
    return joined, left[1 : left.index(1) + 1]
