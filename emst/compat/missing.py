"""What a peer has and `emst` has not: one error for all of it, which says what to do instead."""

from __future__ import annotations


class NoEquivalent(NotImplementedError):
    """A keyword or function of another library that `emst` has no exact equivalent of."""

    def __init__(self, what: str, instead: str) -> None:
        super().__init__(f"emst has no {what}: {instead}")
