"""Faults in the files that lie directly in `emst`."""

from .fault import Fault

FAULTS = [
    Fault(
        "a bar adds what it has counted already",
        "emst/progress.py",
        "bar.update(read - bar.n)",
        "bar.update(read)",
        ("tests/test_progress.py::test_a_file_that_is_read_fills_a_bar",),
    ),
    Fault(
        "core distances outlive a fit that makes none",
        "emst/euclidean.py",
        "            del self.core_distances_\n",
        "            pass\n",
        ("tests/points/test_estimator.py::test_core_distances_only_where_asked_for",),
    ),
    Fault(
        "integers and floats are compared as floats",
        "emst/spanning_forest.py",
        "bisect_right(range(len(weights)), height, key=lambda i: weights[i].item())",
        "int((weights <= float(height)).sum())",
        ("tests/graph/test_cuts.py::test_labels_are_the_components_of_the_graph",),
    ),
    Fault(
        "vertices without edges are no nodes of networkx",
        "emst/spanning_forest.py",
        "graph.add_nodes_from(names)",
        "graph.add_nodes_from(names[:0])",
        ("tests/graph/test_edge_tables.py::test_a_forest_of_numbers",),
    ),
    Fault(
        "what two runs compile at the same time counts twice",
        "emst/progress.py",
        "self._begun, self._start = self._begun + (1 if begins else -1), now",
        "self._begun, self._start = int(begins), now",
        ("tests/test_progress.py::test_things_that_overlap_count_once",),
    ),
    Fault(
        "a row that weighs as much as the least cluster has no second vertex",
        "emst/weighted.py",
        "(sizes[copies.rows] >= least)",
        "(sizes[copies.rows] > least)",
        ("tests/hdbscan/test_weights.py::test_weights_are_copies",),
    ),
    Fault(
        "rows at one place have no second vertices",
        "emst/weighted.py",
        "| (copies.shared & (least < NEVER))",
        "",
        ("tests/hdbscan/test_weights.py::test_equal_rows_that_others_separate_on_the_curve",),
    ),
]
