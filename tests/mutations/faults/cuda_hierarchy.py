"""Faults in the GPU's hierarchy."""

from .fault import Fault

FAULTS = [
    Fault(
        "of equal gains the clusters below are taken, however stable",
        "emst/cuda/hierarchy/constrained.cu",
        "(a.gain == b.gain && a.stability > b.stability)",
        "a.gain == b.gain",
        ("tests/hierarchy/test_constraints.py::test_choices_equal_the_reference[cuda-inf]",),
    ),
    Fault(
        "the first of the children goes on, not the last",
        "emst/cuda/hierarchy/constrained.cu",
        "others == (u64)(children.y - children.x - 1)",
        "others == 0",
        ("tests/hierarchy/test_constraints.py::test_choices_equal_the_reference[cuda-inf]",),
    ),
    Fault(
        "a lifetime between infinite lambdas is not a number",
        "emst/cuda/hierarchy/condensed.cu",
        "term[i] = lambda == born ? 0.0 : mul(",
        "term[i] = mul(",
        ("tests/hierarchy/test_condensed.py::test_infinity_minus_infinity_is_no_stability",),
    ),
    Fault(
        "points of the only large part below leave with the others",
        "emst/cuda/hierarchy/nodes.cu",
        "    if (large[at] == 1) left[at] = size[at] - size[e];\n",
        "",
        ("tests/hierarchy/test_condensed.py::test_clusters_equal_the_reference[cuda-few-random-distinct-2]",),
    ),
    Fault(
        "a node counts itself among its parts",
        "emst/cuda/hierarchy/nodes.cu",
        "if (x < 0 || size[x] < least || node[x] != x) continue;",
        "if (x < 0 || size[x] < least) continue;",
        ("tests/hierarchy/test_condensed.py::test_clusters_equal_the_reference[cuda-few-random-ties-2]",),
    ),
    Fault(
        "an edge closes in the round of its own contraction",
        "emst/cuda/hierarchy/linkage.cu",
        "(i64)(slot_in(record[j]) / 2) > i + j * ROUND_THREADS",
        "(i64)(slot_in(record[j]) / 2) >= i + j * ROUND_THREADS",
        ("tests/hierarchy/test_linkage.py::test_merges_equal_the_reference[cuda-few-random-33]",),
    ),
    Fault(
        "what is cut off a number that is added is forgotten",
        "emst/cuda/hierarchy/sum.cuh",
        "return {kept | (kept << down != mantissa), 0};",
        "return {kept, 0};",
        ("tests/hierarchy/test_sums.py::test_a_parent_wins_ties_and_loses_by_one_bit",),
    ),
    Fault(
        "a cluster as stable as those below gives way",
        "emst/cuda/hierarchy/selection.cu",
        "const bool stay = !(below > seen);",
        "const bool stay = seen > below;",
        ("tests/hierarchy/test_selection.py::test_choices_equal_the_reference[cuda-few-random-infinite-5000]",),
    ),
    Fault(
        "a cluster of the greatest size is too large",
        "emst/cuda/hierarchy/selection.cu",
        "points <= largest ? seen",
        "points < largest ? seen",
        ("tests/hierarchy/test_selection.py::test_a_cluster_of_the_greatest_size_may_be_chosen",),
    ),
    Fault(
        "a cluster born at epsilon is born above it",
        "emst/cuda/hierarchy/selection.cu",
        "__ddiv_rn(1.0, birth[c]) > epsilon ||",
        "__ddiv_rn(1.0, birth[c]) >= epsilon ||",
        ("tests/hierarchy/test_selection.py::test_an_exact_tie_of_epsilon_leaves_the_upper_cluster[cuda]",),
    ),
    Fault(
        "words of siblings are not made visible",
        "emst/cuda/hierarchy/climb.cuh",
        "    if (!others_came(children, met)) {\n      __threadfence();\n",
        "    if (!others_came(children, met)) {\n",
        ("tests/runtime/test_kernels_compile.py::test_words_of_siblings_are_visible_before_they_are_counted",),
    ),
    Fault(
        "points that leave at equal heights are added without an atomic",
        "emst/cuda/hierarchy/simplify.cu",
        "add_to(leavers + node[low], left[node[i]]);",
        "leavers[node[low]] += left[node[i]];",
        ("tests/hierarchy/test_definition.py::test_random_sets_have_the_clusters_of_the_definition",),
    ),
    Fault(
        "a component of just the least size is noise",
        "emst/cuda/hierarchy/cut.cu",
        ": first[c] == p && size[c] >= least;",
        ": first[c] == p && size[c] > least;",
        ("tests/hierarchy/test_linkage.py::test_vertices_merge_and_are_cut_as_the_points_that_they_stand_for",),
    ),
]
