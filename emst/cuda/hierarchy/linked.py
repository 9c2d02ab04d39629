"""Linkages and condensed trees for kernels, which name merges by links (chains.py).

Their arrays that name merges by ranks are made when somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from operator import getitem
from typing import Any

import cupy
import numpy as np

from emst.backend.records import Condensed, Linkage
from emst.cuda.hierarchy.chains import Chains
from emst.cuda.hierarchy.deferred import Deferred, Maker, Uncounted, makers_of
from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.compile import number_type
from emst.cuda.runtime.gather import put
from emst.cuda.runtime.launch import launch, launch_over_points
from emst.cuda.runtime.memory import array_at, empties


class LinkedLinkage(Deferred, Linkage):
    """A `Linkage` whose children and sizes are made when somebody asks. Kernels read its `Chains`, in `scratch`."""

    RECORD = Linkage


def linked_linkage(chains: Chains, height: cupy.ndarray, total: int | None) -> Linkage:
    """The linkage of these chains. Heights are by rank."""
    makers: dict[str, Maker] = dict.fromkeys(("child", "size"), _children_and_sizes)
    return LinkedLinkage.of(makers, {"height": height, "scratch": chains, "total": total})


def _children_and_sizes(linkage: Linkage) -> dict[str, cupy.ndarray]:
    chains: Chains = linkage.scratch
    m, kind = len(chains.ranks), chains.size.dtype
    child, size = empties(((m, 2), np.int32), (m, kind))
    args = chains.ranks, chains.children, chains.size, m, child, size
    launch("hierarchy/linkage", f"name_merges<{number_type(kind)}>", m, *args)
    return {"child": child, "size": size}


@dataclass
class TreeByLinks:
    """The arrays of a condensed tree that name merges, by links; and where its points leave."""

    chains: Chains
    born_at: cupy.ndarray | Address  # int32[K], or more
    leaving: cupy.ndarray  # T[m + 1, 2], or of the first points only: `Leaving` (leaving.cuh)
    of_merge: cupy.ndarray  # int32[m]: negative for merges that are no nodes in a cluster (`Places` in members.cuh)
    left: cupy.ndarray  # of the dtype of sizes, [m]

    def clusters(self) -> cupy.ndarray:
        """The cluster that each point leaves, int32."""
        return self.leaving.view(np.int32)[:, 0].copy()


class LinkedTree(Deferred, Condensed):
    """A `Condensed` whose arrays by rank are made when somebody asks. Kernels may read those `by_links`."""

    RECORD = Condensed
    by_links: TreeByLinks  # until all arrays have been made

    def leaving(self, points: Any = None, take: Callable[[Any, Any], Any] = getitem) -> tuple[Any, Any]:
        """See `Condensed`. This needs no array by rank."""
        tree: TreeByLinks | None = self.__dict__.get("by_links")
        if tree is None:
            return super().leaving(points, take)
        if points is not None:
            tree = replace(tree, leaving=tree.leaving[points])
        return tree.clusters(), tree.leaving[:, 1].copy()

    def of_first(self, points: int) -> Condensed:
        """See `Condensed`."""
        tree: TreeByLinks | None = self.__dict__.get("by_links")
        if tree is None:
            return super().of_first(points)
        known = {name: value for name, value in self.__dict__.items() if name in NOT_BY_RANK}
        uncounted = self.__dict__.get("uncounted", {})
        return linked_tree(replace(tree, leaving=tree.leaving[:points]), uncounted, **known)


def linked_tree(tree: TreeByLinks, uncounted: Uncounted, **known: Any) -> Condensed:
    """The condensed tree. If the host does not know how many clusters there are, `uncounted` has all arrays of clusters
    but born_at."""
    return LinkedTree.of(makers_of(uncounted) | BY_RANK, known, uncounted=uncounted, by_links=tree)


def _born_at(record: LinkedTree) -> dict[str, cupy.ndarray]:
    tree = record.by_links
    at = array_at(tree.born_at, record.count) if isinstance(tree.born_at, Address) else tree.born_at
    return {"born_at": cupy.where(at < 0, at, tree.chains.ranks[cupy.maximum(at, 0)])}


def _cluster(record: LinkedTree) -> dict[str, cupy.ndarray]:
    return {"cluster": record.by_links.clusters()}


def _leaving_merge(record: LinkedTree) -> dict[str, cupy.ndarray]:
    tree, chains = record.by_links, record.by_links.chains
    m = len(chains.ranks)
    leaving = cupy.empty(m + 1, np.int32)
    args = chains.children, m, tree.of_merge, chains.ranks, leaving
    launch_over_points("hierarchy/condensed", "leave_nodes", m, *args)
    return {"leaving_merge": leaving[: len(tree.leaving)]}


def _of_merge(record: LinkedTree) -> dict[str, cupy.ndarray]:
    tree = record.by_links
    return {"of_merge": _in_order_of_ranks(tree.chains.ranks, cupy.maximum(tree.of_merge, -1))}


def _left(record: LinkedTree) -> dict[str, cupy.ndarray]:
    return {"left": _in_order_of_ranks(record.by_links.chains.ranks, record.by_links.left)}


def _in_order_of_ranks(ranks: cupy.ndarray, values: cupy.ndarray) -> cupy.ndarray:
    ordered = cupy.empty_like(values)
    put(ordered, ranks, values)
    return ordered


BY_RANK: dict[str, Maker] = {
    "born_at": _born_at,
    "cluster": _cluster,
    "leaving_merge": _leaving_merge,
    "of_merge": _of_merge,
    "left": _left,
}
NOT_BY_RANK = {field.name for field in fields(Condensed)} - BY_RANK.keys()
