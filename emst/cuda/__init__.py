"""The operations of `emst.backend.operations` in CUDA, through CuPy.

    points/       trees of points: curve order, bounding volume hierarchy, kNN, search, prediction
    partitions/   partitions of points: the split, borders, what is certain, rounds, and the tree put together
    distances/    all distances, row by row or by brute force, and cluster validity
    graph/        minimum spanning forests of graphs
    hierarchy/    dendrogram, condensed tree, selection
    runtime/      what kernels are built from: compiling, launching, memory, scans, sorting
    merge         the step that points and graphs share: contracting the lightest edge of every component
    contract.cuh  the rule of that step, which the rounds of graphs and of the dendrogram include as well
    lightest      the lightest edge of every component, from the cached neighbours of its points
    first_round   Borůvka's first round over points, kept for the dendrogram

A name without a suffix stands for the kernels (.cu), what they share with others (.cuh), if anything, and their
launcher in Python (.py).
"""

import cupy

from emst.cuda.distances.exemplars import exemplar_distances
from emst.cuda.distances.rows import open_rows, row_core_distances, row_edges, row_nearest
from emst.cuda.distances.validity import cluster_trees, core_distance_sums, separations
from emst.cuda.graph.components import number_components
from emst.cuda.graph.forest import graph_forest
from emst.cuda.graph.hybrid import lightest_of_edges
from emst.cuda.graph.pairs import lightest_entries
from emst.cuda.graph.partial_prim import grow_subtrees
from emst.cuda.graph.rows import entry_rows, row_starts
from emst.cuda.graph.statistics import graph_statistics
from emst.cuda.hierarchy.ancestors import common_ancestor_lambdas
from emst.cuda.hierarchy.condensed import condense
from emst.cuda.hierarchy.constrained import select_constrained
from emst.cuda.hierarchy.cut import cut
from emst.cuda.hierarchy.linkage import linkage
from emst.cuda.hierarchy.nesting import common_clusters, nesting
from emst.cuda.hierarchy.selection import label_points, outlier_scores, select
from emst.cuda.hierarchy.simplify import simplify
from emst.cuda.merge import merge
from emst.cuda.partitions.answers import join_distances, take_reaches
from emst.cuda.partitions.border import bound_weights, hold_back, join_bounds, least_of_others
from emst.cuda.partitions.closed import closed_groups
from emst.cuda.partitions.components import (
    asking_points,
    box_labels,
    component_bounds,
    edges_across,
    edges_at,
    first_edges,
    join_components,
)
from emst.cuda.partitions.first_rounds import ends_of_joined, seen_by_partition, whole_first_round
from emst.cuda.partitions.gathered import insert_edges, merge_edges
from emst.cuda.partitions.joined import edge_order, edges_from, rows_here
from emst.cuda.partitions.numbered import number_points, number_together, take_open
from emst.cuda.partitions.outline import list_hits, node_boxes, outline_hits, outline_reaches
from emst.cuda.partitions.questions import gathered_questions
from emst.cuda.partitions.rounds import join_partitions
from emst.cuda.partitions.split import split_points
from emst.cuda.points.ahead import load_ahead
from emst.cuda.points.bvh import build_index, build_queries
from emst.cuda.points.cached import begin_round, cache_neighbours
from emst.cuda.points.duplicates import join_duplicates
from emst.cuda.points.knn import core_distances, forget_neighbours, scale_cores, set_cores
from emst.cuda.points.labels import label_nodes
from emst.cuda.points.memory import require_memory, tree_bytes
from emst.cuda.points.order import curve_codes, curve_order, curve_segments
from emst.cuda.points.places import curve_places
from emst.cuda.points.queries import nearest_across, nearest_distances, query_cores
from emst.cuda.points.result import edge_powers, listed_edges, sorted_edges, unscaled
from emst.cuda.points.rounds import join_rest
from emst.cuda.points.search import nearest_outgoing
from emst.cuda.points.small import join_all
from emst.cuda.points.statistics import point_statistics
from emst.cuda.points.weighted import weighted_core_distances, weighted_nearest, weighted_query_cores
from emst.cuda.runtime.blocks import for_blocks
from emst.cuda.runtime.compile import kernels_ready, telling_compilation
from emst.cuda.runtime.copies import (
    asarray,
    asarrays,
    concatenated,
    concatenated_columns,
    copied,
    forget_peers,
    readable,
    settled,
)
from emst.cuda.runtime.gather import put, take
from emst.cuda.runtime.memory import bytes_free
from emst.cuda.runtime.processors import parallelism
from emst.cuda.runtime.sort import sort_order
from emst.cuda.runtime.total import total

name = "cuda"
xp = cupy

__all__ = [
    "asarray",
    "asarrays",
    "asking_points",
    "begin_round",
    "bound_weights",
    "box_labels",
    "build_index",
    "build_queries",
    "bytes_free",
    "cache_neighbours",
    "closed_groups",
    "cluster_trees",
    "common_ancestor_lambdas",
    "common_clusters",
    "component_bounds",
    "concatenated",
    "concatenated_columns",
    "condense",
    "copied",
    "core_distance_sums",
    "core_distances",
    "curve_codes",
    "curve_order",
    "curve_places",
    "curve_segments",
    "cut",
    "edge_order",
    "edge_powers",
    "edges_across",
    "edges_at",
    "edges_from",
    "ends_of_joined",
    "entry_rows",
    "exemplar_distances",
    "first_edges",
    "for_blocks",
    "forget_neighbours",
    "forget_peers",
    "gathered_questions",
    "graph_forest",
    "graph_statistics",
    "grow_subtrees",
    "hold_back",
    "insert_edges",
    "join_all",
    "join_bounds",
    "join_components",
    "join_distances",
    "join_duplicates",
    "join_partitions",
    "join_rest",
    "kernels_ready",
    "label_nodes",
    "label_points",
    "least_of_others",
    "lightest_entries",
    "lightest_of_edges",
    "linkage",
    "list_hits",
    "listed_edges",
    "load_ahead",
    "merge",
    "merge_edges",
    "name",
    "nearest_across",
    "nearest_distances",
    "nearest_outgoing",
    "nesting",
    "node_boxes",
    "number_components",
    "number_points",
    "number_together",
    "open_rows",
    "outlier_scores",
    "outline_hits",
    "outline_reaches",
    "parallelism",
    "point_statistics",
    "put",
    "query_cores",
    "readable",
    "require_memory",
    "row_core_distances",
    "row_edges",
    "row_nearest",
    "row_starts",
    "rows_here",
    "scale_cores",
    "seen_by_partition",
    "select",
    "select_constrained",
    "separations",
    "set_cores",
    "settled",
    "simplify",
    "sort_order",
    "sorted_edges",
    "split_points",
    "take",
    "take_open",
    "take_reaches",
    "telling_compilation",
    "total",
    "tree_bytes",
    "unscaled",
    "weighted_core_distances",
    "weighted_nearest",
    "weighted_query_cores",
    "whole_first_round",
    "xp",
]
