"""Graphs from MatrixMarket coordinate files: `.mtx`, also compressed. SciPy parses them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from emst.graph.input import MOST_VERTICES
from emst.io.file_graph import UNWEIGHTED, FileGraph, coo, fit_int32, opening


def read_matrix_market(path: Path) -> FileGraph:
    """Entries of a square real matrix, in the order of the file; of a symmetric file every edge once."""
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
        matrix = io.mmread(path, spmatrix=False)
    source, target, weight = matrix.row, matrix.col, matrix.data
    if symmetry == "symmetric":  # SciPy adds the mirror image of every entry; the file holds the lower triangle only
        kept = source >= target
        source, target, weight = source[kept], target[kept], weight[kept]
    if field == "pattern":
        weight = np.ones(len(source), np.int32)
    weight = fit_int32(weight) if weight.dtype == np.int64 else weight
    read = UNWEIGHTED if field == "pattern" else ""
    return FileGraph(coo(rows, source, target, weight), read, lambda i, u, v: f"in entry {i + 1:,} ({u + 1} {v + 1})")
