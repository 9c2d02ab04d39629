"""Graphs from MatrixMarket coordinate files: `.mtx`, also compressed. SciPy parses them.

SciPy takes the number that a field begins with, and drops the rest of the field and of the line: 1,5 would be 1. So
all entries are looked at first.
"""

from __future__ import annotations

import bz2
import gzip
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO

import numpy as np

from emst.graph.input import MOST_VERTICES
from emst.io.file_graph import UNWEIGHTED, FileGraph, coo, fit_int32, opening

BLOCK = 1 << 24  # bytes that are looked at together
WHITE = b" \t\r\n\v\f"
WHOLE = WHITE + b"0123456789+-"
REAL = WHOLE + b".eEiInNfFaAtTyY"  # also inf and nan
# Kinds of bytes: white space, what a sign may stand behind, signs, and all other.
KINDS = bytes(0 if c in WHITE else 1 if c in b"eE" else 2 if c in b"+-" else 3 for c in range(256))
TWO_POINTS = re.compile(rb"\.[0-9]*\.")  # in one number


def read_matrix_market(path: Path) -> FileGraph:
    """Entries of a square real matrix, in the order of the file; of a symmetric file every edge once."""
    from scipy import io

    with opening(path, "MatrixMarket"):
        rows, columns, entries, layout, field, symmetry = io.mminfo(path)
    if layout != "coordinate":
        raise ValueError(f"{path} holds a dense matrix; graphs are read from MatrixMarket coordinates")
    if field == "complex" or symmetry not in ("general", "symmetric"):
        raise ValueError(f"{path} holds a {field} {symmetry} matrix: its entries are no weights of undirected edges")
    if rows != columns:
        raise ValueError(f"{path}: a graph is a square matrix, not one of {rows:,} x {columns:,}")
    if rows > MOST_VERTICES:
        raise ValueError(f"{path} has {rows:,} vertices; ids are 32-bit, so at most {MOST_VERTICES:,} are possible")
    whole = _checked_entries(path, field, entries)
    with opening(path, "MatrixMarket"):
        matrix = io.mmread(path if whole else _with_line_feed(path), spmatrix=False)
    source, target, weight = matrix.row, matrix.col, matrix.data
    if symmetry == "symmetric":  # SciPy adds the mirror image of every entry; the file holds the lower triangle only
        kept = source >= target
        source, target, weight = source[kept], target[kept], weight[kept]
    if field == "pattern":
        weight = np.ones(len(source), np.int32)
    weight = fit_int32(weight) if weight.dtype == np.int64 else weight
    read = UNWEIGHTED if field == "pattern" else ""
    return FileGraph(coo(rows, source, target, weight), read, lambda i, u, v: f"in entry {i + 1:,} ({u + 1} {v + 1})")


def _checked_entries(path: Path, field: str, entries: int) -> bool:
    """Raise ValueError for the first line of entries that is not two numbers of vertices and a weight. Returns whether
    SciPy can read the file: version 1.17 crashes where white space comes last, but no line feed."""
    allowed, found, ended = REAL if field in ("real", "double") else WHOLE, 0, True
    for first_line, block in _blocks_of_entries(path):
        ended = block.endswith(b"\n") or block[-1] not in WHITE
        kinds = np.frombuffer(b"\0" + block.translate(KINDS) + b"\0", np.uint8)
        before, after = kinds[:-1], kinds[1:]
        found += np.count_nonzero((before == 0) & (after > 0))
        misplaced = ((before >= 2) & (after == 2)) | ((before - np.uint8(1) < 2) & (after == 0))
        if misplaced.any() or TWO_POINTS.search(block) or block.translate(None, allowed):
            _refuse_line(path, field, first_line, block)
    if found != entries * (2 if field == "pattern" else 3):
        for first_line, block in _blocks_of_entries(path):
            _refuse_line(path, field, first_line, block)
    return ended


def _refuse_line(path: Path, field: str, first_line: int, block: bytes) -> None:
    """Raise ValueError for the first of the lines that is no entry, if there is one."""
    number = {"pattern": rb"", "real": rb"\s+[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|\s+[-+]?(?i:inf|infinity|nan)"}
    entry = re.compile(rb"\s*(\d+\s+\d+(" + number.get(field, rb"\s+[-+]?\d+") + rb")\s*)?")
    for at, line in enumerate(block.split(b"\n")):
        if not entry.fullmatch(line):
            wanted = "two numbers of vertices" + ("" if field == "pattern" else f" and a weight ({field})")
            shown = line.decode("utf-8", "replace").strip()[:60]
            raise ValueError(f"{path}, line {first_line + at:,}: {shown!r} is not {wanted}")


def _with_line_feed(path: Path) -> BytesIO:
    with _opened(path) as file:
        return BytesIO(file.read() + b"\n")


def _blocks_of_entries(path: Path) -> Iterator[tuple[int, bytes]]:
    """All entries, in blocks of whole lines; with each block the number of its first line. The first entry stands in
    the line after the one with the sizes of the matrix."""
    with opening(path, "MatrixMarket"), _opened(path) as file:
        number, line = 1, file.readline()
        while line and (line.startswith(b"%") or not line.strip()):
            number, line = number + 1, file.readline()
        number += 1
        while block := file.read(BLOCK):
            block += file.readline()
            yield number, block
            number += block.count(b"\n")


def _opened(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return gzip.open(path, "rb")  # type: ignore[return-value]
    return bz2.open(path, "rb") if path.suffix == ".bz2" else open(path, "rb")
