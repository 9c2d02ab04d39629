"""Array code of the stages, block by block, by all threads.

NumPy's functions run on one thread, but other threads can run at the same time. What a block needs stays in the caches:
for large arrays this alone makes array code several times as fast.
"""

from __future__ import annotations

from emst.cpu.runtime.parallel import for_chunks, rows_that_hold, thread_count

MOST = 1 << 16  # numbers in an array of a block: they stay in the cache
LEAST = 1 << 15  # threads seldom wait for the global interpreter lock, which they hold between two functions of NumPy


def for_blocks(work, n, width):
    """See `emst.backend.operations`."""
    most, least = rows_that_hold(MOST, width), rows_that_hold(LEAST, width)
    for_chunks(work, n, max(min(most, -(-n // thread_count())), least))
