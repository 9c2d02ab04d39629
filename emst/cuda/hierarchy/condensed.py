"""The condensed tree on the GPU. Kernels: condensed.cu."""

from __future__ import annotations

from dataclasses import dataclass

import cupy
import numpy as np

from emst.backend.records import Condensed, Linkage
from emst.cuda.hierarchy.chains import Chains
from emst.cuda.hierarchy.condensed_few import condense_few
from emst.cuda.hierarchy.linked import TreeByLinks, linked_tree
from emst.cuda.hierarchy.nodes import find_nodes, most_splits
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.compile import ctype, number_type
from emst.cuda.runtime.constants import FEW, PIECE
from emst.cuda.runtime.gather import take
from emst.cuda.runtime.launch import launch, launch_over_points
from emst.cuda.runtime.memory import all_ones, empties, scratch
from emst.cuda.runtime.sort import sort_pairs


@dataclass(eq=False)
class Members:
    """The nodes of all clusters, by cluster and in ascending order."""

    keys: cupy.ndarray  # uint32[inside]: the cluster
    nodes: cupy.ndarray  # int32[inside]
    leavers: cupy.ndarray  # of the dtype of sizes, [m]: points that leave at a node


def condense(linkage: Linkage, min_cluster_size: int) -> Condensed:
    """See `emst.backend.operations`."""
    if linkage.n == 1:
        return _single_point(linkage, min_cluster_size)
    chains: Chains = linkage.scratch
    m, kind = len(chains.ranks), chains.size.dtype.type
    least = kind(min(min_cluster_size, np.iinfo(kind).max))
    if chains.few:
        return condense_few(linkage, min_cluster_size, least)
    height = take(linkage.height, chains.ranks)
    nodes = find_nodes(chains, height, least, most_splits(linkage, least))
    place, leaving = empties((m, np.int32), ((m + 1, 2), height.dtype))
    chains.descend("hierarchy/condensed", "place_merges", nodes.node, m, nodes.mark, place)
    leave = f"leave<{ctype(height.dtype)}>"
    launch_over_points("hierarchy/condensed", leave, m, chains.children, m, place, height, leaving)
    children, inside = nodes.counts.arrived()
    members = members_of(place, inside, children + 1, nodes.left)
    born_at, size = nodes.born_at[: children + 1], nodes.points[: children + 1]
    known = {"linkage": linkage, "min_cluster_size": min_cluster_size, "size": size}
    tree = TreeByLinks(chains, born_at, leaving, place, nodes.left)
    return linked_tree(tree, {}, **known, **measures(height, born_at, len(size), place, members))


def members_of(of_merge: cupy.ndarray, inside: int, count: int, left: cupy.ndarray) -> Members:
    """The members of `count` clusters, of which there are `inside` in all: where `of_merge` is not negative."""
    m = len(of_merge)
    keys, nodes, total = scratch((inside, np.uint32), (inside, np.int32), (1, np.int32))
    Compaction(m).launch("hierarchy/condensed", "list_members", m, of_merge, m, keys, nodes, total)
    return Members(*sort_pairs(keys, nodes, bits=count.bit_length()), left)


def measures(
    height: cupy.ndarray, born_at: cupy.ndarray, count: int, of_merge: cupy.ndarray, members: Members
) -> dict[str, cupy.ndarray]:
    """What a condensed tree says of `count` clusters, but for their sizes. They are born at the nodes `born_at`;
    `members` are their nodes, of which no two of a cluster have the same height. Nodes are by link or by rank."""
    inside, T = len(members.nodes), ctype(height.dtype)
    numbers = ((count, np.float64) for _ in range(3))
    children, parent, birth, death, stability = empties(((count, 2), np.int32), (count, np.int32), *numbers)
    most = inside // PIECE  # of clusters with more members than that
    start, longs, total, terms = scratch((count + 1, np.int32), (most, np.int32), (1, np.int32), (inside, np.float64))
    clusters = (count, born_at, of_merge, height, parent, children, birth)
    nodes = (members.keys, members.nodes, inside, members.leavers, start, terms)
    of_types = f"<{T}, {number_type(members.leavers.dtype)}>"
    if count <= PIECE and inside <= FEW:
        args = (*clusters, *nodes, longs, death, stability)
        launch("hierarchy/condensed", f"measure_few{of_types}", PIECE, *args, block=PIECE)
    else:
        children.data.memset_async(0, children.nbytes)
        launch("hierarchy/condensed", f"describe{of_types}", inside, *clusters, *nodes)
        sums = (members.nodes, terms, height, death, stability)
        launch("hierarchy/condensed", f"sum_short<{T}>", 32 * count, start, count, *sums)
        if most:
            Compaction(count).launch("hierarchy/condensed", "list_long", count, start, count, longs, total)
            launch("hierarchy/condensed", f"sum_long<{T}>", most * PIECE, longs, total, start, *sums, block=PIECE)
    return {"parent": parent, "children": children, "birth": birth, "death": death, "stability": stability}


def _single_point(linkage: Linkage, min_cluster_size: int) -> Condensed:
    """One point never leaves: its lambda and its cluster's death are infinite."""
    (none,), first, nothing = all_ones((1, np.int32)), cupy.zeros(1, np.int32), cupy.empty(0, np.int32)
    zero, never = cupy.zeros(1, np.float64), cupy.full(1, np.inf)
    return Condensed(
        linkage=linkage,
        min_cluster_size=min_cluster_size,
        parent=none,
        children=cupy.zeros((1, 2), np.int32),
        born_at=none,
        birth=zero,
        death=never,
        size=cupy.ones(1, np.int32),
        stability=zero,
        cluster=first,
        leaving_merge=none,
        of_merge=nothing,
        left=nothing,
    )
