"""Faults in the GPU's forests of graphs."""

from .fault import Fault

FAULTS = [
    Fault(
        "of equally light entries the last is taken",
        "emst/cuda/graph/forest.cu",
        "other.weight <= weight",
        "other.weight < weight",
        ("tests/graph/test_msf.py::test_every_algorithm_gives_kruskals_forest[cuda-boruvka-grid-int32-True]",),
    ),
    Fault(
        "edges from outside into the giant are lost",
        "emst/cuda/graph/heavy.cuh",
        "(column[j] > row[j] || (g.symmetric && v[j] == giant))",
        "column[j] > row[j]",
        ("tests/graph/test_cuda_graph.py::test_words_that_do_not_hold_the_weight[grid-two-True]",),
    ),
    Fault(
        "tied words are not settled",
        "emst/cuda/graph/keys.cuh",
        "if (precedes(edge, *least)) settle(least, edge, atomicMin(least, edge));",
        "if (precedes(edge, *least)) atomicMin(least, edge);",
        ("tests/graph/test_cuda_graph.py::test_words_that_do_not_hold_the_weight",),
    ),
    Fault(
        "weights above the sample count as equal",
        "emst/cuda/graph/keys.cuh",
        "(scaled & lower) != 0 || above == 0 || above > most",
        "(scaled & lower) != 0 || above == 0",
        ("tests/graph/test_cuda_graph.py::test_weights_above_all_that_a_sample_saw",),
    ),
    Fault(
        "a vertex is claimed without compare-and-swap",
        "emst/cuda/graph/partial_prim.cu",
        "return atomicCAS(owner + v, NONE, root) == NONE;",
        "return owner[v] == NONE ? (owner[v] = root, true) : false;",
        ("tests/graph/test_partial_prim.py::test_the_forest_is_kruskals[cuda-path-two-int32]",),
    ),
    Fault(
        "the fingerprint of the two triangles leaves the weights out",
        "emst/cuda/graph/statistics.cu",
        "const u64 one = mixed(ends + key), two = mixed(ends ^ key * 0x9e3779b97f4a7c15ull);",
        "const u64 one = mixed(ends), two = mixed(ends * 0x9e3779b97f4a7c15ull);",
        ("tests/graph/test_bad_graphs.py::test_weights_that_differ_by_direction[cuda]",),
    ),
]
