"""The dendrogram by links, and records that name merges by their ranks when somebody asks.

The *rank* of a merge is its place among the sorted edges; the records of `emst.backend.records` name it so. Its *link*
is its place among the merges of all chains (linkage.cu): chain after chain, each in ascending order, and the chains in
the order of the rounds that they closed in. The parent of a merge is the next link, but for the last of a chain. So
kernels name merges by links: what a merge inherits or collects lies beside it in memory.

A merge has a greater link than all merges below it, as with ranks. Of two merges in different branches, the one with
the greater link may have the smaller rank.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from operator import getitem
from typing import Any

import cupy
import numpy as np

from emst.backend.records import Condensed, Linkage
from emst.cuda.hierarchy.deferred import Deferred, Places, counted
from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.compile import number_type
from emst.cuda.runtime.constants import BLOCK, COUNTER_WORDS, FEW, FEW_THREADS, SCAN_TILE
from emst.cuda.runtime.gather import put
from emst.cuda.runtime.launch import launch, launch_over_points, launch_resident
from emst.cuda.runtime.memory import array_at, cleared, empties


@dataclass
class Chains:
    """A dendrogram of m merges by links. The children of a chain's merges lie in earlier rounds, the parent of its last
    merge in a later one."""

    ranks: cupy.ndarray  # int32[m]: of every link
    children: cupy.ndarray  # int32[m, 2]: links, or points -m - 1 ... -1; in no order
    size: cupy.ndarray  # int32[m], or int64[m]: weights
    parent: Address  # int32[m]: a link; that of the root is m
    rounds: Address  # int32: their number, where each begins, and m

    @property
    def few(self) -> bool:
        """Whether one block takes the merges of all rounds."""
        return len(self.ranks) < FEW

    def descend(self, path: str, name: str, *args: object) -> None:
        """Scan the chains of all rounds, the root's first: kernel(parent, rounds, *args, published)."""
        scan_chains(path, name, len(self.ranks), self.parent, self.rounds, *args)


def scan_chains(path: str, name: str, m: int, *args: object) -> None:
    """Scan the chains of all rounds, which have m merges (`scan_rounds` in chains.cuh): kernel(*args, published)."""
    if m < FEW:
        launch_resident(path, name, 1, *args, None, block=FEW_THREADS)
        return
    tiles = -(-m // SCAN_TILE)
    launch_resident(path, name, tiles, *args, *cleared((COUNTER_WORDS + tiles, np.uint64)), block=BLOCK)


class LinkedLinkage(Deferred, Linkage):
    """A dendrogram whose merges are named when somebody asks for them. Kernels read `scratch`, the `Chains`."""

    RECORD = Linkage


def linked_linkage(chains: Chains, height: cupy.ndarray, total: int | None) -> Linkage:
    """The dendrogram of these chains. Heights are by rank."""
    return LinkedLinkage.of({"child": _named, "size": _named}, {"height": height, "scratch": chains, "total": total})


def _named(linkage: Linkage) -> dict[str, cupy.ndarray]:
    chains: Chains = linkage.scratch
    m, kind = len(chains.ranks), chains.size.dtype
    child, size = empties(((m, 2), np.int32), (m, kind))
    args = chains.ranks, chains.children, chains.size, m, child, size
    launch("hierarchy/linkage", f"name_merges<{number_type(kind)}>", m, *args)
    return {"child": child, "size": size}


@dataclass
class Links:
    """What a condensed tree says of nodes, merges and points. Nodes and merges are named by links."""

    chains: Chains
    born_at: cupy.ndarray | Address  # int32[K], or more
    leaving: cupy.ndarray  # T[m + 1, 2], or of the first points only: `Leaving` (leaving.cuh)
    of_merge: cupy.ndarray  # int32[m]: negative for merges that are no nodes in a cluster (`Places` in members.cuh)
    left: cupy.ndarray  # of the dtype of sizes, [m]


def _born_at(links: Links, tree: Condensed) -> dict[str, cupy.ndarray]:
    born_at = links.born_at
    at = array_at(born_at, tree.count) if isinstance(born_at, Address) else born_at
    return {"born_at": cupy.where(at < 0, at, links.chains.ranks[cupy.maximum(at, 0)])}


def _cluster(links: Links, _: Condensed) -> dict[str, cupy.ndarray]:
    return {"cluster": links.leaving.view(np.int32)[:, 0].copy()}


def _leaving_merge(links: Links, _: Condensed) -> dict[str, cupy.ndarray]:
    chains, m = links.chains, len(links.of_merge)
    leaving = cupy.empty(m + 1, np.int32)
    args = chains.children, m, links.of_merge, chains.ranks, leaving
    launch_over_points("hierarchy/condensed", "leave_nodes", m, *args)
    return {"leaving_merge": leaving[: len(links.leaving)]}


def _of_merge(links: Links, _: Condensed) -> dict[str, cupy.ndarray]:
    return {"of_merge": _by_rank(links.chains.ranks, cupy.maximum(links.of_merge, -1))}


def _left(links: Links, _: Condensed) -> dict[str, cupy.ndarray]:
    return {"left": _by_rank(links.chains.ranks, links.left)}


def _by_rank(ranks: cupy.ndarray, values: cupy.ndarray) -> cupy.ndarray:
    ordered = cupy.empty_like(values)
    put(ordered, ranks, values)
    return ordered


OF_LINKS = {
    "born_at": _born_at,
    "cluster": _cluster,
    "leaving_merge": _leaving_merge,
    "of_merge": _of_merge,
    "left": _left,
}
KNOWN = {field.name for field in fields(Condensed)} - OF_LINKS.keys()


class LinkedTree(Deferred, Condensed):
    """A condensed tree whose nodes are named when somebody asks for them. Kernels may read `links`."""

    RECORD = Condensed

    def leaving(self, points: Any = None, take: Callable[[Any, Any], Any] = getitem) -> tuple[Any, Any]:
        """See `Condensed`. Clusters and heights are there before the nodes have names."""
        links: Links | None = self.__dict__.get("links")
        if links is None:
            return super().leaving(points, take)
        leaving = links.leaving if points is None else links.leaving[points]
        return leaving.view(np.int32)[:, 0].copy(), leaving[:, 1].copy()

    def of_first(self, points: int) -> Condensed:
        """See `Condensed`."""
        links: Links | None = self.__dict__.get("links")
        if links is None:
            return super().of_first(points)
        known = {name: value for name, value in self.__dict__.items() if name in KNOWN}
        return linked_tree(replace(links, leaving=links.leaving[:points]), self.__dict__.get("places", {}), **known)


def linked_tree(links: Links, places: Places, **known: Any) -> Condensed:
    """The condensed tree of these links. If the host does not know how many clusters there are, `places` has the arrays
    of clusters that are not made of links."""
    made = {name: functools.partial(maker, links) for name, maker in OF_LINKS.items()}
    return LinkedTree.of(counted(places) | made, known, places=places, links=links)
