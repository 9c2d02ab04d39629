"""Faults in the names of other packages."""

from .fault import Fault

FAULTS = [
    Fault(
        "another default than hdbscan's",
        "emst/compat/hdbscan/robust_single_linkage_.py",
        "    cut: float,\n    k: int = 5,\n    alpha: float = math.sqrt(2),\n",
        "    cut: float,\n    k: int = 5,\n    alpha: float = 1.0,\n",
        ("tests/compat/test_signatures.py",),
    ),
    Fault(
        "reading outlier scores changes those of the exact model",
        "emst/compat/hdbscan/hdbscan_.py",
        "self._fitted().outlier_scores_ * 1",
        "self._fitted().outlier_scores_",
        ("tests/compat/test_hdbscan_module.py::test_rows_that_are_not_finite_are_noise",),
    ),
    Fault(
        "probabilities of the exact model are changed",
        "emst/compat/clusterer.py",
        "probabilities * 1",
        "probabilities",
        ("tests/compat/test_hdbscan_module.py::test_rows_that_are_not_finite_are_noise",),
    ),
    Fault(
        "clusters that split at epsilon are merged",
        "emst/compat/hdbscan/flat.py",
        "float(np.nextafter(1 / lambdas[middle], 0))",
        "float(1 / lambdas[middle])",
        ("tests/compat/test_hdbscan_module.py::test_the_greatest_epsilon_with_so_many_clusters",),
    ),
    Fault(
        "a branch detector's 0 is a limit",
        "emst/compat/hdbscan/branches.py",
        "return options if self.max_cluster_size != 0 else replace(options, max_cluster_size=None)",
        "return options",
        ("tests/compat/test_hdbscan_branches.py::test_in_hdbscans_clusters_there_are_as_many_branches",),
    ),
    Fault(
        "equal heights do not ascend",
        "emst/compat/hdbscan/plots.py",
        "(np.diff(matrix[:, 2]) >= 0)",
        "(np.diff(matrix[:, 2]) > 0)",
        ("tests/compat/test_hdbscan_module.py::test_trees_from_arrays",),
    ),
    Fault(
        "loops are not read, so that NaN on a loop is no error",
        "emst/compat/networkx/graph.py",
        "source <= target",
        "source < target",
        ("tests/compat/test_networkx_backend.py::test_nan_on_a_loop_is_an_error",),
    ),
    Fault(
        "the least integer of 64 bits stays itself when it is negated",
        "emst/compat/networkx/order.py",
        '-values if values.dtype.kind == "f" else ~values',
        "-values",
        ("tests/compat/test_networkx_backend.py::test_weights_are_compared_exactly",),
    ),
    Fault(
        "integers are rounded to floats",
        "emst/compat/networkx/order.py",
        "kinds <= {float}:",
        "kinds <= {float, int}:",
        ("tests/compat/test_networkx_backend.py::test_weights_are_compared_exactly",),
    ),
    Fault(
        "ties are in the reverse order in maximum forests",
        "emst/compat/networkx/order.py",
        "key=stored.__getitem__, reverse=not ascending)",
        "key=stored.__getitem__)[:: 1 if ascending else -1]",
        ("tests/compat/test_networkx_backend.py::test_weights_are_compared_exactly",),
    ),
    Fault(
        "weights are read when a graph is converted, and not at every call",
        "emst/compat/networkx/backend.py",
        "attributes.get(weight, 1) for attributes in edges.data",
        "attributes.get(weight, 1) for attributes in G.__dict__.setdefault('old', [dict(d) for d in edges.data])",
        ("tests/compat/test_networkx_backend.py::test_a_converted_graph_reads_weights_and_attributes_at_every_call",),
    ),
]
