"""A graph of NetworkX with its edges as arrays.

NetworkX keeps it until nodes or edges are added or removed through the graph's methods. So it holds what only these
can change. Attributes are not copied: the dicts of the edges are the graph's own, and are read at every call.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain, compress
from operator import methodcaller
from typing import Any, NamedTuple

import numpy as np

ENTRIES = methodcaller("values")


class Edges(NamedTuple):
    """All edges in the order of `G.edges`, with the attributes in dicts that are the graph's own."""

    source: np.ndarray  # int32[m], positions of nodes
    target: np.ndarray  # int32[m]
    keys: list[Any] | None  # of a multigraph
    data: list[dict[Any, Any]]


class BackendGraph:
    """What a graph of NetworkX becomes on its way to this backend."""

    __networkx_backend__ = "emst"

    def __init__(self, original: Any) -> None:
        self.original = original

    def __len__(self) -> int:
        return len(self.original)

    def is_directed(self) -> bool:
        return bool(self.original.is_directed())

    def is_multigraph(self) -> bool:
        return bool(self.original.is_multigraph())

    @cached_property
    def nodes(self) -> list[Any]:
        return list(self.original)

    @cached_property
    def edges(self) -> Edges:
        """The edges of an undirected graph, each once: from the node that comes first."""
        adjacency = self.original._adj  # as NetworkX's own algorithms do, without a tuple for every edge
        places = {node: place for place, node in enumerate(self.nodes)}
        degrees = np.fromiter(map(len, adjacency.values()), np.int64, len(places))
        source = np.arange(len(places), dtype=np.int32).repeat(degrees)
        ends = chain.from_iterable(adjacency.values())
        target = np.fromiter(map(places.__getitem__, ends), np.int32, len(source))
        first = source <= target
        data = list(compress(chain.from_iterable(map(ENTRIES, adjacency.values())), first.tolist()))
        source, target = source[first], target[first]
        if not self.is_multigraph():
            return Edges(source, target, None, data)
        parallel = np.fromiter(map(len, data), np.int64, len(data))
        keys = list(chain.from_iterable(data))
        return Edges(
            source.repeat(parallel), target.repeat(parallel), keys, list(chain.from_iterable(map(ENTRIES, data)))
        )
