"""The operations of `emst.backend.operations` on the CPU, in numba. Importing compiles nothing.

points/       trees of points: curve order, bounding volume hierarchy, kNN, search, prediction
partitions/   partitions of points: the split, borders, what is certain, rounds, and the tree put together
distances/    all distances, row by row, and cluster validity
graph/        minimum spanning forests of graphs
hierarchy/    dendrogram, condensed tree, selection
runtime/      what kernels are built from: compiling, threads, memory, vectors, sorting
lightest.py   the lightest edge of every component, among the cached neighbours of its points; points and rows share it
merge.py      the step that points and graphs share: contracting the lightest edge of every component
contract.py   the rule of that step, which the fused rounds of graphs include as well
"""

import numpy

from emst.cpu.distances.exemplars import exemplar_distances
from emst.cpu.distances.rows import open_rows, row_core_distances, row_edges, row_nearest
from emst.cpu.distances.validity import cluster_trees, core_distance_sums, separations
from emst.cpu.graph.components import number_components
from emst.cpu.graph.forest import graph_forest
from emst.cpu.graph.hybrid import lightest_of_edges
from emst.cpu.graph.pairs import lightest_entries
from emst.cpu.graph.partial_prim import grow_subtrees
from emst.cpu.graph.rows import entry_rows, row_starts
from emst.cpu.graph.statistics import graph_statistics
from emst.cpu.hierarchy.ancestors import common_ancestor_lambdas
from emst.cpu.hierarchy.condensed import condense
from emst.cpu.hierarchy.constrained import select_constrained
from emst.cpu.hierarchy.cut import cut
from emst.cpu.hierarchy.linkage import linkage
from emst.cpu.hierarchy.nesting import common_clusters, nesting
from emst.cpu.hierarchy.selection import label_points, outlier_scores, select
from emst.cpu.hierarchy.simplify import simplify
from emst.cpu.merge import merge
from emst.cpu.partitions.answers import join_distances, take_reaches
from emst.cpu.partitions.border import bound_weights, hold_back, join_bounds, least_of_others
from emst.cpu.partitions.closed import closed_groups
from emst.cpu.partitions.components import (
    asking_points,
    box_labels,
    component_bounds,
    edges_across,
    edges_at,
    first_edges,
    join_components,
)
from emst.cpu.partitions.first_rounds import ends_of_joined, seen_by_partition, whole_first_round
from emst.cpu.partitions.gathered import insert_edges, merge_edges
from emst.cpu.partitions.joined import edge_order, edges_from, rows_here
from emst.cpu.partitions.numbered import number_points, number_together, take_open
from emst.cpu.partitions.outline import list_hits, node_boxes, outline_hits, outline_reaches
from emst.cpu.partitions.questions import gathered_questions
from emst.cpu.partitions.rounds import join_partitions
from emst.cpu.partitions.split import split_points
from emst.cpu.points.ahead import load_ahead
from emst.cpu.points.bvh import build_index, build_queries
from emst.cpu.points.cached import begin_round, cache_neighbours
from emst.cpu.points.duplicates import join_duplicates
from emst.cpu.points.knn import core_distances, forget_neighbours, scale_cores, set_cores
from emst.cpu.points.labels import label_nodes
from emst.cpu.points.memory import require_memory, tree_bytes
from emst.cpu.points.order import curve_codes, curve_order, curve_segments
from emst.cpu.points.places import curve_places
from emst.cpu.points.queries import nearest_across, nearest_distances, query_cores
from emst.cpu.points.result import edge_powers, listed_edges, sorted_edges, unscaled
from emst.cpu.points.rounds import join_rest
from emst.cpu.points.search import nearest_outgoing
from emst.cpu.points.small import join_all
from emst.cpu.points.statistics import point_statistics
from emst.cpu.points.weighted import weighted_core_distances, weighted_nearest, weighted_query_cores
from emst.cpu.runtime.blocks import for_blocks
from emst.cpu.runtime.compile import kernels_ready, telling_compilation
from emst.cpu.runtime.copies import (
    asarray,
    asarrays,
    concatenated,
    concatenated_columns,
    copied,
    forget_peers,
    readable,
    settled,
)
from emst.cpu.runtime.gather import put, take
from emst.cpu.runtime.memory import bytes_free
from emst.cpu.runtime.processors import parallelism
from emst.cpu.runtime.sort import sort_order
from emst.cpu.runtime.total import total

name = "cpu"
xp = numpy

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
