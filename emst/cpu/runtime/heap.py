"""A heap whose root is its greatest entry: the smallest numbers so far."""

from __future__ import annotations

from emst.cpu.runtime.compile import part


@part
def replace_greatest(heap, count, x):
    """Put x in the place of the root."""
    i = 0
    child = 1
    while child < count:
        if child + 1 < count and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= x:
            break
        heap[i] = heap[child]
        i = child
        child = 2 * i + 1
    heap[i] = x
