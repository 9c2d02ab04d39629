"""The condensed tree of few points on the GPU, by one launch. Kernel: condensed_few.cu."""

from __future__ import annotations

import numpy as np

from emst.backend.records import Condensed, Linkage
from emst.cuda.hierarchy.linkage import Chains
from emst.cuda.hierarchy.nodes import most_splits
from emst.cuda.hierarchy.uncounted import UncountedTree
from emst.cuda.runtime.compile import ctype, number_type
from emst.cuda.runtime.constants import CONDENSED_WORDS, FEW_THREADS
from emst.cuda.runtime.launch import launch_resident
from emst.cuda.runtime.memory import cleared, empties, scratch

MERGES = 64  # for each block: with more blocks, keys are ranked sooner
OF_CLUSTERS = ("born_at", "size", "parent", "children", "birth", "death", "stability")  # arrays of a `Condensed`


def condense_few(linkage: Linkage, min_cluster_size: int, least: np.integer) -> Condensed:
    """As `condense`, where the chains are few. `least` is the size in the dtype of sizes."""
    m, kind = len(linkage.size), linkage.size.dtype
    chains: Chains = linkage.scratch
    of_merges, of_points = (m, np.int32), (m + 1, np.int32)
    most = most_splits(linkage, least) + 1
    ids, numbers = (most, np.int32), (most, np.float64)
    of_merge, cluster, leaving, left = empties(of_merges, of_points, of_points, (m, kind))
    of_clusters = ids, (most, kind), ids, ((most, 2), np.int32), numbers, numbers, numbers
    *places, counted = scratch(*of_clusters, (1, np.int32))
    (steps,), (state,) = scratch((CONDENSED_WORDS * m + 2, np.uint64)), cleared((3, np.int32))
    launch_resident(
        "hierarchy/condensed_few",
        f"condense_few<{ctype(linkage.height.dtype)}, {number_type(kind)}>",
        -(-m // MERGES),
        *(chains.entries, chains.slots, chains.rounds, linkage.height, linkage.child, linkage.size, m, least),
        *(chains.parent_merge, steps, of_merge, left, cluster, leaving, *places, counted, state),
        block=FEW_THREADS,
    )
    return UncountedTree(
        {name: (place, counted) for name, place in zip(OF_CLUSTERS, places)},
        linkage=linkage,
        min_cluster_size=min_cluster_size,
        cluster=cluster,
        leaving_merge=leaving,
        of_merge=of_merge,
        left=left,
    )
