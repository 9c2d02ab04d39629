"""Road networks: table 1 of Vineet et al. (HPG'09), figure 4 of Sousa et al. (PDP'15), table 1 of PMA (PPoPP'12)."""

from __future__ import annotations

from dataclasses import replace

from datasets import REGISTRY

from .lab import ALGORITHMS, Lab
from .published import ROAD_SOURCES
from .published import ROADS as PUBLISHED
from .table import Table, curves_of

NOTE = (
    "Milliseconds; ours are medians, with edge list and labels. A network that is not available is replaced by a "
    "generated road-like graph with the same number of vertices ('road-like'); compare published figures with it by "
    "order of magnitude only. '-': the figure is in a paper's table that we could not read."
)


def roads(lab: Lab) -> Table:
    """One row per network: all algorithms, and the published figures."""
    head = ["vertices", "network", "entries", "total weight", *ALGORITHMS, *ROAD_SOURCES]
    rows = []
    for name in lab.options.roads:
        graph = lab.graph(f"USA-road-d.{name}")
        graph = graph or lab.graph(road_like(name, lab.options.road_like))
        times = [lab.milliseconds(graph.name, algorithm=algorithm) for algorithm in ALGORITHMS]
        real = graph.name.startswith("USA")
        title = graph.name if real else f"road-like, for {name}"
        published = [PUBLISHED.get(name, {}).get(source) for source in ROAD_SOURCES]
        rows.append([graph.n, title, graph.entries, lab.total(graph.name), *times, *published])
    drawn = replace(curves_of("vertices", "ms", head, rows, 4, "xy"), ours=len(ALGORITHMS))
    return Table("roads", "Road networks", head, rows, NOTE, [drawn])


def road_like(network: str, n: int | None = None) -> str:
    """Name of the generated graph that replaces a network: with n vertices, by default as many as the network."""
    return f"road:{n or REGISTRY[f'USA-road-d.{network}'].n}"
