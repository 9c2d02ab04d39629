"""Records some of whose arrays are made when somebody asks for them.

There are two reasons. The host does not know the length of an array, and must not wait for it. Or kernels use the same
numbers in another order.
"""

from __future__ import annotations

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

# By name: an array that is as long as can be necessary, and the address of its true length, an int32.
Uncounted: TypeAlias = dict[str, tuple[Address, Address]]
Maker: TypeAlias = Callable[[Any], dict[str, cupy.ndarray]]  # of a record: some of its arrays by name

_making = (
    threading.RLock()
)  # one for all records: it is seldom taken. A maker may ask for another array, and take it again


class Deferred:
    """What these records share. Several threads may ask at once, and get the same array. When the last array has been
    made, the class of the object becomes `RECORD`."""

    RECORD: type  # the ordinary record

    @classmethod
    def of(cls, makers: dict[str, Maker], known: dict[str, Any], **private: Any) -> Any:
        """A record. `makers` has a function for each array that is made later, and `known` the other fields. Makers and
        kernels read what is private; it is deleted when the last array has been made."""
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


def makers_of(uncounted: Uncounted) -> dict[str, Maker]:
    """Makers for a record with these arrays as private `uncounted`. The first one that is asked for makes all."""
    return dict.fromkeys(uncounted, _counted)


def _counted(record: Any) -> dict[str, cupy.ndarray]:
    arrays: Uncounted = record.uncounted
    lengths = {at: OnItsWay(at) for at in {at for _, at in arrays.values()}}
    return {name: array_at(array, lengths[at].arrived()[0]) for name, (array, at) in arrays.items()}


class UncountedSelection(Deferred, Selection):
    """A selection whose clusters are not counted."""

    RECORD = Selection


def uncounted_selection(uncounted: Uncounted) -> Selection:
    """The selection with these two arrays."""
    return UncountedSelection.of(makers_of(uncounted), {}, uncounted=uncounted)


def for_kernels(record: Any, name: str) -> Any:
    """An array of a record. If the host does not know its length, the address where it begins."""
    uncounted = record.__dict__.get("uncounted", {})
    return uncounted[name][0] if name in uncounted and name not in record.__dict__ else getattr(record, name)


def clusters_for_kernels(condensed: Condensed) -> tuple[int, Address | None]:
    """How many clusters there are; if they are not counted, how many at most, and where kernels read how many."""
    uncounted = condensed.__dict__.get("uncounted", {})
    if "parent" not in uncounted or "parent" in condensed.__dict__:
        return condensed.count, None
    parent, count_at = uncounted["parent"]
    return len(parent), count_at
