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
    from then on. Several threads may ask at once: each finds the same.

    Parameters
    ----------
    places : Places
    known : dict
        All other attributes.
    """

    RECORD: type  # the ordinary record

    def __init__(self, places: Places, known: dict[str, Any]) -> None:
        home = current_gpu(), cupy.cuda.get_current_stream()  # whose kernels write the lengths
        self.__dict__.update(known, places=places, home=home)

    def __getattr__(self, name: str) -> Any:
        places, home = self.__dict__.get("places"), self.__dict__.get("home")
        if name in self.__dict__:  # by now: another thread was faster
            return self.__dict__[name]
        if places is None or home is None or name not in places:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        gpu, stream = home
        with cupy.cuda.Device(gpu), stream:
            lengths = {length: OnItsWay(length) for length in {length for _, length in places.values()}}
            found = {name: array_at(place, lengths[length].arrived()[0]) for name, (place, length) in places.items()}
        self.__dict__.update(found)  # before the rest, also for an interrupt in between
        self.__class__ = getattr(type(self), "RECORD", type(self))
        self.__dict__.pop("places", None)
        self.__dict__.pop("home", None)
        return found[name]

    def __reduce_ex__(self, protocol: Any) -> Any:
        for name in tuple(self.__dict__.get("places", ())):
            getattr(self, name)
        return object.__reduce_ex__(self, protocol)


class UncountedTree(Uncounted, Condensed):
    """A condensed tree whose clusters are not counted."""

    RECORD = Condensed

    def __init__(self, places: Places, **known: Any) -> None:
        super().__init__(places, known)


class UncountedSelection(Uncounted, Selection):
    """A selection whose clusters are not counted."""

    RECORD = Selection

    def __init__(self, places: Places) -> None:
        super().__init__(places, {})


def for_kernels(record: Any, name: str) -> Any:
    """An array of a record. If the host does not know its length, the address where it begins."""
    places = record.__dict__.get("places")
    return getattr(record, name) if places is None else places[name][0]


def clusters_for_kernels(condensed: Condensed) -> tuple[int, Address | None]:
    """How many clusters there are; if they are not counted, how many at most, and where kernels read how many."""
    places = condensed.__dict__.get("places")
    if places is None:
        return condensed.count, None
    parent, counted = places["parent"]
    return len(parent), counted
