"""Graphs from files, and forests to files that are either whole or absent.

What is read is the graph as the file has it: entry i is the file's i-th arc, entry or row, whichever way round, however
often and of whatever weight, so `edge_id` of a forest tells where in the file an edge stands. An edge that the file
holds once is not doubled. Every reader raises `ValueError` with one sentence that names the file and, where there is
one, the line at fault.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from emst.graph.input import MOST_VERTICES
from emst.inputs.devices import to_host
from emst.io.atomic import replacing
from emst.io.dimacs import fit_int32, read_arcs
from emst.io.edge_lists import UNWEIGHTED, FileGraph, coo, opening, read_arrays, read_table

if TYPE_CHECKING:
    from emst.graph.result import MinimumSpanningForest

SUFFIXES = (".gr", ".gr.gz", ".mtx", ".mtx.gz", ".csv", ".parquet", ".npz")


def read_graph(
    path: str | Path, columns: Sequence[str] | None = None, *, report: Callable[[int], object] | None = None
) -> Any:
    """Graph in a file, told by its suffix.

    Parameters
    ----------
    path : str or Path
        .gr or .gr.gz: the 9th DIMACS challenge's format. .mtx or .mtx.gz: MatrixMarket coordinates, of which a
        symmetric file holds every edge once. .csv or .parquet: a row for each edge, its ends numbered from 0; there
        are as many vertices as the greatest number needs. .npz: what `scipy.sparse.save_npz` writes, or arrays called
        `indptr` and `indices`, or `source` and `target` (`n` or `n_vertices` tells of vertices without edges), and
        weights, named as in a table. The files of `write_forest` are such graphs.
    columns : sequence of str, optional
        Of a .csv or .parquet: names or 0-based numbers of source, target and, if there is one, weight. By default
        `source` and `target`, `src` and `dst`, `u` and `v` or `from` and `to`, and `weight`, `weights` or `data` or
        else the only other column of numbers, in any case; without such names a table's two or three columns as they
        stand.
    report : callable, optional
        Called now and then with the number of bytes of the file read so far.

    Returns
    -------
    scipy.sparse.coo_array of shape (n, n)
        Or, from an .npz, what it holds: csr_array, csc_array or coo_array. Repeated entries and zeros are all there.
        Integers that a text holds become int32 where all fit and int64 otherwise. Where a file has no weights they
        are 1.

    Raises
    ------
    ValueError
        The suffix is unknown, or the file is not what the suffix says.
    """
    return read_file(path, columns, report).graph


def read_file(
    path: str | Path, columns: Sequence[str] | None = None, report: Callable[[int], object] | None = None
) -> FileGraph:
    """What `read_graph` returns, and what the file calls its parts."""
    path = Path(path)
    suffix = _suffix(path)
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: unknown suffix {suffix!r}; graphs are read from {', '.join(SUFFIXES)}")
    if columns is not None and suffix not in (".csv", ".parquet"):
        raise ValueError(f"{path}: only a .csv or .parquet has columns to choose")
    if suffix.startswith(".gr"):
        n, source, target, weight = read_arcs(path, report)
        return FileGraph(coo(n, source, target, weight), place=lambda i, u, v: f"in arc {i + 1:,} (a {u + 1} {v + 1})")
    if suffix.startswith(".mtx"):
        found = _read_matrix_market(path)
    else:
        found = read_arrays(path) if suffix == ".npz" else read_table(path, columns)
    if report is not None:
        report(path.stat().st_size)
    return found


def write_forest(path: str | Path, forest: MinimumSpanningForest) -> None:
    """Write a forest as .npz: what `save_forest` writes, in a file that is either whole or absent."""
    with replacing(Path(path)) as file:
        save_forest(file, forest)


def save_forest(file: BinaryIO, forest: MinimumSpanningForest) -> None:
    """Write `source`, `target`, `weight`, `edge_id`, `n_vertices` and, if there are any, `component_labels` as .npz."""
    names = ["source", "target", "weight", "edge_id"]
    if forest.component_labels is not None:
        names.append("component_labels")
    arrays: dict[str, Any] = {name: to_host(getattr(forest, name)) for name in names}
    np.savez(file, n_vertices=forest.n_vertices, **arrays)


def _suffix(path: Path) -> str:
    last = path.suffix.lower()
    return Path(path.stem).suffix.lower() + last if last == ".gz" else last


# ---- MatrixMarket ------------------------------------------------------------------------------------------------


def _read_matrix_market(path: Path) -> FileGraph:
    from scipy import io

    with opening(path, "MatrixMarket"):
        rows, columns, _, layout, field, symmetry = io.mminfo(path)
    if layout != "coordinate":
        raise ValueError(f"{path} holds a dense matrix; graphs are read from MatrixMarket coordinates")
    if field == "complex" or symmetry not in ("general", "symmetric"):
        raise ValueError(f"{path} holds a {field} {symmetry} matrix: its entries are no weights of undirected edges")
    if rows != columns:
        raise ValueError(f"{path}: a graph is a square matrix, not one of {rows:,} x {columns:,}")
    if rows > MOST_VERTICES:
        raise ValueError(f"{path} has {rows:,} vertices; ids are 32-bit, so at most {MOST_VERTICES:,} are possible")
    with opening(path, "MatrixMarket"):
        matrix = io.mmread(path)
    source, target, weight = matrix.row, matrix.col, matrix.data
    if symmetry == "symmetric":  # what mirrors an entry is not in the file
        kept = source >= target
        source, target, weight = source[kept], target[kept], weight[kept]
    if field == "pattern":
        weight = np.ones(len(source), np.int32)
    weight = fit_int32(weight) if weight.dtype == np.int64 else weight
    read = UNWEIGHTED if field == "pattern" else ""
    return FileGraph(coo(rows, source, target, weight), read, lambda i, u, v: f"in entry {i + 1:,} ({u + 1} {v + 1})")
