"""Faults in `emst.dask`."""

from .fault import Fault

STAGES = "tests/dask/test_stages.py"
LOCKS = f"{STAGES}::test_the_lock_is_held_while_the_labels_of_nodes_are_in_use"

FAULTS = [
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
]
