"""What other partitions have answered the points of a partition, on the GPU. Kernels: answers.cu."""

from __future__ import annotations

from collections.abc import Sequence

import cupy
import numpy as np

from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.copies import copied
from emst.cuda.runtime.launch import launch


def take_reaches(
    reach: cupy.ndarray,
    asking: cupy.ndarray,
    radius: cupy.ndarray,
    answers: Sequence[tuple[cupy.ndarray, cupy.ndarray]],
) -> None:
    """See `emst.backend.partition_operations`. An answer that is finite is at most the radius."""
    T = ctype(reach.dtype)
    launch("partitions/answers", f"raise_reaches<{T}>", len(asking), asking, len(asking), radius, reach)
    for chosen, first in answers:
        args = asking, chosen, len(chosen), first, first.strides[0] // first.itemsize, reach
        launch("partitions/answers", f"lower_reaches<{T}>", len(chosen), *args)


def join_distances(powers: cupy.ndarray, answers: Sequence[tuple[cupy.ndarray, cupy.ndarray]]) -> cupy.ndarray:
    """See `emst.backend.partition_operations`."""
    joined, count = copied(powers), np.int32(powers.shape[1])
    for chosen, found in answers:
        args = chosen, len(chosen), found, np.int32(found.shape[1]), count, joined
        launch("partitions/answers", f"join_distances<{ctype(powers.dtype)}>", len(chosen), *args)
    return joined
