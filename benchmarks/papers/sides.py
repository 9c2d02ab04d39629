"""All algorithms side by side, on the sets of `benchmarks forests` and on the worst cases."""

from __future__ import annotations

from .lab import ALGORITHMS, Lab
from .table import Table


def side_by_side(lab: Lab) -> Table:
    """The sets of `benchmarks forests`."""
    note = "Milliseconds, int32 weights, edge list and labels. The forests are the same, edge by edge."
    return _all("side-by-side", "All algorithms, side by side", note, lab.options.sets, lab)


def worst_cases(lab: Lab) -> Table:
    """Graphs with a path or a row of the CSR matrix as long as the graph, and with equal weights only."""
    note = (
        "Milliseconds. path: all weights equal; star: one row holds half of the entries; equal: a random graph of "
        "degree 8, all weights equal; row: a random graph with one row to all vertices; isolated: no edges."
    )
    return _all("worst-cases", "Worst cases", note, lab.options.worst, lab)


def _all(name: str, title: str, note: str, sets: list[str], lab: Lab) -> Table:
    rows = []
    for graph_name in sets:
        graph = lab.graph(graph_name)
        if graph is not None:
            times = [lab.milliseconds(graph_name, algorithm=algorithm) for algorithm in ALGORITHMS]
            rows.append([graph_name, graph.n, graph.entries, lab.total(graph_name), *times])
    return Table(name, title, ["graph", "vertices", "entries", "total weight", *ALGORITHMS], rows, note)
