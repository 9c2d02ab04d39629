"""Size and degree of random graphs: the synthetic experiments of Vineet et al. (HPG'09) and PMA (PPoPP'12)."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from graph_sets import Graph

from .lab import ALGORITHMS, Lab
from .table import Table, curves_of

KINDS = {"rmat": "R-MAT", "er": "Erdős–Rényi", "ws": "Watts–Strogatz", "ssca2": "SSCA#2"}
SIZE_NOTE = (
    "Milliseconds, average degree 6. Published: Vineet et al. name less than a second for 5 M "
    "vertices and 30 M edges on one of the four GPUs of a Tesla S1070; we do not have PMA's figures."
)
DEGREE_NOTE = "Milliseconds. {n:,} vertices, {scaled:,} of R-MAT and SSCA#2. We know of no published figures."
SCALED = ["rmat", "ssca2"]  # kinds whose vertices are a power of two


def sizes(lab: Lab) -> Table:
    """Graphs of degree 6 and growing size."""
    names = [size_names(kind, lab.options) for kind in KINDS]
    return _sweep(lab, "sizes", "Size", SIZE_NOTE, "vertices", names, lambda graph, name: graph.n)


def degrees(lab: Lab) -> Table:
    """Graphs of one size and growing degree."""
    names = [degree_names(kind, lab.options) for kind in KINDS]
    note = DEGREE_NOTE.format(n=lab.options.degree_n, scaled=1 << lab.options.degree_scale)
    return _sweep(lab, "degrees", "Degree", note, "degree", names, lambda graph, name: int(name.rpartition(":")[2]))


def size_names(kind: str, options: argparse.Namespace) -> list[str]:
    """Graphs of a kind whose size grows."""
    return [f"{kind}:{size}:6" for size in (options.scales if kind in SCALED else options.sizes)]


def degree_names(kind: str, options: argparse.Namespace) -> list[str]:
    """Graphs of a kind whose degree grows."""
    size = options.degree_scale if kind in SCALED else options.degree_n
    return [f"{kind}:{size}:{degree}" for degree in options.degrees]


def _sweep(
    lab: Lab,
    name: str,
    title: str,
    note: str,
    x: str,
    groups: list[list[str]],
    place: Callable[[Graph, str], int],
) -> Table:
    """For every group of graphs one curve per algorithm; `place(graph, name)` is the x coordinate of a graph."""
    head = [x, "graph", "entries", "total weight", *ALGORITHMS]
    rows, curves = [], []
    for group in groups:
        found = []
        for graph_name in group:
            graph = lab.graph(graph_name)
            times = [lab.milliseconds(graph_name, algorithm=algorithm) for algorithm in ALGORITHMS]
            kind = KINDS[graph_name.partition(":")[0]]
            found.append([place(graph, graph_name), kind, graph.entries, lab.total(graph_name), *times])
        curves.append(curves_of(f"{x}, {found[0][1]}", "ms", head, found, 4, "y"))
        rows += found
    return Table(name, title, head, rows, note, curves)
