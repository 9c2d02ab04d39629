"""The text format of the 9th DIMACS implementation challenge (shortest paths): `.gr`, also compressed.

    c a comment
    p sp 3 2            3 vertices, 2 arcs
    a 1 2 17            an arc from vertex 1 to vertex 2 of weight 17

numpy parses blocks of many lines at once. A block that holds anything but arcs in the plain form above is parsed again
line by line, which also finds the line at fault.
"""

from __future__ import annotations

import gzip
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NoReturn

import numpy as np

from emst.graph.input import MOST_VERTICES
from emst.io.file_graph import fit_int32

BLOCK = 1 << 22  # bytes parsed at a time
LARGEST = 2**63 - 1  # numpy clamps larger numbers to this, and smaller ones to -LARGEST - 1
ARC, SPACE, LINE, RETURN, MINUS, ZERO, NINE = b"a \n\r-09"
UNUSUAL = np.isin(np.arange(256), list(b"a \n0123456789"), invert=True)
WITHOUT_ARC = bytes.maketrans(b"a", b" ")


def read_arcs(
    path: Path, report: Callable[[int], object] | None = None
) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Vertices and arcs of a `.gr` or `.gr.gz`.

    Parameters
    ----------
    path : Path
        The file; the suffix .gz says that it is compressed.
    report : callable, optional
        Called after every block with the number of bytes of the file read so far.

    Returns
    -------
    n : int
        Number of vertices.
    source, target : int32 arrays of shape (m,)
        Ends of the arcs in the order of the file, counted from 0.
    weight : array of shape (m,)
        int32 where all fit, int64 otherwise.

    Raises
    ------
    ValueError
        The file does not follow the format. The message names the file, the first line at fault and what is wrong.
    """
    columns: tuple[list[np.ndarray], ...] = ([], [], [])
    with open(path, "rb") as raw:
        file = gzip.GzipFile(fileobj=raw) if path.suffix.lower() == ".gz" else raw
        try:
            graph = _Reader(path, file)
            for arcs in graph.blocks():
                for column, values in zip(columns, arcs):
                    column.append(values)
                if report is not None:
                    report(raw.tell())
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ValueError(f"{path} is not a readable .gz file ({error})") from error
    source, target, weight = (_joined(column) for column in columns)
    return graph.n, source, target, weight


class _Reader:
    """The sizes in the problem line, and how much of the file is read."""

    def __init__(self, path: Path, file: BinaryIO | gzip.GzipFile) -> None:
        self.path, self.file = path, file
        self.line = 0  # lines read
        self.read = 0  # arcs read
        self.n = self.m = -1  # until the problem line is read

    def blocks(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Source and target, counted from 0, and weight of the arcs, block by block."""
        first = b""
        for first in self.file:
            if first.lstrip().startswith(b"a"):
                break
            self._parse_lines(first)
            first = b""
        while block := first + self.file.read(BLOCK) + self.file.readline():
            first = b""
            arcs = self._parse(block if block.endswith(b"\n") else block + b"\n")
            if len(arcs):
                yield tuple(fit_int32(arcs[:, i] - (i < 2)) for i in range(3))  # type: ignore[misc]
        if self.n < 0:
            raise ValueError(f"{self.path}: there is no problem line 'p sp VERTICES ARCS'")
        if self.read != self.m:
            raise ValueError(f"{self.path}: the problem line announces {self.m:,} arcs, the file has {self.read:,}")

    def _parse(self, block: bytes) -> np.ndarray:
        """The arcs of complete lines, with vertices counted from 1: int64[k, 3]."""
        arcs = _plain_arcs(block)
        if arcs is None or self.read + len(arcs) > self.m or not self._are_vertices(arcs[:, :2]):
            return self._parse_lines(block)
        self.line += len(arcs)
        self.read += len(arcs)
        return arcs

    def _are_vertices(self, ends: np.ndarray) -> bool:
        return bool(ends.min() >= 1 and ends.max() <= self.n)

    def _parse_lines(self, block: bytes) -> np.ndarray:
        """The same, line by line: for comments, other spacing, and faults."""
        arcs = []
        for line in block.removesuffix(b"\n").split(b"\n"):
            self.line += 1
            kind, *fields = line.split() or [b"c"]
            if kind == b"p":
                self._problem(line, fields)
            elif kind == b"a":
                arcs.append(self._arc(line, fields))
            elif not kind.startswith(b"c"):
                self._fault(line, "starts with neither 'a' (an arc), 'p' nor 'c' (a comment)")
        return np.array(arcs, np.int64).reshape(-1, 3)

    def _problem(self, line: bytes, fields: list[bytes]) -> None:
        if self.n >= 0:
            self._fault(line, "is a second problem line")
        if len(fields) != 3 or fields[0] != b"sp" or not (fields[1].isdigit() and fields[2].isdigit()):
            self._fault(line, "is not of the form 'p sp VERTICES ARCS'")
        self.n, self.m = int(fields[1]), int(fields[2])
        if self.n > MOST_VERTICES:
            self._fault(line, f"has more vertices than 32-bit ids can number, {MOST_VERTICES:,}")

    def _arc(self, line: bytes, fields: list[bytes]) -> list[int]:
        if self.n < 0:
            self._fault(line, "comes before the problem line 'p sp VERTICES ARCS'")
        try:
            arc = [_integer(field) for field in fields]
        except ValueError:
            arc = []
        if len(arc) != 3:
            self._fault(line, "is not of the form 'a FROM TO WEIGHT', three whole numbers")
        for vertex in arc[:2]:
            if not 1 <= vertex <= self.n:
                self._fault(line, f"names vertex {vertex}; they are numbered from 1 to {self.n}")
        if not -LARGEST - 1 <= arc[2] <= LARGEST:
            self._fault(line, "has a weight that no int64 can hold")
        self.read += 1
        if self.read > self.m:
            self._fault(line, f"is one arc more than the {self.m:,} of the problem line")
        return arc

    def _fault(self, line: bytes, what: str) -> NoReturn:
        text = line.decode("ascii", "replace").strip()
        shown = text if len(text) <= 60 else text[:57] + "..."
        raise ValueError(f"{self.path}, line {self.line}: {shown!r} {what}")


