"""What a launch that has taken all rounds tells the host: how many components each round left."""

from __future__ import annotations

import cupy

from emst.backend.records import NO_FOREST
from emst.cuda.runtime.memory import OnItsWay


class TakenRounds:
    """The numbers of such a launch, on their way to the host, which goes on before they arrive.

    Parameters
    ----------
    state : int32[...]
        At `broken` whether edges close a cycle. Then numbers of components: before the first round, if `counts_before`,
        and after each round.
    broken : int
    counts_before : bool
    """

    def __init__(self, state: cupy.ndarray, broken: int, counts_before: bool) -> None:
        self._state, self._broken, self._first = OnItsWay(state), broken, int(counts_before)

    def __call__(self) -> list[int]:
        """The number of components after each round; RuntimeError if edges close a cycle."""
        broken, *left = self._state.arrived()[self._broken :]
        if broken or 1 not in left:
            raise RuntimeError(NO_FOREST)
        return left[self._first : left.index(1) + 1]
