"""Faults in `HDBSCANGPU` and what belongs to it."""

from .fault import Fault

MEDOIDS = "tests/hdbscan/test_medoids.py::test_rounding_leaves_no_medoid_out"
NEW_ROWS = "tests/hdbscan/test_branches.py::test_predictions_of_the_training_data_are_its_labels"

FAULTS = [
    Fault(
        "differences of sums are taken as exact",
        "emst/hdbscan/medoids.py",
        "        block -= 2 * SLACK * sums[:, None]\n",
        "",
        (MEDOIDS,),
    ),
    Fault(
        "tangents are taken as exact",
        "emst/hdbscan/medoids.py",
        "sums[:, None] * (1 - SLACK) - distance[:, begin:end] * (SLACK * total)",
        "sums[:, None] - distance[:, begin:end] * 0",
        (MEDOIDS,),
    ),
    Fault(
        "distances that have lost digits have slopes",
        "emst/hdbscan/medoids.py",
        "block > vanishing",
        "block > 0",
        (MEDOIDS,),
    ),
    Fault(
        "lower bounds of sums are taken as exact",
        "emst/hdbscan/medoids.py",
        "SLACK = 1e-6",
        "SLACK = 0.0",
        (MEDOIDS,),
    ),
    Fault(
        "a query that joins at a split stays below it",
        "emst/hierarchy/joining.py",
        "return np.where(condensed.birth[cluster] >= joins, parent[cluster], cluster)",
        "return np.where(condensed.birth[cluster] > joins, parent[cluster], cluster)",
        (
            "tests/hdbscan/test_prediction.py::test_the_nearest_point_under_mutual_reachability[cpu-1-lattice-1-float32]",
        ),
    ),
    Fault(
        "core distances for far queries forget alpha",
        "emst/hdbscan/joining.py",
        "find_cores(search, fitted.min_samples, factor, ops)",
        "find_cores(search, fitted.min_samples, 1.0, ops)",
        ("tests/hdbscan/test_prediction.py::test_alpha_divides_distances_and_not_core_distances",),
    ),
    Fault(
        "scores of dense new points are negative",
        "emst/hdbscan/prediction.py",
        "np.maximum(fitted.ops.outlier_scores(fitted.flat.condensed, cluster, height), 0)",
        "fitted.ops.outlier_scores(fitted.flat.condensed, cluster, height)",
        ("tests/hdbscan/test_prediction.py::test_scores_of_outliers",),
    ),
    Fault(
        "neighbours are numbered among the finite rows",
        "emst/hdbscan/prediction.py",
        "neighbors if fitted.kept is None else fitted.kept[neighbors]",
        "neighbors",
        (NEW_ROWS,),
    ),
    Fault(
        "a new point may leave later than its neighbour",
        "emst/hdbscan/membership.py",
        "leaves = np.minimum(density(height), density(flat.condensed.leaving(edges.neighbor)[1]))\n",
        "leaves = density(height)\n",
        ("tests/hdbscan/test_prediction.py::test_membership_by_the_definition[cpu-2-{}]",),
    ),
    Fault(
        "of two infinite lambdas the quotient is no number",
        "emst/hdbscan/membership.py",
        "where=np.isnan(ratio)",
        "where=b == 0",
        ("tests/hdbscan/test_prediction.py::test_membership_with_repeated_points_is_defined",),
    ),
    Fault(
        "rows left out keep what was in the caller's table",
        "emst/hdbscan/membership.py",
        "            table[:] = 0\n",
        "            pass\n",
        ("tests/hdbscan/test_prediction.py::test_rows_that_are_not_finite_get_the_labels_of_fit",),
    ),
    Fault(
        "recluster forgets the persistence",
        "emst/hdbscan/model.py",
        "options.min_cluster_size, options.persistence, self.ops",
        "options.min_cluster_size, 0.0, self.ops",
        ("tests/hdbscan/test_hdbscan.py::test_recluster_is_a_fit_without_a_new_tree",),
    ),
    Fault(
        "of equal sums in a block the one searched first is the medoid",
        "emst/hdbscan/medoids.py",
        "int(members[sums == least].min())",
        "int(members[sums.argmin()])",
        ("tests/hdbscan/test_medoids.py::test_the_medoid_is_that_of_all_sums[cpu-euclidean-2-lattice]",),
    ),
    Fault(
        "with an epsilon all points are members of the root's branches",
        "emst/hdbscan/branches/members.py",
        "labels >= 0 if fitted.options.epsilon > 0 else np.ones(len(labels), bool)",
        "np.ones(len(labels), bool)",
        ("tests/hdbscan/test_branches.py::test_the_root_keeps_all_its_points",),
    ),
    Fault(
        "new noise that joins noise is in the last cluster",
        "emst/hdbscan/branches/prediction.py",
        "same = (cluster >= 0) & (cluster == theirs)",
        "same = cluster == theirs",
        (NEW_ROWS,),
    ),
    Fault(
        "branches forget the clustering's max_cluster_size",
        "emst/hdbscan/branches/detector.py",
        'most = chosen("max_cluster_size")',
        "most = self.max_cluster_size",
        ("tests/hdbscan/test_branches.py::test_parameters_are_those_of_the_clustering",),
    ),
    Fault(
        "points of later blocks get the pairs of the first",
        "emst/hdbscan/branches/pairs.py",
        "np.arange(begin, begin + len(count))",
        "np.arange(len(count))",
        ("tests/hdbscan/test_branches.py::test_pairs_are_searched_in_blocks",),
    ),
    Fault(
        "the radius of the search for pairs has no slack",
        "emst/hdbscan/branches/pairs.py",
        "return reach * (1 + (2 * dimensions + 256) * epsilon) + self._vanishing",
        "return reach",
        (
            "tests/hdbscan/test_branches.py::test_graphs_under_metrics_that_are_searched_by_images[cpu-core-sqeuclidean]",
        ),
    ),
    Fault(
        "eccentricities of squares keep one factor of the scale",
        "emst/hdbscan/branches/centrality.py",
        'return distance / scale if metric.name == "sqeuclidean" else distance',
        "return distance",
        ("tests/hdbscan/test_branches.py::test_metrics[cpu-full-sqeuclidean-None]",),
    ),
    Fault(
        "a cluster without inner nodes has none",
        "emst/hierarchy/validity.py",
        "    inner[starts[:-1][none]] = 1\n",
        "",
        ("tests/distances/test_validity.py::test_agrees_with_hdbscan[sizes2-5-9-False-cpu]",),
    ),
    Fault(
        "equal points count in each other's core distances",
        "emst/hierarchy/pairs.py",
        "(between == 0) | (part[:, None] == members)",
        "part[:, None] == members",
        ("tests/distances/test_validity.py::test_what_the_definition_leaves_open_is_defined[sqeuclidean-cpu]",),
    ),
    Fault(
        "centres of the fit before stay",
        "emst/hdbscan/estimator.py",
        ('        for name in ("centroids_", "medoids_"):\n            self.__dict__.pop(name, None)\n'),
        "",
        ("tests/hdbscan/test_hdbscan.py::test_medoids_under_the_metric[cpu-euclidean]",),
    ),
    Fault(
        "the pairs of branches do not wrap around a periodic box",
        "emst/hdbscan/branches/pairs.py",
        "boxsize=_sides(self.metric.scaled(scale))",
        "boxsize=None",
        ("tests/hdbscan/test_periodic.py::test_pairs_within_a_radius[cpu]",),
    ),
]
