"""Graphs from files of any supported format, and forests to files.

The graph is read as it stands in the file: entry i is the file's i-th arc, entry or row. Nothing is sorted, mirrored or
merged, so `edge_id` of a forest says where in the file an edge stands.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emst.io.atomic import replacing
from emst.io.column_files import TABLES, check_table
from emst.io.dimacs import read_arcs
from emst.io.edge_lists import read_arrays, read_table
from emst.io.file_graph import FileGraph, coo
from emst.io.forests import save_forest
from emst.io.matrix_market import read_matrix_market
from emst.io.tables import refuse_pipe

if TYPE_CHECKING:
    from emst.graph.result import MinimumSpanningForest

DIALECT = re.compile(r"; (sep|decimal|encoding)=.* may read it")
NOTATION = "tables of edges are UTF-8, with commas or semicolons between fields and a decimal point"
SUFFIXES = (".gr", ".gr.gz", ".mtx", ".mtx.gz", *TABLES, ".npz")


def read_graph(
    path: str | Path,
    columns: Sequence[str] | None = None,
    *,
    return_nodes: bool = False,
    report: Callable[[int], object] | None = None,
) -> Any:
    """Graph in a file; the suffix names the format.

    Parameters
    ----------
    path : str or Path
        .gr or .gr.gz: the 9th DIMACS challenge's format. .mtx or .mtx.gz: MatrixMarket coordinates, of which a
        symmetric file holds every edge once. .csv, .tsv or .parquet: one row per edge between vertices numbered from 0,
        where the greatest number decides how many vertices there are, or between ids or names, as `graph_msf` takes
        them. .npz: what `scipy.sparse.save_npz` writes, or arrays called `indptr` and `indices`, or `source` and
        `target` (and `n` or `n_vertices`, the number of vertices, if some have no edges), and weights, named as in a
        table. `write_forest` writes such a file.
    columns : sequence of str, optional
        Of a table: names or 0-based numbers of source, target and, if there is one, weight. By default
        `source` and `target`, `src` and `dst`, `u` and `v` or `from` and `to`, and `weight`, `weights` or `data` or
        else the only other column of numbers, in upper or lower case; without such names the two or three columns of
        a table in their order.
    return_nodes : bool, default False
        Also return what the file calls the vertices. Needed if it calls them by ids or names.
    report : callable, optional
        Called repeatedly with the number of bytes of the file read so far.

    Returns
    -------
    graph : scipy.sparse.coo_array of shape (n, n)
        Or, from an .npz, what it holds: csr_array, csc_array or coo_array. Repeated entries and zeros are kept.
        Integers in a text file become int32 where all fit and int64 otherwise. Without weights in the file, all are 1.
    nodes : list of str, array of shape (n,) or None
        Names or ids of the vertices; None if they are numbers. Only with `return_nodes`.

    Raises
    ------
    ValueError
        The suffix is unknown, or the file does not follow the format; the message names the file and, where there is
        one, the line at fault. The vertices have ids or names, and `return_nodes` is False.

    Examples
    --------
    >>> from emst import graph_msf
    >>> from emst.io.graphs import read_graph
    >>> _ = open("roads.csv", "w").write("from,to,weight\\n0,1,7\\n1,2,0\\n2,0,5\\n")
    >>> graph_msf(read_graph("roads.csv")).weight.tolist()
    [0, 5]
    """
    file_graph = read_file(path, columns, report)
    if return_nodes:
        return file_graph.graph, file_graph.nodes
    if file_graph.numbered:
        raise ValueError(f"{path}: its vertices have ids or names, which a matrix does not keep: return_nodes=True")
    return file_graph.graph


def read_file(
    path: str | Path, columns: Sequence[str] | None = None, report: Callable[[int], object] | None = None
) -> FileGraph:
    """What `read_graph` returns, together with what the file calls its parts."""
    path = Path(path)
    suffix = _suffix(path)
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: unknown suffix {suffix!r}; graphs are read from {', '.join(SUFFIXES)}")
    if columns is not None and suffix not in TABLES:
        raise ValueError(f"{path}: only a .csv, .tsv or .parquet has columns to choose")
    refuse_pipe(path)
    with _no_dialects():
        return _read(path, suffix, columns, report)


def _read(path: Path, suffix: str, columns: Sequence[str] | None, report: Callable[[int], object] | None) -> FileGraph:
    if suffix.startswith(".gr"):
        n, source, target, weight = read_arcs(path, report)
        return FileGraph(coo(n, source, target, weight), place=lambda i, u, v: f"in arc {i + 1:,} (a {u + 1} {v + 1})")
    if suffix.startswith(".mtx"):
        file_graph = read_matrix_market(path)
    else:
        file_graph = read_arrays(path) if suffix == ".npz" else read_table(path, columns)
    if report is not None:
        report(path.stat().st_size)
    return file_graph


@contextlib.contextmanager
def _no_dialects() -> Iterator[None]:
    """Errors of texts name parameters of `read_points` that would read them; graphs are read in one notation."""
    try:
        yield
    except ValueError as error:
        if (hint := DIALECT.search(str(error))) is None:
            raise
        raise ValueError(f"{str(error)[: hint.start()]}; {NOTATION}") from error


def write_forest(path: str | Path, forest: MinimumSpanningForest) -> None:
    """Write a forest to a file, completely or not at all.

    Parameters
    ----------
    path : str or Path
        File to write; an existing one is replaced when the new one is complete. A .csv, .tsv or .parquet has one row
        per edge: `source`, `target`, `weight` and `edge_id`, with the nodes of the input. Any other file is an .npz.
    forest : MinimumSpanningForest
        What `graph_msf` returned. An .npz holds `source`, `target`, `weight`, `edge_id`, `n_vertices` and, if there
        are any, `component_labels` and `nodes`, unless these are neither all integers nor all texts; `read_graph`
        reads it as a graph.

    Raises
    ------
    ValueError
        Of a table: nodes that are neither all integers nor all texts; a .parquet without pyarrow.
    """
    path = Path(path)
    suffix = path.suffix.lower() if path.suffix.lower() in TABLES else ".npz"
    check_table(path, suffix)
    with replacing(path) as file:
        save_forest(file, suffix, forest)


def _suffix(path: Path) -> str:
    last = path.suffix.lower()
    return Path(path.stem).suffix.lower() + last if last == ".gz" else last
