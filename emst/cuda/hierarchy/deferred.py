"""Records some of whose arrays are made when somebody asks for them.

Until then the host does not know their lengths, so that the next stage does not wait; or kernels read the same numbers
in another order."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

import cupy

from emst.backend.interrupts import after_this
from emst.backend.records import Condensed, Selection
from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.launch import current_gpu
from emst.cuda.runtime.memory import array_at
from emst.cuda.runtime.to_host import OnItsWay

Places: TypeAlias = dict[str, tuple[Address, Address]]  # by name: an array with room for more, and its length, int32
Maker: TypeAlias = Callable[[Any], dict[str, cupy.ndarray]]  # of a record: some of its arrays by name


_making = threading.RLock()  # some makers ask for other arrays of their record


class Deferred:
    """What such records share. When all arrays have been asked for, it is an ordinary record. Several threads may ask
    at once: each gets the same array."""

    RECORD: type  # the ordinary record

    @classmethod
    def of(cls, makers: dict[str, Maker], known: dict[str, Any], **private: Any) -> Any:
        """A record. `makers` has those arrays by name that are made when somebody asks, and `known` all other fields.
        Makers and kernels read what is private: the ordinary record has none of it."""
        record = object.__new__(cls)
        home = current_gpu(), cupy.cuda.get_current_stream()  # whose kernels write what the makers read
        record.__dict__.update(known, **private, to_make=(makers, home, ("to_make", *private)))
        return record

    def __getattr__(self, name: str) -> Any:
        with _making:
            if name in self.__dict__:  # by now: another thread was faster
                return self.__dict__[name]
            if name not in self.__dict__.get("to_make", ((),))[0]:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            makers, (gpu, stream), private = self.__dict__["to_make"]
            with cupy.cuda.Device(gpu), stream:
                found = makers[name](self)
                stream.synchronize()  # the caller may read on another stream
            with after_this():
                self.__dict__.update(found)
                if makers.keys() <= self.__dict__.keys():
                    self.__class__ = self.RECORD
                    for one in private:
                        del self.__dict__[one]
            return found[name]

    def __reduce_ex__(self, protocol: Any) -> Any:
        for name in tuple(self.__dict__.get("to_make", ((),))[0]):
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


def uncounted_selection(places: Places) -> Selection:
    """The selection with these two arrays."""
    return UncountedSelection.of(counted(places), {}, places=places)


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
