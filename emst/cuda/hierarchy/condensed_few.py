"""The condensed tree of few points on the GPU, by one launch. Kernel: condensed_few.cu."""

from __future__ import annotations

import numpy as np

from emst.backend.records import Condensed, Linkage
from emst.cuda.hierarchy.chains import Chains
from emst.cuda.hierarchy.linked import TreeByLinks, linked_tree
from emst.cuda.hierarchy.nodes import most_splits
from emst.cuda.runtime.compile import ctype, number_type
from emst.cuda.runtime.constants import CONDENSED_WORDS, FEW_THREADS
from emst.cuda.runtime.launch import launch_resident
from emst.cuda.runtime.memory import cleared, empties, scratch

MERGES = 64  # for each block: with more blocks, keys are ranked sooner
OF_CLUSTERS = ("size", "parent", "children", "birth", "death", "stability")  # arrays of a `Condensed`


def condense_few(linkage: Linkage, min_cluster_size: int, least: np.integer) -> Condensed:
    """As `condense`, where the chains are few. `least` is the size in the dtype of sizes."""
    chains: Chains = linkage.scratch
    m, kind = len(chains.ranks), chains.size.dtype
    of_merges, of_points = (m, np.int32), ((m + 1, 2), linkage.height.dtype)
    most = most_splits(linkage, least) + 1
    ids, numbers = (most, np.int32), (most, np.float64)
    of_heights = (m, linkage.height.dtype)
    height, of_merge, leaving, left = empties(of_heights, of_merges, of_points, (m, kind))
    of_clusters = (most, kind), ids, ((most, 2), np.int32), numbers, numbers, numbers
    born_at, *arrays, count_at = scratch(ids, *of_clusters, (1, np.int32))
    (steps,), (state,) = scratch((CONDENSED_WORDS * m + 2, np.uint64)), cleared((3, np.int32))
    launch_resident(
        "hierarchy/condensed_few",
        f"condense_few<{ctype(linkage.height.dtype)}, {number_type(kind)}>",
        -(-m // MERGES),
        *(chains.ranks, chains.parent, chains.rounds, linkage.height, height, chains.children, chains.size, m, least),
        *(steps, of_merge, left, leaving, born_at, *arrays, count_at, state),
        block=FEW_THREADS,
    )
    return linked_tree(
        TreeByLinks(chains, born_at, leaving, of_merge, left),
        {name: (array, count_at) for name, array in zip(OF_CLUSTERS, arrays)},
        linkage=linkage,
        min_cluster_size=min_cluster_size,
    )
