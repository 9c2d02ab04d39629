"""Faults in what the GPU's stages share, and its distances."""

from .fault import Fault

FAULTS = [
    Fault(
        "the least weight is written without an atomic",
        "emst/cuda/runtime/exact.cuh",
        "if (weight < *best) atomicMin(best, weight);",
        "if (weight < *best) *best = weight;",
        ("tests/points/test_total_order.py::test_repeated_runs_are_identical[cuda-uniform-1]",),
    ),
    Fault(
        "the longest run that is ordered is left as it is",
        "emst/cuda/runtime/ties.cuh",
        "    if (back - front <= MOST) {\n",
        "    if (back - front < MOST) {\n",
        ("tests/points/test_result.py::test_many_edges_of_the_same_weight",),
    ),
    Fault(
        "a segment that begins in a tile gets the sum of the tile before",
        "emst/cuda/runtime/scan.cuh",
        "before[row] + (headed[row] ? 0 : tile_start)",
        "before[row] + tile_start",
        ("tests/hierarchy/test_linkage.py::test_a_million_merges_of_any_depth_take_no_longer[cuda-2-chain]",),
    ),
    Fault(
        "tiles are added up beyond the first complete sum",
        "emst/cuda/runtime/lookback.cuh",
        "u32 nearer = complete ? __ffs(complete) : 32;",
        "u32 nearer = 32;",
        ("tests/hierarchy/test_linkage.py::test_a_million_merges_of_any_depth_take_no_longer",),
    ),
    Fault(
        "a sort reads sums before they are published",
        "emst/cuda/runtime/sort.cu",
        "if (taken != q || !lookback::published(word[q], epoch)) continue;",
        "if (taken != q) continue;",
        ("tests/runtime/test_late_tiles.py::test_sorts",),
    ),
    Fault(
        "equal points count as neighbours at distance 0",
        "emst/cuda/distances/validity.cu",
        "if (s > 0) least = minimum(least, s);",
        "least = minimum(least, s);",
        ("tests/distances/test_validity.py::test_agrees_with_hdbscan[sizes0-2-20-False-cuda]",),
    ),
    Fault(
        "higher digits are not compared",
        "emst/cuda/distances/rows.cu",
        "if ((b & mask) == prefix) atomicAdd(",
        "if ((b & prefix) == prefix) atomicAdd(",
        ("tests/distances/test_rows.py::test_the_tree_of_a_matrix[cuda-3-uniform-float32]",),
    ),
    Fault(
        "splits that tie are not ordered by id",
        "emst/cuda/distances/brute.cu",
        "if (of_split.id != NONE && of_split.before(first)) first = of_split;",
        "if (of_split.weight < first.weight) first = of_split;",
        ("tests/points/test_cuda_products.py::test_parts_that_tie",),
    ),
    Fault(
        "a sort that may write over its keys does so in its first pass",
        "emst/cuda/runtime/sort.py",
        "if len(shifts) % 2 == 0:  # the first",
        "if len(shifts) % 2 == 1:  # the first",
        ("tests/runtime/test_sort.py::test_pairs_that_may_be_spoilt[9]",),
    ),
]
