"""Faults in the CPU's trees of points."""

from .fault import Fault

EVERY = "tests/points/test_search.py::test_every_round_equals_the_reference[cpu-lattice-2-float64-6]"
LONG = "tests/points/test_knn.py::test_long_lists"
EXACT = "tests/points/test_products.py::test_the_bound_against_exact_arithmetic"
CUTS = "tests/points/test_order.py::test_order_does_not_depend_on_how_the_cpu_cuts_its_work[outliers-17]"
FEW = "tests/points/test_queries.py::test_few_points_and_few_queries[cpu-17-float64]"

FAULTS = [
    Fault(
        "the pass is not repeated",
        "emst/cpu/lightest.py",
        "            for_chunks(improve, leaves, grain, *args)\n",
        "            for_chunks(improve, leaves, grain, *args)\n            break\n",
        ("tests/test_lightest.py",),
    ),
    Fault(
        "the floor of a list is the entry after its last",
        "emst/cpu/points/knn.py",
        "reach[u] = distances[j * LANES + kept - 1]",
        "reach[u] = distances[j * LANES + kept]",
        (EVERY,),
    ),
    Fault(
        "a row of distances shrinks only once it is full",
        "emst/cpu/points/buffers.py",
        "return end - begin > width - LANES",
        "return end - begin >= width",
        (f"{LONG}[cpu-18-uniform-2-float64]",),
    ),
    Fault(
        "entries equal to the limit take the places of lesser ones",
        "emst/cpu/points/buffers.py",
        "end += value < limit",
        "end += value <= limit",
        (f"{LONG}[cpu-18-lattice-2-float64]",),
    ),
    Fault(
        "the wanted smallest is sought above the least",
        "emst/cpu/points/buffers.py",
        "np.int64(_least_above(bits, begin, vectors, -1)) - 1",
        "np.int64(_least_above(bits, begin, vectors, -1))",
        (f"{LONG}[cpu-33-two scales-2-float64]",),
    ),
    Fault(
        "the limit of products is rounded to the nearest float32",
        "emst/cpu/points/scan.py",
        "    return np.float32(limit + abs(limit) * 2.0**-22 + 1e-38)",
        "    return np.float32(limit)",
        (f"{EXACT}[repeated-127-float64]",),
    ),
    Fault(
        "the other point's rounding to float32 is forgotten",
        "emst/cpu/points/scan.py",
        "products.scale + products.rho[u] + products.most_rho\n    )\n    limit",
        "products.scale + products.rho[u]\n    )\n    limit",
        (f"{EXACT}[halfway-24-float64]",),
    ),
    Fault(
        "lanes without a point have products",
        "emst/cpu/points/products.py",
        "full(size, np.nan, np.float32)",
        "full(size, 0, np.float32)",
        (f"{EXACT}[normal-24-float64]",),
    ),
    Fault(
        "the error bound counts no roundings of products",
        "emst/cpu/points/products.py",
        "    return 2 * (min(d, PART) + -(-d // PART) + 1 + 16) * ROUNDOFF",
        "    return 2 * (-(-d // PART) + 1 + 16) * ROUNDOFF",
        (f"{EXACT}[lost-127-float64]",),
    ),
    Fault(
        "nodes as near as what has been found are left out, whatever their ids",
        "emst/cpu/points/walk.py",
        "packet.near[j] < packet.radius[j]) << j",
        "packet.near[j] <= packet.radius[j]) << j",
        (
            "tests/points/test_queries.py::"
            "test_points_of_another_component_equal_the_reference[cpu-euclidean-float64-lattice]",
        ),
    ),
    Fault(
        "nodes are left out by core distances above the radius instead of the weight",
        "emst/cpu/points/walk.py",
        "mask &= at_most_mask(node_core, at * LANES, greatest(packet.weight, 0))",
        "mask &= at_most_mask(node_core, at * LANES, reach)",
        ("tests/points/test_search.py::test_core_distances_far_above_distances",),
    ),
    Fault(
        "numbers of leaves have 16 bits",
        "emst/cpu/points/walk.py",
        "packet.stack[depth] & 0xFFFFFFFF",
        "packet.stack[depth] & 0xFFFF",
        ("tests/points/test_queries.py::test_leaves_whose_numbers_take_more_than_16_bits",),
    ),
    Fault(
        "the stack of a walk holds five levels",
        "emst/cpu/points/walk.py",
        "STACK = 16 * 8 + 16",
        "STACK = 16 * 5 + 16",
        ("tests/points/test_bvh.py::test_the_stack_of_a_walk_has_room_for_the_most_points",),
    ),
    Fault(
        "points whose bound equals the best are not searched",
        "emst/cpu/points/search.py",
        "if j >= size or memory.bound[u] > weight:",
        "if j >= size or memory.bound[u] >= weight:",
        (EVERY,),
    ),
    Fault(
        "a point keeps a neighbour that is heavier than the weight it shares",
        "emst/cpu/points/search.py",
        "            packet.neighbour[j] = NOBODY\n            packet.near[j] = greatest_finite(weights)\n",
        "            packet.near[j] = greatest_finite(weights)\n",
        (EVERY,),
    ),
    Fault(
        "a list is left at a neighbour as near as the one found",
        "emst/cpu/points/cached.py",
        "if s > near and weight <= w:",
        "if s >= near and weight <= w:",
        (EVERY,),
    ),
    Fault(
        "entries before the last own one are never read again",
        "emst/cpu/points/cached.py",
        "            if nearest < 0:\n                memory.read[i] = m + 1",
        "            if True:\n                memory.read[i] = m + 1",
        ("tests/points/test_duplicates.py::test_many_equal_points_of_two_kinds_in_one_cell[cpu-5]",),
    ),
    Fault(
        "a listed edge that ties with unlisted ones is taken as exact",
        "emst/cpu/points/cached.py",
        "near < memory.reach[i]",
        "near <= memory.reach[i]",
        (EVERY,),
    ),
    Fault(
        "equal points leave each other out",
        "emst/cpu/points/cached.py",
        "return 0 <= t < i and near == 0",
        "return 0 <= t and near == 0",
        ("tests/points/test_duplicates.py::test_equal_points_that_are_no_neighbours_on_the_curve",),
    ),
    Fault(
        "points whose distance vanishes are taken as equal",
        "emst/cpu/points/cached.py",
        " and memory.labels[t] == memory.labels[i] and _equal(blocks, d, i, t)",
        " and memory.labels[t] == memory.labels[i]",
        ("tests/points/test_exactness.py::test_subnormal_squares_count[cpu-1e-31-1]",),
    ),
    Fault(
        "of equal edges that of the first point comes first",
        "emst/cpu/lightest.py",
        "    return ends_precede(u, memory.nearest[u], x, memory.nearest[x])\n",
        "    return u < x\n",
        (EVERY,),
    ),
    Fault(
        "points are scaled in their own type",
        "emst/cpu/points/bvh.py",
        "kind(np.float64(points[row, i]) * scale)",
        "points[row, i] * kind(scale)",
        ("tests/points/test_exactness.py::test_tiny_and_huge_extents[cpu-2-1e-30-float32]",),
    ),
    Fault(
        "the rest of a run that another part lists is listed again",
        "emst/cpu/points/order.py",
        "    if i > start[cell] and codes[i] == codes[i - 1]:  # the rest of a run that begins before\n"
        "        i = _end_of_run(codes, i, start[cell + 1])\n",
        "",
        (CUTS,),
    ),
    Fault(
        "a merge of runs takes equal codes from the second",
        "emst/cpu/points/order.py",
        "codes[b] < spare_codes[a]",
        "codes[b] <= spare_codes[a]",
        (CUTS,),
    ),
    Fault(
        "cells of hardly any extent are divided",
        "emst/cpu/points/curve.py",
        "if extent > LEAST_EXTENT else 0.0",
        "if extent > 0 else 0.0",
        ("tests/points/test_order.py::test_a_cell_beside_which_others_are_huge_is_not_divided",),
    ),
    Fault(
        "of equally wide axes the last takes part",
        "emst/cpu/points/curve.py",
        "            if extent <= extents[j]:",
        "            if extent < extents[j]:",
        ("tests/points/test_order.py::test_order_equals_the_reference[cpu-70-float32]",),
    ),
    Fault(
        "an infinite radius takes lanes without a point",
        "emst/cpu/points/queries.py",
        "packet.radius[j] = lesser(radius[leaf * LANES + j], far)",
        "packet.radius[j] = radius[leaf * LANES + j]",
        (FEW,),
    ),
    Fault(
        "what lies at the radius of a query is left out",
        "emst/cpu/points/queries.py",
        "after = just_above(packet.radius[q]) if packet.radius[q] >= 0 else packet.radius[q]",
        "after = packet.radius[q]",
        (FEW,),
    ),
    Fault(
        "core distances of new points are not divided by alpha",
        "emst/cpu/points/queries.py",
        "buffers, q) * factor",
        "buffers, q)",
        (
            "tests/hdbscan/test_prediction.py::"
            "test_alpha_divides_distances_and_not_core_distances[cpu-0.7-euclidean-params0]",
        ),
    ),
    Fault(
        "core distances are scaled back in their own type",
        "emst/cpu/points/result.py",
        "out[order[i]] = np.float64(roots[i]) * unit",
        "out[order[i]] = roots[i] * np.float32(unit)",
        ("tests/points/test_result.py::test_unscaled_takes_one_root[cpu-few-1e-30-float32]",),
    ),
    Fault(
        "the first bad row is that of the last part",
        "emst/cpu/points/statistics.py",
        "int(first[wrong[0]])",
        "int(first[wrong[-1]])",
        ("tests/points/test_statistics.py::test_statistics_counts_bad_rows_once[cpu-nan-float64]",),
    ),
    Fault(
        "nodes of an outline are opened by their powers as they are",
        "emst/cpu/points/outline.py",
        "if not leaf and power * BELOW <= radius[q]",
        "if not leaf and power <= radius[q]",
        ("tests/points/test_outline.py::test_a_node_may_seem_farther_than_its_child",),
    ),
    Fault(
        "lanes without a point are not infinitely far under any power",
        "emst/cpu/points/norms.py",
        '    return builder.select(builder.fcmp_ordered("==", x, infinity), infinity, power)',
        "    return power",
        ("tests/points/test_norms.py::test_lanes_without_a_point_are_infinitely_far",),
    ),
    Fault(
        "weights of other powers may descend",
        "emst/spanning.py",
        "    if norm.degree not in (1, 2):  # other roots",
        "    if norm.degree < 1:  # other roots",
        ("tests/points/test_metrics.py::test_weights_ascend_where_roots_do_not",),
    ),
    Fault(
        "bridges follow the order of labels",
        "emst/boruvka.py",
        "least = np.sort(np.unique(labels, return_index=True)[1])[1:]",
        "least = np.unique(labels, return_index=True)[1][1:]",
        ("tests/test_boruvka.py::test_bridges_lead_to_the_least_vertices_in_their_order",),
    ),
]
