"""What one partition sends to another: only what is addressed to it travels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from distributed import Future

from emst.backend.operations import Backend
from emst.dask.cluster import Cluster
from emst.dask.sizes import Sized


@dataclass(eq=False)
class Sender(Sized):
    """Something that holds packets for partitions."""

    packets: dict[int, Any]  # by partition


def addressed_to(partition: int, given: Any) -> Any:
    """What a `Sender`, or a dictionary by partition, holds for a partition, or None."""
    return _packets_of(given).get(partition)


def routed(given: list[Future], receivers: int, cluster: Cluster, by_partitions: bool = True) -> list[list[Any]]:
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
    if cluster.in_process:
        return [given for _ in range(receivers)]
    homes = [cluster.home(j) for j in range(receivers)]
    arriving = {}
    for home in dict.fromkeys(homes):
        there = [j for j in range(receivers) if homes[j] == home]
        arriving[home] = [
            own if by_partitions and homes[i] == home else cluster.submit(_packets_for, own, there)
            for i, own in enumerate(given)
        ]
    return [arriving[home] for home in homes]


def _packets_of(given: Any) -> dict[int, Any]:
    return given.packets if isinstance(given, Sender) else given


def _packets_for(ops: Backend, given: Any, partitions: Sequence[int]) -> dict[int, Any]:
    packets = _packets_of(given)
    return {j: packets[j] for j in partitions if j in packets}
