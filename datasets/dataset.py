"""What the registry knows of a data set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets.graphs import GraphSet
from datasets.synthetic import PointSet

Reader = Callable[[Path], Any]


@dataclass(frozen=True)
class Dataset:
    """A row of the registry.

    Attributes
    ----------
    name, title : str
    kind : {"points", "graph", "lines"}
    origin : {"committed", "downloaded", "generated"}
    file : str
        Its name in the folder it is fetched to; of a committed set, its path from datasets/.
    read : callable
        Makes an array of points or lines, a CSR matrix or an edge list of this file.
    n : int or None
        Points, vertices, or rows of lines; None if it is not known.
    d : int or None
        Columns of points and lines.
    edges : int or None
        Edges that the file lists. Of generated graphs, None.
    url, page : str
        Of the file, and of the page that describes it.
    licence, citation : str
    sha256 : str or None
        Of the file.
    forest : int, float or None
        Known weight of a graph's minimum spanning forest.
    make : PointSet, GraphSet or None
        Generates the set.
    """

    name: str
    title: str
    kind: str
    origin: str
    file: str
    read: Reader
    n: int | None = None
    d: int | None = None
    edges: int | None = None
    url: str = ""
    page: str = ""
    licence: str = ""
    citation: str = ""
    sha256: str | None = None
    forest: int | float | None = None
    make: PointSet | GraphSet | None = None
