"""Faults in the method over partitions, and in Dask, which runs it."""

from .fault import Fault

STAGES = "tests/partitions/test_stages.py"
LOCKS = f"{STAGES}::test_the_lock_is_held_while_the_labels_of_nodes_are_in_use"

FAULTS = [
    Fault(
        "no lock while a partition grows its trees",
        "emst/partitions/certain.py",
        "    with partition.lock:\n",
        "    if True:\n",
        (LOCKS,),
    ),
    Fault(
        "no lock in the summary of a partition",
        "emst/partitions/components.py",
        "    with partition.lock:\n",
        "    if True:\n",
        (LOCKS,),
    ),
    Fault(
        "no lock while a partition that nobody asks labels its boxes",
        "emst/partitions/rounds.py",
        "        with partition.lock:\n            ops.label_nodes",
        "        if True:\n            ops.label_nodes",
        (LOCKS,),
    ),
    Fault(
        "no lock while a partition answers",
        "emst/partitions/rounds.py",
        "\n    with partition.lock:\n",
        "\n    if True:\n",
        (LOCKS,),
    ),
    Fault(
        "the triangle inequality is taken without slack",
        "emst/partitions/asking.py",
        "slack = (index.d + 64) * float(np.finfo(index.dtype).eps)",
        "slack = 0.0",
        ("tests/partitions/test_asking.py",),
    ),
    Fault(
        "a neighbour's core distance excludes other points",
        "emst/partitions/asking.py",
        "            close |= index.core[neighbour] >= weight\n",
        "            pass\n",
        (f"{STAGES}::test_a_neighbour_whose_core_distance_is_its_weight_says_nothing",),
    ),
    Fault(
        "numbers of pairs have 32 bits",
        "emst/partitions/rounds.py",
        "label[edges.a].astype(np.uint64) * np.uint64(count) + label[edges.b].astype(np.uint64)",
        "label[edges.a].astype(np.uint32) * np.uint32(count) + label[edges.b].astype(np.uint32)",
        (f"{STAGES}::test_pairs_of_many_components_are_told_apart",),
    ),
    Fault(
        "the first rows are the sample",
        "emst/partitions/partition.py",
        "members[:: max(1, len(members) // SAMPLE)]",
        "members[:SAMPLE]",
        (f"{STAGES}::test_rows_in_the_order_of_the_curve_are_cut_as_equally",),
    ),
    Fault(
        "errors count the rows that are left out as missing",
        "emst/partitions/chunks.py",
        "int(engine.gather([rows[i]])[0].kept[point])",
        "point",
        ("tests/dask/test_predict.py::test_what_is_refused",),
    ),
    Fault(
        "rows of the condensed tree are counted from the first of their chunk",
        "emst/partitions/model.py",
        "rows.kept + first for",
        "rows.kept for",
        ("tests/partitions/test_clusters.py::test_the_clusters_of_one_device[cpu-rows that are not finite-defaults]",),
    ),
    Fault(
        "subtrees are contracted under powers whose roots may descend",
        "emst/partitions/model.py",
        "        least = 2\n    contracted = [",
        "        pass\n    contracted = [",
        ("tests/partitions/test_clusters.py::test_roots_that_descend",),
    ),
    Fault(
        "only the first chunk with places out of range is counted",
        "emst/partitions/chunks.py",
        "rows = sum(beyond.rows for _, beyond in wrong)",
        "rows = first.rows",
        ("tests/dask/test_clusters.py::test_places_out_of_range",),
    ),
    Fault(
        "files of a folder come in the order of their letters",
        "emst/dask/files.py",
        "for name in sorted(names, key=natural_sort_key)",
        "for name in sorted(names)",
        ("tests/dask/test_files.py::test_many_files",),
    ),
    Fault(
        "files whose columns come in another order are read",
        "emst/dask/inputs.py",
        "if file.names != named[0].names:",
        "if set(file.names or []) != set(named[0].names or []):",
        ("tests/dask/test_files.py::test_unequal_names_of_columns",),
    ),
    Fault(
        "the driver holds every task until it is done",
        "emst/dask/engine.py",
        ": weakref.WeakSet[Future] = weakref.WeakSet()",
        ": set[Future] = set()",
        ("tests/dask/test_engine.py::test_the_driver_holds_no_task_that_nobody_wants",),
    ),
    Fault(
        "an edge that ties with one of another partition is certain",
        "emst/partitions/certain.py",
        "as_bits(self.ops.edge_powers(self.index, u, v)) >=",
        "as_bits(self.ops.edge_powers(self.index, u, v)) >",
        ("tests/partitions/test_trees.py::test_the_tree_of_one_device[cpu-lattice of ties-2]",),
    ),
    Fault(
        "one worker that is out of memory ends the wait",
        "emst/dask/faults.py",
        "not all(map(",
        "not any(map(",
        ("tests/dask/test_restarts.py::test_one_worker_that_waits_for_memory_ends_no_wait",),
    ),
    Fault(
        "a faulty entry's position does not count the chunks before its own",
        "emst/dask/graph.py",
        "chunks[: error.args[0] + 1]",
        "chunks[error.args[0] : error.args[0] + 1]",
        ("tests/dask/test_graph.py::test_the_first_faulty_entry_is_named_by_its_position_and_chunk",),
    ),
    Fault(
        "a query at equal distances joins the last point",
        "emst/partitions/queries.py",
        "first = new.id < old.id",
        "first = new.id > old.id",
        ("tests/partitions/test_prediction.py::test_points_of_two_partitions_at_the_same_distance",),
    ),
]
