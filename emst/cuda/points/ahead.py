"""Which kernels a tree and a clustering of points will launch. They are compiled, or loaded, side by side while the fit
begins, not one after the other when each is first launched.

A kernel that is missing here is compiled at its first launch, and one that is not launched is compiled in vain: both
cost time, and change no result. A test on a GPU compares these lists with what fits launch.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from emst.backend.records import MOST_CURVE_AXES, Norm
from emst.cuda.distances.metric import number_of
from emst.cuda.points.bvh import are_few
from emst.cuda.points.engine import LOOK_FROM, Engine, engine_before_looking
from emst.cuda.points.knn import LONGEST_LIST
from emst.cuda.points.order import WARP
from emst.cuda.points.rounds import at_once
from emst.cuda.points.weighted import SHORT_LIST
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import PRODUCT_CHUNK
from emst.cuda.runtime.launch import Kernel, current_gpu, load_side_by_side
from emst.cuda.runtime.tensor_cores import stages

# By what needs them: path of the .cu file without its ending, and name. "resident" stands after a kernel whose blocks
# wait for one another.
KERNELS = {
    "rest": "points/rounds join_rest<{T}, {D}, {M}, {MRD}> resident",  # first, as it takes the longest
    "begin": """
        points/statistics point_statistics<{T}, {U}>
        points/order cell_grids<double, u64, {A}>
        points/order cell_codes<{T}, {A}>
        points/bvh gather<{T}>
    """,
    "many axes": """
        points/order rank_axes<double, u64>
        points/order rank_axes<{T}, {U}>
    """,
    "hierarchy": """
        points/bvh leaf_boxes<{T}, {D}>
        points/bvh parent_boxes<{T}, {D}>
    """,
    "hierarchy cores": """
        points/bvh leaf_cores<{T}, {D}>
        points/bvh parent_cores<{T}, {D}>
    """,
    "lists": "points/knn nearest_points<{T}, {D}, {M}, {K}>",
    "ranks": "points/knn kth_distances<{T}, {D}, {M}>",
    "total": "runtime/total sum_parts<{T}>",
    "cores": "points/result unscaled<{T}, {ROOTED}>",
    "few": """
        runtime/sort rank_keys<u64>
        points/order list_crowded
        points/small join_all<{T}, {WALKED}, {M}, {MRD}> resident
        points/result emit_ranked<{T}, {M}, {MRD}, {SQUARED}>
    """,
    "many": """
        runtime/sort sample_ties
        runtime/sort count_packed
        runtime/sort digit_starts
        runtime/sort packed_passes resident
        runtime/sort packed_pass
        points/order order_packed
        points/duplicates list_heads<{T}>
        points/duplicates join_to_heads<{T}>
        points/cached start_cache<{T}, {M}>
        points/cached upper_bounds<{T}>
        points/result list_edges<{T}, {M}, {MRD}>
        points/result emit_sorted<{T}, {MRD}, {SQUARED}>
    """,
    "many cores": "points/cached cache_from_lists<{T}, {WALKED}, {M}>",
    "rounds": """
        points/search mark_searches<{T}>
        points/search list_marked
        merge hook<{T}>
        merge relabel
        merge list_roots<{T}>
        lightest first_of_lightest<{T}>
    """,
    "rounds cores": """
        points/cached forget_distances<{T}>
        lightest nearest_of_lightest<{T}>
    """,
    "walks": """
        points/labels label_leaves<{T}, {D}>
        points/labels label_top<{T}, {D}>
        points/labels label_level<{T}, {D}>
    """,
    "rounds by walks": "points/search nearest_outgoing<{T}, {D}, {M}, {MRD}>",
    "look": "points/engine count_near_leaves<{T}, {D}>",
    "pairs": """
        distances/brute centre_tiles<{T}>
        distances/brute brute_nearest<{T}, {M}>
        distances/brute brute_nearest_of_splits<{T}>
    """,
    "pairs lists": "distances/brute brute_lists<{T}, {M}, {K}>",
    "products": """
        points/products_search collect_outgoing<{T}, {STAGES}>
        points/halves centre_points<{T}>
        points/halves greatest_offset<{T}>
        points/halves halve<{T}>
        points/halves greatest_rho
        points/halves centre_tiles
        points/halves bound_tiles
        points/products_search label_tiles
        points/products_search count_members
        points/products_search find_largest
        points/products_search list_others
        points/products_search lightest_of_candidates<{T}>
        points/products_search leave_out<{T}>
    """,
    "products cores": """
        points/products_knn collect_near<{STAGES}>
        points/products_knn bound_groups<{STAGES}>
        points/products_knn reach_of_rank
        points/products_knn nearest_of_candidates<{T}>
        points/halves spread_columns
    """,
    # crowded cells of the curve, and weights with long runs of ties
    "uneven": """
        runtime/sort count_digits<u64>
        runtime/sort sort_pass<u64>
        points/order list_crowded
        points/order list_cells
        points/order cell_boxes<{T}, {U}>
        points/order cell_grids<{T}, {U}, {A}>
        points/order cell_keys
        points/order put_in_order
        runtime/sort rank_keys<u64>
        runtime/sort rank_keys<u32>
        runtime/sort count_digits<u32>
        runtime/sort sort_pass<u32>
        points/result list_long_runs
        points/result emit_listed<{T}, {MRD}, {SQUARED}>
        runtime/gather gather_words<u64, int>
        runtime/gather gather_words<u32, int>
    """,
    "uneven cores": "points/result power_keys<{T}, {M}>",
    "labels": """
        hierarchy/linkage close_edges<u32> resident
        hierarchy/linkage sum_chains<u32>
        hierarchy/nodes find_few<{R}, {S}>
        hierarchy/nodes rank_children<{S}>
        hierarchy/condensed place_few
        hierarchy/condensed measure_few<{R}, {S}>
        hierarchy/condensed describe<{R}, {S}>
        hierarchy/condensed sum_short<{R}>
        hierarchy/condensed list_long
        hierarchy/condensed sum_long<{R}>
        hierarchy/selection select_few<{S}>
        hierarchy/selection label_points<{R}>
        runtime/gather gather_words<{WORD}, int>
    """,
    # what partitions launch besides the rounds
    "partitions": """
        points/order code_segments<{T}, {A}>
        partitions/split count_segments
        partitions/split add_counts
        partitions/split split_points<{U}, int>
        partitions/outline node_boxes<{T}>
        partitions/outline bound_nodes<{T}, {M}>
        partitions/outline list_near<{T}>
        partitions/outline spread_bounds<{T}>
        partitions/outline reach_near<{T}, {M}>
        partitions/outline gather_asking<{T}, {M}>
        partitions/outline number_near
        partitions/outline outline_hits<{T}, {M}>
        partitions/outline list_hits
        partitions/outline border_hits<{T}, {M}>
        partitions/outline write_questions<{T}>
        partitions/answers raise_reaches<{T}>
        partitions/answers lower_reaches<{T}>
        partitions/border forget_bounds<{T}>
        partitions/border count_sure<{T}, {M}>
        partitions/border take_unsure<{T}, {M}>
        partitions/components least_keys<{WORDS}>
        partitions/components first_places<{WORDS}>
        partitions/components edges_across<{T}>
        partitions/components edges_at<{WORDS}>
        partitions/components hook_first<{T}, {WORDS}>
        partitions/components number_roots
        partitions/numbered number_points
        partitions/numbered list_open<{T}, {M}, {MRD}>
        partitions/numbered count_from<{WORDS}>
        partitions/components renumber
        partitions/components list_taken<{WORDS}>
        partitions/components list_left<{WORDS}>
        partitions/components write_bounds<{T}>
        partitions/components forget_greatest<{T}>
        partitions/components list_asking<{T}>
        partitions/components exceeds_rest<{T}>
        points/result edge_powers<{T}, {M}>
        points/result unscaled<{T}, {ROOTED}>
        partitions/joined rows_here<int>
        partitions/joined edges_from<{WORDS}>
        partitions/joined edge_keys
        partitions/gathered put_others<{T}, {M}, {MRD}>
        partitions/gathered put_edges<{T}, {M}, {MRD}>
        partitions/gathered split_tiles<{T}, {MRD}>
        partitions/gathered merge_edges<{T}, {MRD}>
        merge hook<float>
        merge list_roots<float>
        runtime/gather gather_words<u32, int>
        runtime/gather gather_words<{U}, int>
        runtime/gather gather_rows<{U}, int>
    """,
    "partitions by walks": """
        partitions/components box_labels<{T}, {D}>
        points/queries nearest_across<{T}, {D}, {M}, {MRD}, true>
        points/queries list_within<{T}, {D}, {M}, {OTHERS}>
    """,
    "partitions by pairs": """
        distances/brute brute_across<{T}, {M}>
        distances/brute brute_within<{T}, {M}>
    """,
    "partitions without cores": "partitions/border lower_bounds<{T}>",
    "partitions with cores": """
        partitions/answers join_distances<{T}>
        runtime/gather put_words<{U}, int>
        partitions/border bound_weights<{T}>
        partitions/border leave_out<{T}>
        partitions/border least_value<{T}>
        partitions/border begin_bounds<{T}>
        partitions/border join_weights<{T}>
        partitions/border join_powers<{T}>
        partitions/border end_bounds<{T}>
        runtime/gather put_words<{U}, int>
    """,
    "partitions with lists": "points/queries list_within<{T}, {D}, {M}, {K}>",
    "partitions with ranks": "points/queries row_within<{T}, {D}, {M}>",
    "weights": """
        points/weighted end_lists
        points/result edge_powers<{T}, {M}>
    """,
    "weights labels": """
        hierarchy/sizes find_first
        hierarchy/sizes place_vertices
    """,
    "few labels": "runtime/sort rank_keys<u32>",
    "many labels": """
        hierarchy/nodes find_nodes<{R}>
        hierarchy/nodes mark_merges<{S}>
        hierarchy/nodes list_children<{S}>
        hierarchy/nodes number_children<{S}>
        hierarchy/condensed place_merges
        hierarchy/condensed leave
        hierarchy/condensed list_members
        runtime/sort count_digits<u32>
        runtime/sort sort_pass<u32>
        hierarchy/selection far_ancestors
        hierarchy/selection excess_of_mass<{S}>
        hierarchy/selection begin_topmost
        hierarchy/selection lengthen_topmost
        hierarchy/selection list_chosen
        hierarchy/selection label_clusters
    """,
}


def load_ahead(
    n: int,
    d: int,
    dtype: Any,
    norm: Norm,
    k: int,
    labels: Any = None,
    weighted: bool = False,
    partitions: bool = False,
) -> None:
    """See `emst.backend.operations`."""
    few, rest = (are_few(n, d, norm, k > 1), at_once(n)) if not partitions else (False, False)
    engine = engine_before_looking(n, d, norm)
    kind = (few, rest, engine, d, np.dtype(dtype), norm, k, labels, weighted, partitions)
    _load_ahead(current_gpu(), kind)


@functools.cache
def _load_ahead(gpu: int, kind: tuple[Any, ...]) -> None:
    load_side_by_side(kernels_of(*kind))


def kernels_of(
    few: bool,
    rest: bool,
    engine: Engine,
    d: int,
    dtype: np.dtype,
    norm: Norm,
    k: int,
    labels: np.dtype | None,
    weighted: bool = False,
    partitions: bool = False,
) -> list[Kernel]:
    """What a tree launches, and its clusters, unless `labels`, the dtype of the heights, is None. With weights, these
    are what most weights take. `few` and `rest`: one launch compares all pairs, or takes all rounds. `partitions`: the
    points are one of several partitions."""
    walks, cores = engine is Engine.WALKS, k > 1
    by_rounds = partitions or not (few or (rest and walks and d < LOOK_FROM))
    k = SHORT_LIST if cores and weighted else k
    wanted = {
        "rest": not (few or partitions) and walks,
        "begin": True,
        "many axes": d > WARP,
        "hierarchy": walks,
        "lists": walks and 1 < k <= LONGEST_LIST,
        "ranks": walks and k > LONGEST_LIST,
        "hierarchy cores": walks and cores,
        "products": engine is Engine.PRODUCTS,
        "products cores": engine is Engine.PRODUCTS and cores,
        "pairs": not walks,
        "pairs lists": engine is Engine.PAIRS and 1 < k <= LONGEST_LIST,
        "few": few,
        "many": not few,
        "walks": not few and walks,
        "look": not few and walks and d >= LOOK_FROM,
        "many cores": not few and cores,
        "rounds": by_rounds,
        "rounds cores": by_rounds and cores,
        "rounds by walks": by_rounds and walks,
        "cores": cores,
        "partitions": partitions,
        "partitions by walks": partitions and walks,
        "partitions by pairs": partitions and not walks,
        "partitions without cores": partitions and not cores,
        "partitions with cores": partitions and cores,
        "partitions with lists": partitions and walks and 1 < k <= LONGEST_LIST,
        "partitions with ranks": partitions and walks and k > LONGEST_LIST,
        "weights": weighted,
        "weights labels": weighted and labels is not None,
        "total": labels is None,
        "labels": labels is not None,
        "few labels": few and labels is not None,
        "many labels": not few and labels is not None,
        "uneven": not few,
        "uneven cores": not few and cores,
    }
    wide = dtype.itemsize == 8
    names = {
        "T": ctype(dtype),
        "U": "u64" if wide else "u32",
        "WORDS": 5 if wide else 4,
        "WORD": "u64" if labels is not None and labels.itemsize == 8 else "u32",
        "R": "" if labels is None else ctype(labels),
        "S": "i64" if weighted else "int",
        "D": d,
        "A": min(d, MOST_CURVE_AXES),
        "M": number_of(norm),
        "K": k,
        "OTHERS": min(max(k - 1, 1), LONGEST_LIST),
        "WALKED": d if walks else 0,
        "MRD": "true" if cores else "false",
        "ROOTED": "true" if norm.degree == 2 else "false",
        "SQUARED": "true" if norm.degree == 2 and not partitions else "false",  # they keep powers
        "STAGES": f"{stages()}, {'true' if d <= PRODUCT_CHUNK else 'false'}" if not walks else "",
    }
    lines = "\n".join(KERNELS[kind] for kind, needed in wanted.items() if needed).format(**names).split("\n")
    return list(dict.fromkeys(_kernel(line.strip()) for line in lines if line.strip()))


def _kernel(line: str) -> Kernel:
    name = line.removesuffix(" resident")
    path, _, kernel = name.partition(" ")
    return Kernel(path, kernel, name != line)