def _plain_arcs(block: bytes) -> np.ndarray | None:
    """Lines of the form `a 1 2 17`, with single spaces, as int64[k, 3]; None if other lines are among them."""
    text = np.frombuffer(block, np.uint8)
    ends, gaps = np.flatnonzero(text == LINE), np.flatnonzero(text == SPACE)
    starts = np.concatenate([[0], ends[:-1] + 1])
    if len(gaps) != 3 * len(ends) or np.count_nonzero(text == ARC) != len(ends):
        return None
    first, second, third = gaps[0::3], gaps[1::3], gaps[2::3]
    if not ((text[starts] == ARC) & (first == starts + 1) & (second > first + 1) & (third > second + 1)).all():
        return None
    if not (ends > third + 1).all() or not _are_plain(text, np.flatnonzero(UNUSUAL[text])):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # older versions of numpy warn instead of raising
            numbers = np.fromstring(block.translate(WITHOUT_ARC), np.int64, sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    whole = len(numbers) == 3 * len(ends) and numbers.max() < LARGEST and numbers.min() >= -LARGEST
    return numbers.reshape(-1, 3) if whole else None


def _are_plain(text: np.ndarray, at: np.ndarray) -> bool:
    """Whether the bytes at these positions are minus signs of numbers, or carriage returns at the ends of lines."""
    sign, before, after = text[at], text[at - 1], text[at + 1]  # a block starts with `a` and ends with a newline
    minus = (sign == MINUS) & (before == SPACE) & (ZERO <= after) & (after <= NINE)
    return bool((minus | ((sign == RETURN) & (after == LINE))).all())


def _integer(field: bytes) -> int:
    if b"_" in field:  # int("1_000") is Python's notation; files do not use it
        raise ValueError
    return int(field)


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    """The arrays as one; their list is emptied, so that both do not stay in memory."""
    joined = np.concatenate(parts) if parts else np.empty(0, np.int32)
    parts.clear()
    return joined
