"""Records some of whose arrays are made when somebody asks for them.

Until then the host does not know their lengths, so that the next stage does not wait; or kernels read the same numbers
in another order."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import cupy

from emst.backend.records import Condensed, Selection
from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.launch import current_gpu
from emst.cuda.runtime.memory import array_at
from emst.cuda.runtime.to_host import OnItsWay

Places: TypeAlias = dict[str, tuple[Address, Address]]  # by name: an array with room for more, and its length, int32
Maker: TypeAlias = Callable[[Any], dict[str, cupy.ndarray]]  # of a record: some of its arrays by name


class Deferred:
    """What such records share. When all arrays have been asked for, it is an ordinary record. Several threads may ask
    at once: each finds the same.

    Parameters
    ----------
    makers : dict of Maker
        By name, of the arrays that are made when somebody asks.
    known : dict
        All other attributes.
    private : dict
        What makers and kernels read: the ordinary record has none of it.
    """

    RECORD: type  # the ordinary record

    def __init__(self, makers: dict[str, Maker], known: dict[str, Any], **private: Any) -> None:
        home = current_gpu(), cupy.cuda.get_current_stream()  # whose kernels write what the makers read
        self.__dict__.update(known, **private, deferred=(makers, home, ("deferred", *private)))

    def __getattr__(self, name: str) -> Any:
        deferred = self.__dict__.get("deferred")
        if name in self.__dict__:  # by now: another thread was faster
            return self.__dict__[name]
        if deferred is None or name not in deferred[0]:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        makers, (gpu, stream), private = deferred
        with cupy.cuda.Device(gpu), stream:
            found = makers[name](self)
        self.__dict__.update(found)  # before the rest, also for an interrupt in between
        if makers.keys() <= self.__dict__.keys():
            self.__class__ = getattr(type(self), "RECORD", type(self))
            for one in private:
                self.__dict__.pop(one, None)
        return found[name]

    def __reduce_ex__(self, protocol: Any) -> Any:
        for name in tuple(self.__dict__.get("deferred", ((),))[0]):
            getattr(self, name)
        return object.__reduce_ex__(self, protocol)


def counted(places: Places) -> dict[str, Maker]:
    """Makers of arrays that are not counted. Who asks for one waits for all their lengths."""
    return dict.fromkeys(places, functools.partial(_counted, places))


def _counted(places: Places, _: Any) -> dict[str, cupy.ndarray]:
    lengths = {length: OnItsWay(length) for length in {length for _, length in places.values()}}
    return {name: array_at(place, lengths[length].arrived()[0]) for name, (place, length) in places.items()}


class UncountedSelection(Deferred, Selection):
    """A selection whose clusters are not counted."""

    RECORD = Selection

    def __init__(self, places: Places) -> None:
        super().__init__(counted(places), {}, places=places)


def for_kernels(record: Any, name: str) -> Any:
    """An array of a record. If the host does not know its length, the address where it begins."""
    places = record.__dict__.get("places", {})
    return places[name][0] if name in places and name not in record.__dict__ else getattr(record, name)


def clusters_for_kernels(condensed: Condensed) -> tuple[int, Address | None]:
    """How many clusters there are; if they are not counted, how many at most, and where kernels read how many."""
    places = condensed.__dict__.get("places", {})
    if "parent" not in places or "parent" in condensed.__dict__:
        return condensed.count, None
    parent, counted = places["parent"]
    return len(parent), counted
