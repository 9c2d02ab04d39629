"""Faults in files."""

from .fault import Fault

FAULTS = [
    Fault(
        "indented arcs before the first plain one are lost",
        "emst/io/dimacs.py",
        'if first.lstrip().startswith(b"a"):',
        'if first.startswith(b"a"):',
        ("tests/io/test_graphs.py::test_dimacs_with_other_spacing",),
    ),
    Fault(
        "large integers of an edge table are rounded",
        "emst/io/edge_lists.py",
        "int(field) if _INTEGER.fullmatch(field) else one",
        "one",
        ("tests/io/test_graphs.py::test_integers_of_an_edge_table_are_not_rounded",),
    ),
    Fault(
        "loops of a symmetric matrix are left out",
        "emst/io/matrix_market.py",
        "kept = source >= target",
        "kept = source > target",
        ("tests/io/test_graphs.py::test_a_symmetric_matrix_has_every_edge_once",),
    ),
    Fault(
        "a weight that numpy has clamped is taken",
        "emst/io/dimacs.py",
        "numbers.max() < LARGEST",
        "numbers.max() <= LARGEST",
        ("tests/io/test_graphs.py::test_plain_arcs_take_the_fast_way_and_others_do_not",),
    ),
    Fault(
        "a value that a .fits marks as missing is what stands in its place",
        "emst/io/fits.py",
        "        values = np.where(missing, np.nan, values)\n",
        "",
        ("tests/io/test_points.py::test_missing_values_of_a_catalogue",),
    ),
    Fault(
        "rows that are left after the last label are dropped",
        "emst/io/labels.py",
        " or next(rows, None) is not None:",
        ":",
        ("tests/cli/test_first_hour.py::test_append_refuses_rows_that_it_reads_otherwise",),
    ),
    Fault(
        "a vertex may be as great as their number",
        "emst/inputs/ends.py",
        "bool(ends.max() < n)",
        "bool(ends.max() <= n)",
        ("tests/io/test_graphs.py::test_faults_of_arrays",),
    ),
    Fault(
        "a table's only column is left out as an index",
        "emst/io/columns.py",
        '"__index_level_0__"][: len(names) - 1]',
        '"__index_level_0__"]',
        ("tests/io/test_points.py::test_the_index_of_a_parquet",),
    ),
    Fault(
        "complex points are read",
        "emst/io/points.py",
        'not in "biuf"',
        'not in "biufc"',
        ("tests/io/test_points.py::test_no_points",),
    ),
    Fault(
        "ids beside a weight that is no integer are rounded to floats",
        "emst/io/edge_lists.py",
        "source, target = read_columns(path, columns[:2])  # as",
        "pass  # as",
        ("tests/io/test_graphs.py::test_ids_of_edges",),
    ),
    Fault(
        "weights in a table have nine digits",
        "emst/io/column_files.py",
        '"%r" if exact and dtype.itemsize == 8',
        '"%r" if exact and dtype.itemsize == 9',
        ("tests/cli/test_tables_out.py::test_edges_of_a_tree",),
    ),
    Fault(
        "a .laz is not compressed",
        "emst/io/las.py",
        'do_compress=suffix == ".laz"',
        "do_compress=False",
        ("tests/cli/test_scans.py::test_a_scan_keeps_all_and_gets_clusters",),
    ),
    Fault(
        "rows that span lines are taken for lines",
        "emst/io/tables.py",
        """not any('"' in piece or "#" in piece for piece in pieces)""",
        """not any("#" in piece for piece in pieces)""",
        ("tests/io/test_labels.py::test_lines_that_are_not_taken_apart_are_the_same_rows",),
    ),
]
