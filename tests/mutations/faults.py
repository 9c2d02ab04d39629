"""Faults that tests must notice. Each is a change of one place in a file: the text there, and what replaces it."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """A fault, and the tests that must fail with it."""

    what: str
    file: str  # path in the repository
    old: str  # stands in the file exactly once
    new: str
    tests: tuple[str, ...]  # what pytest takes: a file, or a file and a test; each must fail


STAGES = "tests/dask/test_stages.py"
ATOMICS = "tests/runtime/test_atomics.py::test_shared_elements_are_lowered_or_claimed_in_one_step"
LOCKS = f"{STAGES}::test_the_lock_is_held_while_the_labels_of_nodes_are_in_use"
MEDOIDS = "tests/hdbscan/test_medoids.py::test_rounding_leaves_no_medoid_out"

FAULTS = [
    Fault(
        "the pass is not repeated",
        "emst/cpu/points/lightest.py",
        "            for_chunks(improve, leaves, grain, *args)\n",
        "            for_chunks(improve, leaves, grain, *args)\n            break\n",
        ("tests/points/test_lightest.py",),
    ),
    Fault(
        "edges that leave the giant component are dropped",
        "emst/cpu/graph/worklist.py",
        "not (_has(inside, v) & _has(",
        "not (_has(inside, v) | _has(",
        ("tests/graph/test_cpu_graph.py::test_edges_that_leave_the_giant_component_stay",),
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
        "no lock while a partition grows its trees",
        "emst/dask/certain.py",
        "    with partition.lock:\n",
        "    if True:\n",
        (LOCKS,),
    ),
    Fault(
        "no lock in the summary of a partition",
        "emst/dask/components.py",
        "    with partition.lock:\n",
        "    if True:\n",
        (LOCKS,),
    ),
    Fault(
        "no lock while a partition that nobody asks labels its boxes",
        "emst/dask/answering.py",
        "        with partition.lock:\n            ops.label_nodes",
        "        if True:\n            ops.label_nodes",
        (LOCKS,),
    ),
    Fault(
        "no lock while a partition answers",
        "emst/dask/answering.py",
        "\n    with partition.lock:\n",
        "\n    if True:\n",
        (LOCKS,),
    ),
    Fault(
        "the triangle inequality is taken without slack",
        "emst/dask/asking.py",
        "slack = (bvh.d + 64) * float(np.finfo(bvh.dtype).eps)",
        "slack = 0.0",
        ("tests/dask/test_asking.py",),
    ),
    Fault(
        "a neighbour's core distance excludes other points",
        "emst/dask/asking.py",
        "            close |= bvh.core[neighbour] >= weight\n",
        "            pass\n",
        (f"{STAGES}::test_a_neighbour_whose_core_distance_is_its_weight_says_nothing",),
    ),
    Fault(
        "numbers of pairs have 32 bits",
        "emst/dask/answering.py",
        "label[edges.a].astype(np.uint64) * np.uint64(count) + label[edges.b].astype(np.uint64)",
        "label[edges.a].astype(np.uint32) * np.uint32(count) + label[edges.b].astype(np.uint32)",
        (f"{STAGES}::test_pairs_of_many_components_are_told_apart",),
    ),
    Fault(
        "the first rows are the sample",
        "emst/dask/cells.py",
        "members[:: max(1, len(members) // SAMPLE)]",
        "members[:SAMPLE]",
        (f"{STAGES}::test_rows_in_the_order_of_the_curve_are_cut_as_equally",),
    ),
    Fault(
        "chords longer than the diameter have no arc",
        "emst/distances/sphere.py",
        "np.arcsin(np.minimum(chord / 2, 1))",
        "np.arcsin(chord / 2)",
        ("tests/distances/test_sphere.py",),
    ),
    Fault(
        "differences of sums are taken as exact",
        "emst/hdbscan/medoids.py",
        "    distance -= 2 * SLACK * sums[:, None]\n",
        "",
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
        "another default than hdbscan's",
        "emst/compat/hdbscan/robust_single_linkage_.py",
        "    cut: float,\n    k: int = 5,\n    alpha: float = math.sqrt(2),\n",
        "    cut: float,\n    k: int = 5,\n    alpha: float = 1.0,\n",
        ("tests/compat/test_signatures.py",),
    ),
]
