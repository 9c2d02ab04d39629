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
]
