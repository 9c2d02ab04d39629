"""The kernels that fits launch, by what needs them: `ahead.py` chooses among these lists, and fills in the arguments of
templates."""

from __future__ import annotations

# By what needs them: path of the .cu file without its ending, and name. "resident" stands after a kernel whose blocks
# wait for one another.
KERNELS = {
    "rest": "points/rounds join_rest<{T}, {D}, {M}, {MRD}> resident",  # first, as it takes the longest
    "begin": """
        points/statistics point_statistics<{T}, {U}>
        points/order cell_grids<{T}, {U}, {A}>
        points/order cell_codes<{T}, {A}>
        points/bvh gather<{T}>
    """,
    "many axes": "points/order rank_axes<{T}, {U}>",
    "ranked": "points/order_few order_few<{T}, {T}, {U}, {A}> resident",
    "hierarchy": "points/bvh node_boxes<{T}, {D}>",
    "hierarchy cores": "points/bvh node_cores<{T}, {D}>",
    "lists": "points/knn nearest_points<{T}, {D}, {M}, {K}>",
    "ranks": "points/knn kth_distances<{T}, {D}, {M}>",
    "total": "runtime/total sum_parts<{T}>",
    "cores": "points/result unscaled<{T}, {ROOTED}>",
    "far cores": "runtime/gather put_words<{U}, int>",
    "few": """
        runtime/sort rank_keys<u64>
        points/order list_crowded
        points/small join_all<{T}, {WALKED}, {M}, {MRD}> resident
        points/result emit_ranked<{T}, {M}, {MRD}, {SQUARED}>
    """,
    "many": """
        runtime/sort sample_ties
        points/order order_packed
        points/duplicates list_heads<{T}>
        points/duplicates join_to_heads<{T}>
        points/cached begin_round<{T}, {WALKED}>
        points/result list_edges<{T}, {M}, {MRD}, {LISTED}>
        points/result emit_sorted<{T}, {MRD}, {SQUARED}, {LISTED}>
    """,
    # sorts whose passes are taken by one launch, and those of more keys
    "passes at once": """
        runtime/sort packed_passes resident
        runtime/sort sort_passes<u64> resident
        runtime/sort sort_passes<u32> resident
    """,
    "passes": """
        runtime/sort count_packed
        runtime/sort digit_starts
        runtime/sort packed_pass
        runtime/sort count_digits<u64>
        runtime/sort sort_pass<u64>
        runtime/sort count_digits<u32>
        runtime/sort sort_pass<u32>
    """,
    "many cores": "points/cached cache_from_lists<{T}, {WALKED}, {M}>",
    "walks": "points/labels upper_labels<{T}, {D}>",
    "without lists": "points/cached start_cache<{T}, {M}>",
    "rounds": """
        points/search mark_searches<{T}>
        points/search list_marked
        merge hook<{T}>
        merge list_roots<{T}>
        lightest first_of_lightest<{T}>
    """,
    "first round": """
        first_round number_roots
        first_round number_points
    """,
    "first round labels": "hierarchy/linkage begin_rounds<{KEY}>",
    "rounds cores": """
        points/cached forget_distances<{T}>
        lightest nearest_of_lightest<{T}>
    """,
    "rounds by walks": """
        points/search walk_packets<{T}, {D}, {M}, {MRD}>
    """,
    "rounds by lists": "points/search nearest_outgoing<{T}, {D}, {M}, {MRD}>",
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
        runtime/copies send_words
        points/products_knn collect_near<{STAGES}, false>
        points/products_knn bound_groups<{STAGES}>
        points/products_knn reach_of_rank
        points/products_knn nearest_of_candidates<{T}>
        points/halves spread_columns
    """,
    # crowded cells of the curve, and weights with long runs of ties
    "uneven": """
        points/order list_crowded
        points/order list_cells
        points/order cell_boxes<{T}, {U}>
        points/order cell_keys
        points/order put_in_order
        runtime/sort rank_keys<u64>
        runtime/sort rank_keys<u32>
        points/result list_long_runs
        points/result end_keys<{T}, {MRD}, {LISTED}>
        points/result emit_listed<{T}, {MRD}, {SQUARED}, {LISTED}>
        runtime/gather gather_words<u64, int>
        runtime/gather gather_words<u32, int>
    """,
    "uneven cores": "points/result power_keys<{T}, {LISTED}>",
    "labels": """
        runtime/copies send_words
        hierarchy/linkage close_edges<{KEY}> resident
        hierarchy/linkage sum_chains<{KEY}> resident
        hierarchy/condensed_few condense_few<{R}, {S}> resident
        hierarchy/selection select_few<{S}>
        hierarchy/selection label_points<{R}>
    """,
    # what partitions launch besides the rounds
    "partitions of many axes": "points/order rank_axes<double, u64>",
    "partitions": """
        runtime/copies copy_pieces
        runtime/copies send_words
        points/order cell_grids<double, u64, {A}>
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
        partitions/answers raise_reaches<{T}>
        partitions/answers lower_reaches<{T}>
        partitions/border bound_weights<{T}>
        partitions/border count_sure<{T}, {M}>
        partitions/border take_unsure<{T}, {M}>
        partitions/numbered number_roots
        partitions/numbered number_points
        partitions/numbered list_open<{T}, {M}, {MRD}>
        partitions/numbered count_from<{WORDS}>
        partitions/components edges_at<{WORDS}>
        partitions/contraction component_bounds<{T}> resident
        points/result edge_powers<{T}, {M}>
        points/result unscaled<{T}, {ROOTED}>
        partitions/joined rows_here<int>
        partitions/joined edges_from<{WORDS}>
        partitions/joined edge_keys
        partitions/gathered put_others<{T}>
        partitions/gathered put_edges<{T}>
        partitions/gathered split_tiles<{T}, {MRD}>
        partitions/gathered merge_edges<{T}, {MRD}>
        merge hook<float>
        merge list_roots<float>
        merge relabel
        runtime/gather gather_words<u32, int>
        runtime/gather gather_words<{U}, int>
        runtime/gather gather_rows<{U}, int>
    """,
    "partitions by walks": """
        points/labels label_leaves<{T}, {D}>
        partitions/components box_labels<{T}, {D}>
        partitions/rounds begin_round<{T}>
        partitions/rounds list_asking<{T}>
        partitions/rounds ask_others<{T}, {M}>
        partitions/rounds answer_others<{T}, {D}, {M}, {MRD}>
        partitions/rounds first_answers<{T}> resident
        partitions/rounds join_answers<{T}> resident
        points/queries list_within<{T}, {D}, {M}, {OTHERS}>
    """,
    "partitions by pairs": """
        distances/brute brute_across<{T}, {M}>
        distances/brute brute_within<{T}, {M}>
        partitions/questions gather_questions<{T}>
        partitions/components list_asking<{T}>
        partitions/components edges_across<{T}>
        partitions/contraction first_edges<{WORDS}> resident
        partitions/contraction join_components<{T}> resident
    """,
    "partitions without cores": "partitions/border lower_bounds<{T}>",
    "partitions with cores": """
        partitions/answers join_distances<{T}>
        runtime/gather put_words<{U}, int>
        partitions/border leave_out<{T}>
        partitions/border least_value<{T}>
        partitions/border begin_bounds<{T}>
        partitions/border join_weights<{T}>
        partitions/border join_powers<{T}>
        partitions/border end_bounds<{T}>
    """,
    "partitions with a first round": """
        partitions/first_rounds offer_certain
        partitions/first_rounds offer_found<{T}>
        partitions/first_rounds see_ends
        partitions/first_rounds see_found
    """,
    "partitions with lists": "points/queries list_within<{T}, {D}, {M}, {K}>",
    "partitions with ranks": "points/queries row_within<{T}, {D}, {M}>",
    "weights": """
        points/weighted end_lists
        points/result edge_powers<{T}, {M}>
    """,
    "weights labels": """
        hierarchy/sizes find_first resident
        hierarchy/sizes place_vertices
    """,
    "labels of wide keys": "runtime/sort indexed_pass",
    "few labels": "runtime/sort rank_keys<u32>",
    "many labels": """
        runtime/gather gather_words<{WORD}, int>
        hierarchy/nodes find_nodes<{R}> resident
        hierarchy/nodes mark_merges<{S}>
        hierarchy/nodes list_children<{S}>
        hierarchy/nodes number_children<{S}>
        hierarchy/nodes rank_children<{S}>
        hierarchy/condensed place_merges resident
        hierarchy/condensed leave<{R}>
        hierarchy/condensed list_members
        hierarchy/condensed measure_few<{R}, {S}>
        hierarchy/condensed describe<{R}, {S}>
        hierarchy/condensed sum_short<{R}>
        hierarchy/condensed list_long
        hierarchy/condensed sum_long<{R}>
        hierarchy/selection far_ancestors
        hierarchy/selection excess_of_mass<{S}>
        hierarchy/selection begin_topmost
        hierarchy/selection lengthen_topmost
        hierarchy/selection few_lengthen_topmost
        hierarchy/selection list_chosen
        hierarchy/selection label_clusters
    """,
}
