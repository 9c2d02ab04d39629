"""Array code of the stages, block by block: CuPy's functions use the whole GPU, so blocks only limit the memory."""

from __future__ import annotations

from collections.abc import Callable

NUMBERS = 1 << 24  # in an array of a block


def for_blocks(work: Callable[[int, int], None], n: int, width: int) -> None:
    """See `emst.backend.operations`."""
    rows = max(NUMBERS // width, 1)
    for begin in range(0, n, rows):
        work(begin, min(begin + rows, n))
