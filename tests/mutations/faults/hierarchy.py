"""Faults in the hierarchy."""

from .fault import Fault

CHUNKS = "tests/hierarchy/test_condensed.py::test_chunks_of_any_length_make_the_same_tree"
CLUSTERS = "tests/hierarchy/test_condensed.py::test_clusters_equal_the_reference"
EPSILON = "tests/hierarchy/test_selection.py::test_an_exact_tie_of_epsilon_leaves_the_upper_cluster"
CHOICES = "tests/hierarchy/test_selection.py::test_choices_equal_the_reference"
TIES = "tests/hierarchy/test_sums.py::test_a_parent_wins_ties_and_loses_by_one_bit"

TRACE = "tests/hdbscan/test_layers.py::test_the_trace_is_that_of_one_clustering_for_every_size"
LEAVES = "tests/hdbscan/test_layers.py::test_labels_of_layers_are_those_of_recluster"

GAINS = "tests/hierarchy/test_constraints.py::test_gains_are_those_of_all_pairs"
CONSTRAINED = "tests/hierarchy/test_constraints.py::test_choices_equal_the_reference"
OPTIMUM = "tests/hierarchy/test_constraints.py::test_the_optimum_over_all_selections_of_small_trees"

FAULTS = [
    Fault(
        "of equal gains the clusters below are taken, however stable",
        "emst/cpu/hierarchy/constrained.py",
        "(gain == other_gain and value > other)",
        "gain == other_gain",
        (CONSTRAINED,),
    ),
    Fault(
        "a leaf that costs constraints is noise",
        "emst/cpu/hierarchy/constrained.py",
        "allowed and (end == 0 or not",
        "allowed and (False or not",
        (CONSTRAINED,),
    ),
    Fault(
        "the first number of a cluster is that of its first child",
        "emst/cpu/hierarchy/nesting.py",
        "free[c], end[c] = begin[c] + 1,",
        "free[c], end[c] = begin[c],",
        (GAINS,),
    ),
    Fault(
        "points of different labels are joined before those of one label",
        "emst/hierarchy/constraints.py",
        "len(nesting.begin) + 1).astype",
        "0).astype",
        (GAINS,),
    ),
    Fault(
        "the root is said to hold points that leave it early",
        "emst/hierarchy/constraints.py",
        "    if root_too:\n",
        "    if False:\n",
        (GAINS,),
    ),
    Fault(
        "what cannot be linked is not satisfied by noise",
        "emst/hierarchy/constraints.py",
        "(ends[:, 0] == ends[:, 1]) & (ends[:, 0] >= 0)",
        "ends[:, 0] == ends[:, 1]",
        (OPTIMUM,),
    ),
    Fault(
        "the largest of several children is a leaf for sizes at which its parent does not split",
        "emst/hierarchy/leaves.py",
        "last = np.minimum(size, splits_up_to[parent])",
        "last = size.copy()",
        (TRACE,),
    ),
    Fault(
        "a cluster is a leaf at the greatest size at which it splits",
        "emst/hierarchy/leaves.py",
        "_greatest_below(parent, splits_up_to) + 1",
        "_greatest_below(parent, splits_up_to)",
        (TRACE,),
    ),
    Fault(
        "clusters far below a leaf are no part of it",
        "emst/hierarchy/leaves.py",
        "        above = further",
        "        break",
        (LEAVES,),
    ),
    Fault(
        "clusters that merge are in the order of the edge",
        "emst/cpu/hierarchy/linkage.py",
        "lesser(first, second), greater(first, second)",
        "first, second",
        ("tests/hierarchy/test_linkage.py::test_merges_equal_the_reference",),
    ),
    Fault(
        "a chain of more than two chunks loses what the first ones carry",
        "emst/cpu/hierarchy/chains.py",
        "total if begins else total + carried[c - 1]",
        "total",
        ("tests/hierarchy/test_linkage.py::test_many_threads_find_the_merges_and_their_parents",),
    ),
    Fault(
        "a point stops at the first component",
        "emst/cpu/hierarchy/chains.py",
        "while above[2 * at + 1] <= e:",
        "while False:",
        ("tests/hierarchy/test_linkage.py::test_many_threads_find_the_merges_and_their_parents",),
    ),
    Fault(
        "a height that goes on in the next chunk ends with its chunk",
        "emst/cpu/hierarchy/nodes.py",
        "if height[middle] > height[end - 1]:",
        "if height[middle] >= height[end - 1]:",
        (CHUNKS,),
    ),
    Fault(
        "a root of too few points has no nodes below",
        "emst/cpu/hierarchy/nodes.py",
        "if size[at] < min_cluster_size and at != len(size) - 1:",
        "if size[at] < min_cluster_size:",
        (CLUSTERS,),
    ),
    Fault(
        "infinity minus infinity is no number",
        "emst/cpu/hierarchy/condensed.py",
        "0.0 if leave == born else np.float64(leavers[nodes[i]]) * (leave - born)",
        "np.float64(leavers[nodes[i]]) * (leave - born)",
        ("tests/hierarchy/test_condensed.py::test_infinity_minus_infinity_is_no_stability",),
    ),
    Fault(
        "threads sort the nodes of clusters to the places of one another",
        "emst/cpu/hierarchy/condensed.py",
        "np.cumsum(counts, 0) - counts)",
        "np.cumsum(counts[::-1], 0)[::-1] - counts)",
        (CHUNKS,),
    ),
    Fault(
        "a cut is rounded to the dtype of the heights",
        "emst/cpu/hierarchy/cut.py",
        "np.float64(height)",
        "linkage.height.dtype.type(height)",
        ("tests/hierarchy/test_linkage.py::test_a_cut_compares_heights_in_double_precision",),
    ),
    Fault(
        "a parent right after the chunk is read as if in it",
        "emst/cpu/hierarchy/descent.py",
        "if parent[e] < end else",
        "if parent[e] <= end else",
        (CHUNKS,),
    ),
    Fault(
        "of equal stability the children are selected",
        "emst/cpu/hierarchy/selection.py",
        "not (below > value[c] or",
        "not (below >= value[c] or",
        (TIES,),
    ),
    Fault(
        "a cluster of exactly max_cluster_size is too large",
        "emst/cpu/hierarchy/selection.py",
        "size[c] > max_cluster_size",
        "size[c] >= max_cluster_size",
        (TIES,),
    ),
    Fault(
        "an ancestor born exactly at epsilon is taken",
        "emst/cpu/hierarchy/selection.py",
        "born[p] > epsilon",
        "born[p] >= epsilon",
        (EPSILON,),
    ),
    Fault(
        "heights of births are rounded by their reciprocals",
        "emst/backend/records.py",
        "return height[self.born_at].astype(np.float64)",
        "return 1 / (1 / height[self.born_at].astype(np.float64))",
        ("tests/hdbscan/test_hdbscan.py::test_an_epsilon_of_a_whole_number_is_the_distance",),
    ),
    Fault(
        "the persistence of a root counts its members only",
        "emst/hierarchy/scores.py",
        "to_host(condensed.size[chosen])",
        "np.bincount(to_host(flat.labels) + 1, minlength=len(chosen) + 1)[1:]",
        ("tests/hdbscan/test_hdbscan.py::test_the_persistence_of_a_root_counts_all_its_points",),
    ),
    Fault(
        "a cluster born exactly at epsilon is replaced",
        "emst/cpu/hierarchy/selection.py",
        "born[c] < epsilon",
        "born[c] <= epsilon",
        (EPSILON,),
    ),
    Fault(
        "points that leave exactly at the least density are no members",
        "emst/cpu/hierarchy/selection.py",
        "lambda_p < least",
        "lambda_p <= least",
        (CHOICES,),
    ),
    Fault(
        "bits below the unit of a sum are lost",
        "emst/cpu/hierarchy/sums.py",
        "return kept | np.uint64(kept << down != mantissa), np.uint64(0)",
        "return kept, np.uint64(0)",
        ("tests/hierarchy/test_sums.py::test_sums_are_rounded_once",),
    ),
    Fault(
        "a node that no point leaves is kept",
        "emst/cpu/hierarchy/simplify.py",
        "elif leavers[e] > 0:",
        "else:",
        (CLUSTERS,),
    ),
    Fault(
        "a child of exactly the persistence is merged back",
        "emst/cpu/hierarchy/simplify.py",
        "greatest - birth) >= persistence",
        "greatest - birth) > persistence",
        (CLUSTERS,),
    ),
    Fault(
        "a cluster below another parts from it",
        "emst/cpu/hierarchy/ancestors.py",
        "apart = a != clusters[i] and a != others[j]",
        "apart = a != clusters[i]",
        ("tests/hdbscan/test_prediction.py::test_common_ancestor_lambdas_equal_the_reference",),
    ),
    Fault(
        "clusters that no edge connects with another count noise as one",
        "emst/hierarchy/scores.py",
        "if len(sizes) == 1 and to_noise < np.inf else",
        "if to_noise < np.inf else",
        ("tests/hdbscan/test_hdbscan.py::test_attributes_are_hdbscans[cpu-blobs-options1]",),
    ),
    Fault(
        "a cluster born exactly at the greatest epsilon is too wide",
        "emst/hierarchy/selection.py",
        "condensed.born_heights() > epsilon_max",
        "condensed.born_heights() >= epsilon_max",
        ("tests/hdbscan/test_labels.py::test_clusters_that_begin_too_high_are_not_selected",),
    ),
    Fault(
        "a root without members stays a cluster",
        "emst/hierarchy/selection.py",
        "and not bool((labels >= 0).any()):",
        "and len(labels) == 0:",
        ("tests/hdbscan/test_labels.py::test_a_root_without_members_is_no_cluster",),
    ),
]
