"""The operations of `emst.backend.Backend` on the CPU, in numba. Importing compiles nothing."""

import numpy

from emst.cpu.answers import first_answers, upper_bounds
from emst.cpu.bvh import build_bvh
from emst.cpu.components import number_components
from emst.cpu.condensed import condense
from emst.cpu.cut import cut
from emst.cpu.dense import open_rows, row_core_distances, row_edges, row_nearest
from emst.cpu.graph import graph_forest
from emst.cpu.graph_survey import survey_graph
from emst.cpu.hybrid import lightest_of_edges
from emst.cpu.knn import core_distances
from emst.cpu.labels import label_nodes
from emst.cpu.linkage import linkage
from emst.cpu.memory import bytes_free, require_memory
from emst.cpu.merge import join_duplicates, merge
from emst.cpu.order import asarray, curve_codes, sort_order, survey
from emst.cpu.partial_prim import grow_subtrees
from emst.cpu.prediction import common_ancestor_lambdas, exemplar_distances, nearest_reachable
from emst.cpu.result import sorted_edges, unscaled
from emst.cpu.search import nearest_outgoing
from emst.cpu.selection import label_points, outlier_scores, select
from emst.cpu.simplify import simplify
from emst.cpu.validity import cluster_trees, core_distance_sums, separations

name = "cpu"
xp = numpy

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
