"""The operations of `emst.backend.Backend` in CUDA, through CuPy: one file a room, its kernels beside it."""

import cupy

from emst.cuda.bvh import build_bvh, label_nodes
from emst.cuda.components import number_components
from emst.cuda.condensed import condense
from emst.cuda.cut import cut
from emst.cuda.dense import open_rows, row_core_distances, row_edges, row_nearest
from emst.cuda.graph import graph_forest
from emst.cuda.graph_survey import survey_graph
from emst.cuda.hybrid import lightest_of_edges
from emst.cuda.knn import core_distances
from emst.cuda.linkage import linkage
from emst.cuda.memory import bytes_free, require_memory
from emst.cuda.merge import join_duplicates, merge
from emst.cuda.order import asarray, curve_codes, sort_order, survey
from emst.cuda.partial_prim import grow_subtrees
from emst.cuda.prediction import common_ancestor_lambdas, exemplar_distances, nearest_reachable
from emst.cuda.result import sorted_edges, unscaled
from emst.cuda.search import first_answers, nearest_outgoing, upper_bounds
from emst.cuda.selection import label_points, outlier_scores, select
from emst.cuda.simplify import simplify
from emst.cuda.validity import cluster_trees, core_distance_sums, separations

name = "cuda"
xp = cupy

__all__ = [
    "asarray",
    "build_bvh",
    "bytes_free",
    "cluster_trees",
    "common_ancestor_lambdas",
    "condense",
    "core_distance_sums",
    "core_distances",
    "curve_codes",
    "cut",
    "exemplar_distances",
    "first_answers",
    "graph_forest",
    "grow_subtrees",
    "join_duplicates",
    "label_nodes",
    "label_points",
    "lightest_of_edges",
    "linkage",
    "merge",
    "name",
    "nearest_outgoing",
    "nearest_reachable",
    "number_components",
    "open_rows",
    "outlier_scores",
    "require_memory",
    "row_core_distances",
    "row_edges",
    "row_nearest",
    "select",
    "separations",
    "simplify",
    "sort_order",
    "sorted_edges",
    "survey",
    "survey_graph",
    "unscaled",
    "upper_bounds",
    "xp",
]
