"""Faults in forests of graphs."""

from .fault import Fault

ATOMICS = "tests/runtime/test_atomics.py::test_shared_elements_are_lowered_or_claimed_in_one_step"

FAULTS = [
    Fault(
        "edges that leave the giant component are dropped",
        "emst/cpu/graph/worklist.py",
        "not (_has(inside, v) & _has(",
        "not (_has(inside, v) | _has(",
        ("tests/graph/test_cpu_graph.py::test_edges_that_leave_the_giant_component_stay",),
    ),
    Fault(
        "the offers of the last thread do not count",
        "emst/cpu/graph/offers.py",
        "        for i in range(1, len(best)):\n",
        "        for i in range(1, len(best) - 1):\n",
        ("tests/graph/test_cpu_graph.py::test_offers_of_one_thread_or_of_several[int32-3]",),
    ),
    Fault(
        "an offer to the larger end is not atomic",
        "emst/cpu/graph/offers.py",
        "        lower(best, b, number)\n",
        "        best[b] = min(best[b], number)\n",
        (ATOMICS,),
    ),
    Fault(
        "a start vertex is claimed without compare-and-swap",
        "emst/cpu/graph/partial_prim.py",
        "        if compare_and_swap(owner, root, NOBODY, me) != NOBODY:\n            continue\n",
        "        if load(owner, root) != NOBODY:\n            continue\n        owner[root] = me\n",
        (ATOMICS,),
    ),
    Fault(
        "the last edge of the light ones is listed neither with them nor later",
        "emst/cpu/graph/worklist.py",
        "(p <= upto[1])",
        "(p < upto[1])",
        ("tests/graph/test_cpu_graph.py::test_light_edges_first[int32-distinct-True]",),
    ),
    Fault(
        "of equal edges in two parts of a row the later is kept",
        "emst/cpu/graph/forest.py",
        "key_of(entries, at) < key_of(entries, best[row])",
        "key_of(entries, at) <= key_of(entries, best[row])",
        ("tests/graph/test_cpu_graph.py::test_rows_of_several_chunks[int32]",),
    ),
    Fault(
        "an edge that is the lightest of both ends is offered to one",
        "emst/cpu/graph/worklist.py",
        "            if edges.key[i] == best[b]:",
        "            elif edges.key[i] == best[b]:",
        ("tests/graph/test_cpu_graph.py::test_light_edges_first[float64-ties-True]",),
    ),
    Fault(
        "the place of the lightest edge is not lowered atomically",
        "emst/cpu/graph/worklist.py",
        "lower(places, a, np.uint64(i))",
        "places[a] = min(places[a], np.uint64(i))",
        (ATOMICS,),
    ),
    Fault(
        "-0.0 comes before 0.0",
        "emst/backend/keys.py",
        "    raw = raw * (raw != np.iinfo(signed).min)  # the bits of -0.0\n",
        "",
        ("tests/graph/test_published.py::test_the_forest_is_kruskals[cpu-grid-special-float32-True-contraction]",),
    ),
    Fault(
        "of equal entries the last one is taken",
        "emst/cpu/graph/pairs.py",
        "if key_of(entries, e) < key_of(entries, best):",
        "if key_of(entries, e) <= key_of(entries, best):",
        ("tests/graph/test_msf.py::test_of_equal_entries_the_first_is_named",),
    ),
    Fault(
        "of pairs whose directions differ the last one is named",
        "emst/cpu/graph/pairs.py",
        "if min(ahead, behind) < first:",
        "if True:",
        ("tests/graph/test_pairs.py::test_lightest_entries[cpu-40-3000-float32-ties-False]",),
    ),
    Fault(
        "a row may descend from one block to the next",
        "emst/graph/streaming.py",
        "block.ascending and not _descends(graph, block.begin)",
        "block.ascending",
        ("tests/graph/test_streaming.py::test_rows_cut_where_their_columns_descend",),
    ),
    Fault(
        "entries that differ by direction are numbered within their block",
        "emst/graph/streaming.py",
        "block.weights[kept], kept + block.begin))",
        "block.weights[kept], kept))",
        ("tests/graph/test_streaming.py::test_directions_are_compared_in_bounded_memory",),
    ),
    Fault(
        "the last entry of a heap never rises",
        "emst/cpu/graph/partial_prim.py",
        "if below + 1 < count and",
        "if below + 2 < count and",
        ("tests/graph/test_partial_prim.py::test_the_forest_is_kruskals",),
    ),
    Fault(
        "the least key of the larger end is not lowered atomically",
        "emst/cpu/graph/hybrid.py",
        "lower(least, b, k)",
        "least[b] = min(least[b], k)",
        (ATOMICS,),
    ),
    Fault(
        "a row may descend from one chunk to the next",
        "emst/cpu/graph/statistics.py",
        "if entries.indptr[rows[0]] < p:",
        "if begin < p and entries.indptr[rows[0]] < p:",
        ("tests/graph/test_cpu_graph.py::test_columns_descend_wherever_a_row_is_cut",),
    ),
    Fault(
        "equal edges of a forest merge in the order of the input",
        "emst/graph/result.py",
        "order = sorted_by(pair_codes(edges[:, 0], edges[:, 1], n), ops)",
        "order = ops.xp.arange(len(edges))",
        ("tests/graph/test_cuts.py::test_labels_are_the_components_of_the_graph",),
    ),
    Fault(
        "weights of uint32 are counted as 4 bytes",
        "emst/graph/memory.py",
        'max(4, 8 if graph.data.dtype.kind == "u" and graph.data.dtype.itemsize == 4 else graph.data.dtype.itemsize)',
        "max(4, graph.data.dtype.itemsize)",
        ("tests/graph/test_streaming.py::test_the_least_bound_is_the_documented_one",),
    ),
]
