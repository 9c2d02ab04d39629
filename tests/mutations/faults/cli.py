"""Faults in the command line."""

from .fault import Fault

FAULTS = [
    Fault(
        "an error that follows from an interrupt is shown as the user's",
        "emst/cli/interrupts.py",
        "            if self._came:",
        "            if False:",
        ("tests/cli/test_cli.py::test_an_interrupt_meets_a_finalizer[5-Called]",),
    ),
    Fault(
        "an interrupt that Python drops never comes again",
        "emst/cli/interrupts.py",
        "                if self._dropped:",
        "                if False:",
        ("tests/cli/test_cli.py::test_an_interrupt_meets_a_finalizer[0.25-Finalized]",),
    ),
    Fault(
        "an unexpected error exits like wrong arguments",
        "emst/cli/__init__.py",
        'please report it", 1,',
        'please report it", 2,',
        ("tests/cli/test_first_hour.py::test_an_unexpected_error_has_a_status_of_its_own",),
    ),
    Fault(
        "heights of integers are rounded to floats",
        "emst/cli/forest.py",
        'int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else float(text)',
        "float(text)",
        ("tests/cli/test_cli_forest.py::test_groups_at_a_height",),
    ),
    Fault(
        "lengths on another sphere are called kilometres",
        "emst/cli/places.py",
        '" km" if arguments.degrees and arguments.radius is None',
        '" km" if arguments.degrees',
        ("tests/cli/test_cli_places.py::test_tree",),
    ),
    Fault(
        "points are overwritten through another path to their file",
        "emst/cli/shared.py",
        "output.samefile(source)",
        "output == source",
        ("tests/cli/test_cli.py::test_refused_before_a_tree_is_computed",),
    ),
    Fault(
        "rows that are not finite are counted as noise as well",
        "emst/cli/cluster.py",
        "(labels == -1).sum()",
        "(labels < 0).sum()",
        ("tests/cli/test_cli.py::test_summary_of_clusters",),
    ),
    Fault(
        "kernels in folders below are not counted",
        "emst/cli/info.py",
        "folder.rglob(pattern)",
        "folder.glob(pattern)",
        ("tests/cli/test_first_hour.py::test_info",),
    ),
]
