"""What a launch that has taken all rounds tells the host: how many components each round left."""

from __future__ import annotations

from emst.backend.records import NO_FOREST
from emst.cuda.runtime.to_host import Written


class TakenRounds:
    """The numbers of such a launch, which the kernel writes for the host. The host goes on before they arrive.

    Parameters
    ----------
    told : Written
        Whether edges close a cycle: a chain of components has no root. Then numbers of components: before the first
        round, if `counts_before`, and after each round.
    counts_before : bool
    """

    def __init__(self, told: Written, counts_before: bool) -> None:
        self._told, self._first = told, int(counts_before)
        told.launched()

    def __call__(self) -> list[int]:
        """The number of components after each round; RuntimeError if edges close a cycle."""
        broken, *left = self._told.arrived()
        if broken or 1 not in left:
            raise RuntimeError(NO_FOREST)
        return left[self._first : left.index(1) + 1]
