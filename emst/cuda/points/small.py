"""All of Borůvka's rounds at once, for few points, on the GPU. Kernel: small.cu."""

from __future__ import annotations

from typing import NamedTuple

import cupy
import numpy as np

from emst.backend.records import Forest
from emst.cuda.merge import halves
from emst.cuda.points.bvh import SearchIndex
from emst.cuda.points.taken import TakenRounds
from emst.cuda.runtime.constants import BLOCK, SMALL_ROUNDS, SMALL_WORDS
from emst.cuda.runtime.launch import launch_resident
from emst.cuda.runtime.memory import cleared, empties, scratch
from emst.cuda.runtime.to_host import Written

KEPT_WORDS = 6  # of a point, see `Kept` in small.cu


class Finished(NamedTuple):
    """What is left of the buffers of `merge` when the forest is finished."""

    ends: cupy.ndarray
    taken: TakenRounds


def join_all(index: SearchIndex) -> tuple[Forest, TakenRounds] | None:
    """See `emst.backend.operations`."""
    if not index.few:
        return None
    n = index.n
    labels, weight, ends = empties((n, np.int32), (n, index.dtype), (n, np.uint64))
    (kept,), (state,) = scratch((KEPT_WORDS * n, np.uint64)), cleared((SMALL_WORDS, np.int32))
    told = Written(SMALL_ROUNDS + 2)
    mrd = "false" if index.core is None else "true"
    launch_resident(
        "points/small",
        f"join_all<{index.T}, {index.d if index.walks else 0}, {index.metric.number}, {mrd}>",
        -(-32 * n // BLOCK),
        *(index.rows, n, *index.shape, index.metric.norm, kept, labels, ends, weight, state, told.address),
        block=BLOCK,
    )
    taken = TakenRounds(told, counts_before=True)
    return Forest(labels, labels[:1], None, None, None, *halves(ends), weight, Finished(ends, taken)), taken
