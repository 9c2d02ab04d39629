"""Records some of whose arrays have lengths that the GPU knows and the host does not: the next stage does not wait for
them."""

from __future__ import annotations

from typing import Any, TypeAlias

import cupy

from emst.backend.records import Condensed, Selection
from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.launch import current_gpu
from emst.cuda.runtime.memory import array_at
from emst.cuda.runtime.to_host import OnItsWay

Places: TypeAlias = dict[str, tuple[Address, Address]]  # by name: an array with room for more, and its length, int32


class Uncounted:
    """What such records share. Who asks for one of these arrays waits for their lengths, and has an ordinary record
    from then on.

    Parameters
    ----------
    record : type
        The ordinary record.
    places : Places
    known : dict
        All other attributes.
    """

    def __init__(self, record: type, places: Places, known: dict[str, Any]) -> None:
        self.__dict__.update(known)
        self.record, self.places, self.gpu = record, places, current_gpu()

    def __getattr__(self, name: str) -> Any:
        if name not in self.__dict__.get("places", ()):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        places = self.places
        with cupy.cuda.Device(self.gpu):
            lengths = {length: OnItsWay(length) for _, length in places.values()}
            found = {name: array_at(place, lengths[length].arrived()[0]) for name, (place, length) in places.items()}
        self.__class__ = self.record
        self.__dict__.update(found)
        for ours in ("record", "places", "gpu"):
            self.__dict__.pop(ours, None)  # another thread may have come here as well
        return found[name]

    def __reduce_ex__(self, protocol: Any) -> Any:
        getattr(self, next(iter(self.places)))
        return object.__reduce_ex__(self, protocol)


class UncountedTree(Uncounted, Condensed):
    """A condensed tree whose clusters are not counted."""

    def __init__(self, places: Places, **known: Any) -> None:
        super().__init__(Condensed, places, known)


class UncountedSelection(Uncounted, Selection):
    """A selection whose clusters are not counted."""

    def __init__(self, places: Places) -> None:
        super().__init__(Selection, places, {})


def for_kernels(record: Any, name: str) -> Any:
    """An array of a record, or where it is if it is not counted."""
    return record.places[name][0] if isinstance(record, Uncounted) else getattr(record, name)


def clusters_for_kernels(condensed: Condensed) -> tuple[int, Address | None]:
    """How many clusters there are; if they are not counted, how many at most, and where kernels read how many."""
    if isinstance(condensed, Uncounted):
        parent, counted = condensed.places["parent"]
        return len(parent), counted
    return condensed.count, None
