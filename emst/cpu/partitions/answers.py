"""What other partitions have answered the points of a partition: reaches and core distances.

A partition is the work of one thread, so this is array code.
"""

from __future__ import annotations

import numpy as np


def take_reaches(reach, asking, radius, answers):
    """See `emst.backend.partition_operations`. An answer that is finite is at most the radius."""
    reach[asking] = np.maximum(reach[asking], radius)
    for chosen, first in answers:
        points = asking[chosen]
        reach[points] = np.minimum(reach[points], first)


def join_distances(powers, answers):
    """See `emst.backend.partition_operations`."""
    joined = powers.copy()
    for chosen, found in answers:
        both = np.concatenate([joined[chosen], found], axis=1)
        both.sort(axis=1)
        joined[chosen] = both[:, : powers.shape[1]]
    return joined
