"""The lightest edge that every component has been offered, as one number: weight, then place in the list.

A branch on whether an offer is better is mispredicted often, and without that branch an atomic operation would cost too
much. A number that several threads write also has to travel between their caches. So each thread has offers of its own,
where the memory for them is in proportion to the list, and takes minima without a branch; otherwise a few threads share
offers. At the end the minimum over all of them is taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.cpu.runtime.arrays import empty, fill
from emst.cpu.runtime.atomics import lower
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for, thread_count, thread_number

FEW_THREADS = 4  # each of them always has offers of its own
PER_EDGE = 2  # offers that memory is taken for, as a multiple of the edges, where there are more threads
BLOCK = 1 << 10  # components whose least offers stay in the first level cache
EMPTY = np.uint64(2**64 - 1)  # no offer: no list has such a place


class Offers(NamedTuple):
    """The least offer to every component: ``key << shift | place & mask``."""

    best: np.ndarray  # uint64[components]
    shift: np.uint64
    mask: np.uint64
    shared: np.bool_  # whether several threads write here


def room_for(count, edges):
    """Memory for the offers that a list of edges makes to `count` components, or to fewer."""
    return empty(count * min(thread_count(), max(FEW_THREADS, PER_EDGE * edges // max(count, 1))), np.uint64)


def gathered(room, count, packed, kernel, size, grain, *args, scratch=tuple):
    """The offers that a kernel makes to `count` components. They lie in `room`.

    The kernel's first argument is ``(offers, *scratch())``. With `packed`, an offer holds weight and place, otherwise
    the weight alone.
    """
    threads = max(1, min(thread_count(), -(-size // grain)))
    copies = max(1, min(threads, len(room) // max(count, 1)))
    shift, mask = (np.uint64(32), np.uint64(2**32 - 1)) if packed else (np.uint64(0), np.uint64(0))
    best = fill(room[: copies * count], EMPTY).reshape(copies, count)
    made = [Offers(row, shift, mask, np.bool_(copies < threads)) for row in best]
    for_chunks(kernel, size, grain, *args, scratch=lambda: (made[thread_number() % copies], *scratch()))
    if copies > 1:
        for_chunks(_take_least, count, grain_for(count, 1 << 15), best)
    return Offers(best[0], shift, mask, np.bool_(False))


@kernel
def _take_least(best, begin, end):
    for block in range(begin, end, BLOCK):
        for i in range(1, len(best)):
            for c in range(block, lesser(block + BLOCK, end)):
                best[0, c] = lesser(best[0, c], best[i, c])


@part
def offer(offers, edges, i):
    """Offer edge `i` of the list to both ends."""
    number = (np.uint64(edges.key[i]) << offers.shift) | (np.uint64(i) & offers.mask)
    a, b, best = edges.a[i], edges.b[i], offers.best
    if offers.shared:
        lower(best, a, number)
        lower(best, b, number)
    else:
        best[a] = lesser(best[a], number)
        best[b] = lesser(best[b], number)
