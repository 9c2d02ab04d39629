"""What travels between partitions: results that know their size, and packets that are addressed to partitions.

Of what a partition sends, only what is addressed to a partition travels to it. An engine may weigh moving data against
waiting, and count what its workers hold: it asks ``sys.getsizeof``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from emst.backend.operations import Backend
from emst.partitions.engine import Engine, Future


def bytes_of(value: Any) -> int:
    """Bytes of all arrays in a result."""
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    if isinstance(value, dict):
        return sum(map(bytes_of, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(bytes_of, value))
    if is_dataclass(value):
        return sum(bytes_of(getattr(value, field.name)) for field in fields(value))
    return sum(map(bytes_of, vars(value).values())) if type(value).__module__.startswith("emst.") else 0


class Sized:
    """A result whose size engines learn from ``sys.getsizeof``."""

    def __sizeof__(self) -> int:
        return bytes_of(self)


@dataclass(eq=False)
class Sender(Sized):
    """Something that holds packets for partitions."""

    packets: dict[int, Any]  # by partition


def addressed_to(partition: int, given: Any) -> Any:
    """What a `Sender`, or a dictionary by partition, holds for a partition, or None."""
    return _packets_of(given).get(partition)


def routed(given: list[Future], receivers: int, engine: Engine, by_partitions: bool = True) -> list[list[Any]]:
    """For every partition, what holds the packets for it: futures of `Sender` or of dictionaries by partition.

    In one process, and on the worker where a packet was made, that is what was given. To another worker travels only
    what is addressed to its partitions.

    Parameters
    ----------
    given : list of Future of Sender or dict
    receivers : int
        How many partitions.
    by_partitions : bool
        Whether the partitions have made what is given, in their order. Otherwise it may lie on any worker.
    """
    if engine.in_process:
        return [given for _ in range(receivers)]
    homes = [engine.home(j) for j in range(receivers)]
    arriving = {}
    for home in dict.fromkeys(homes):
        there = [j for j in range(receivers) if homes[j] == home]
        arriving[home] = [
            own if by_partitions and homes[i] == home else engine.submit(_packets_for, own, there)
            for i, own in enumerate(given)
        ]
    return [arriving[home] for home in homes]


def _packets_of(given: Any) -> dict[int, Any]:
    return given.packets if isinstance(given, Sender) else given


def _packets_for(ops: Backend, given: Any, partitions: Sequence[int]) -> dict[int, Any]:
    packets = _packets_of(given)
    return {j: packets[j] for j in partitions if j in packets}


def part(ops: Backend, value: Any, which: int | str) -> Any:
    """Task: an item or an attribute of a result."""
    return getattr(value, which) if isinstance(which, str) else value[which]
