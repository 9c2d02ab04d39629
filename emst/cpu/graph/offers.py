"""The lightest edge that every component has been offered, as one number: weight, then place in the list.

A branch on whether an offer is better is mispredicted often, and without that branch an atomic operation would cost too
much. So if there are few threads, each has offers of its own and takes minima without a branch; at the end the minimum
over all threads is taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.cpu.runtime.atomics import lower
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.parallel import for_chunks, grain_for, thread_count

FEW_THREADS = 4
EMPTY = np.uint64(2**64 - 1)  # no offer: no list has such a place


class Offers(NamedTuple):
    """The least offer to every component: ``key << shift | place & mask``."""

    best: np.ndarray  # uint64[components]
    shift: np.uint64
    mask: np.uint64
    shared: np.bool_  # whether several threads write here


def gathered(count, packed, kernel, size, grain, *args, scratch=tuple):
    """The offers that a kernel makes to `count` components.

    The kernel's first argument is ``(offers, *scratch())``. With `packed`, an offer holds weight and place, otherwise
    the weight alone.
    """
    shared = min(thread_count(), -(-size // grain)) > FEW_THREADS
    shift, mask = (np.uint64(32), np.uint64(2**32 - 1)) if packed else (np.uint64(0), np.uint64(0))
    made = []

    def new():
        offers = Offers(np.full(count, EMPTY), shift, mask, np.bool_(shared))
        made.append(offers)
        return offers

    if shared:
        new()
    for_chunks(kernel, size, grain, *args, scratch=lambda: (made[0] if shared else new(), *scratch()))
    for other in made[1:]:
        for_chunks(_take_lesser, count, grain_for(count, 1 << 15), made[0].best, other.best)
    return made[0]


@kernel
def _take_lesser(best, others, begin, end):
    for c in range(begin, end):
        best[c] = min(best[c], others[c])


@part
def offer(offers, edges, i):
    """Offer edge `i` of the list to both ends."""
    number = (np.uint64(edges.key[i]) << offers.shift) | (np.uint64(i) & offers.mask)
    a, b, best = edges.a[i], edges.b[i], offers.best
    if offers.shared:
        lower(best, a, number)
        lower(best, b, number)
    else:
        best[a] = min(best[a], number)
        best[b] = min(best[b], number)
