"""What one partition sends to another: only what is addressed to it travels."""

from __future__ import annotations

from typing import Any

from distributed import Future

from emst.backend.operations import Backend
from emst.dask.border import Asking
from emst.dask.cluster import Cluster


def routed(given: list[Future], receivers: int, cluster: Cluster) -> list[list[Any]]:
    """What every partition gets of dictionaries by partition, or of the questions that points ask.

    In one process partitions pick their items themselves. Across processes only what is addressed to a partition
    travels to it, and None stands for nothing.
    """
    if cluster.in_process:
        return [given for _ in range(receivers)]
    addresses = cluster.gather([cluster.submit(_receivers, own) for own in given])
    return [
        [cluster.submit(_item_or_none, own, j) if j in addresses[i] else None for i, own in enumerate(given)]
        for j in range(receivers)
    ]


def _by_partition(items: Any) -> dict[int, Any]:
    return items.questions if isinstance(items, Asking) else items


def _item_or_none(ops: Backend, items: Any, which: int) -> Any:
    return _by_partition(items).get(which)


def _receivers(ops: Backend, given: Any) -> list[int]:
    return list(_by_partition(given))
