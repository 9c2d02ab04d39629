"""Readers of graphs in the formats in which they are published: SNAP's edge lists, and roads in shapefiles.

The DIMACS challenge's .gr.gz is read by `emst.io.graphs.read_graph`, as for every user.
"""

from __future__ import annotations

import gzip
import itertools
import re
import struct
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from datasets.faults import reading

EARTH = 6371.0088  # mean radius in km, as for metric="haversine"
DECLARED = re.compile(r"Nodes:\s*(\d+)\s+Edges:\s*(\d+)")
POLYLINES = (3, 13, 23)  # shapefile's kinds of lines: plain, with heights, with measures


class EdgeList(NamedTuple):
    """Edges in the order of the file, with their vertices counted from 0."""

    n: int
    source: np.ndarray
    target: np.ndarray


def snap(path: Path) -> EdgeList:
    """A graph of SNAP: a .txt.gz with comments (#) and then two vertices in every line.

    Vertices keep their numbers if these are below the number of vertices that a comment declares. Otherwise, and
    without such a comment, the vertices that occur are counted from 0 in ascending order.
    """
    with reading(path, "an edge list of SNAP"), gzip.open(path, "rt", encoding="utf-8") as file:
        line, declared = next(file, ""), None
        while line.startswith("#"):
            declared = DECLARED.search(line) or declared
            line = next(file, "")
        pairs = np.zeros((0, 2), np.int64)
        if line:
            pairs = np.loadtxt(itertools.chain([line], file), np.int64, comments=None, ndmin=2)
        if pairs.shape[1] != 2:
            raise ValueError(f"its lines hold {pairs.shape[1]} numbers and not two")
        if declared and len(pairs) != int(declared[2]):
            raise ValueError(f"it has {len(pairs):,} edges and not {int(declared[2]):,} as its comment says")
        if len(pairs) and pairs.min() < 0:
            raise ValueError("it has negative numbers")
        n = int(declared[1]) if declared else 0
        if len(pairs) and pairs.max() >= n:
            found, numbers = np.unique(pairs, return_inverse=True)
            n, pairs = len(found), numbers.reshape(-1, 2)
        return EdgeList(n, pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32))


class Network(NamedTuple):
    """A road network.

    Attributes
    ----------
    places : float64[n, 2]
        Latitude and longitude of every vertex in degrees.
    graph : csr_array of shape (n, n)
        Lengths of roads in km, symmetric.
    """

    places: np.ndarray
    graph: sparse.csr_array


def road_network(path: Path) -> Network:
    """Roads in a shapefile of lines (.shp, or a .zip that holds one), as a graph.

    Vertices are the ends of lines, and the points at which lines meet: those that occur more than once, with exactly
    equal coordinates. An edge is a piece of road between two vertices; its weight is the length along its points, on a
    sphere. Of several roads between the same two vertices the shortest is kept, and roads back to their start are not.
    """
    with reading(path, "a shapefile of lines"):
        points, begins = _lines(_shp(path))
    ends = np.append(begins[1:], len(points)) - 1
    unique, where = np.unique(points, axis=0, return_inverse=True)
    where = where.ravel()
    kept = np.bincount(where)[where] > 1
    kept[begins] = kept[ends] = True
    at = np.flatnonzero(kept)
    line = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(points))))
    same = line[at[1:]] == line[at[:-1]]
    first, last = at[:-1][same], at[1:][same]
    along = np.concatenate([[0.0], _kilometres(points[:-1], points[1:])])
    along[begins] = 0.0
    summed = np.cumsum(along)
    numbers = np.unique(where[at])
    number_of = np.empty(len(unique), np.int64)
    number_of[numbers] = np.arange(len(numbers))
    u, v = number_of[where[first]], number_of[where[last]]
    return Network(unique[numbers][:, ::-1].copy(), _shortest(len(numbers), u, v, summed[last] - summed[first]))


def _shp(path: Path) -> bytes:
    if not zipfile.is_zipfile(path):
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        inside = [name for name in archive.namelist() if name.lower().endswith(".shp")]
        if len(inside) != 1:
            raise ValueError(f"it holds {len(inside)} files that end in .shp, and not one")
        return archive.read(inside[0])


def _lines(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """All points (longitude, latitude) of all lines, and where each line begins."""
    if len(data) < 100 or struct.unpack_from(">i", data)[0] != 9994:
        raise ValueError("it does not begin like one")
    if 2 * struct.unpack_from(">i", data, 24)[0] != len(data):
        raise ValueError("it is not complete")
    points, begins, total, at = [], [], 0, 100
    while at < len(data):
        words, kind = struct.unpack_from(">4xi", data, at)[0], struct.unpack_from("<i", data, at + 8)[0]
        if kind in POLYLINES:
            parts, count = struct.unpack_from("<2i", data, at + 44)
            begins.append(np.frombuffer(data, "<i4", parts, at + 52) + total)
            points.append(np.frombuffer(data, "<f8", 2 * count, at + 52 + 4 * parts).reshape(-1, 2))
            total += count
        elif kind != 0:  # a record without a shape
            raise ValueError(f"it holds shapes of kind {kind}")
        at += 8 + 2 * words
    if not total:
        raise ValueError("it holds no lines")
    return np.concatenate(points), np.concatenate(begins)


def _kilometres(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Great-circle distances between rows of (longitude, latitude) in degrees."""
    a, b = np.radians(a), np.radians(b)
    half = (b - a) / 2
    chord = np.sin(half[:, 1]) ** 2 + np.cos(a[:, 1]) * np.cos(b[:, 1]) * np.sin(half[:, 0]) ** 2
    return 2 * EARTH * np.arcsin(np.sqrt(np.minimum(chord, 1.0)))


def _shortest(n: int, u: np.ndarray, v: np.ndarray, length: np.ndarray) -> sparse.csr_array:
    """Symmetric, without loops; of parallel edges the shortest."""
    proper = u != v
    low, high, length = np.minimum(u, v)[proper], np.maximum(u, v)[proper], length[proper]
    order = np.lexsort((length, high, low))
    low, high, length = low[order], high[order], length[order]
    new = np.ones(len(low), bool)
    new[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    low, high, length = low[new], high[new], length[new]
    both = (np.concatenate([low, high]), np.concatenate([high, low]))
    return sparse.coo_array((np.concatenate([length, length]), both), shape=(n, n)).tocsr()
