"""Graphs as lists of edges: three arrays, or the columns of a data frame.

Whole numbers are vertices, counted from 0, or ids of vertices: see `ids.py`. Anything else that can be a key of a dict
is a name: names are numbered in the order in which they first occur, in the sources and then in the targets. The result
keeps ids and names as its `nodes`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from numbers import Integral
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from emst.backend.records import Array
from emst.graph.ids import numbered_ids, vertex_count, whole
from emst.graph.input import native, native_weights
from emst.graph.lists import names_or_numbers
from emst.inputs.devices import on_device_of, to_host
from emst.inputs.ends import outside
from emst.inputs.masks import check_unmasked
from emst.inputs.summary import counted

ENDS = (("source", "target"), ("src", "dst"), ("u", "v"), ("from", "to"))  # names of columns
ALL_ONE = "weight=None counts every edge as 1"


class EdgeList(NamedTuple):
    """Edges between vertices 0 ... n - 1, in the caller's order."""

    source: Array  # integers
    target: Array  # integers
    weight: Array
    n: int
    nodes: list[Any] | np.ndarray | None = None  # what each vertex is called; None if it is called by its number
    directed: bool = True  # whether the two directions of an edge can differ

    def coordinates(self) -> Any:
        """The edges as a matrix in coordinate format, for `check_graph`."""
        return SimpleNamespace(format="coo", row=self.source, col=self.target, data=self.weight, shape=(self.n, self.n))


def edges_of_arrays(source: Any, target: Any, weight: Any, n_vertices: int | None) -> EdgeList:
    """Edges in three arrays. With ``weight=None`` all weights are 1."""
    if isinstance(target, str):
        raise TypeError(f"target must hold the ends of edges; got {target!r}. Options are given by name: algorithm=...")
    if isinstance(weight, str):
        raise TypeError(f"graph_msf(source, target, weight) needs the weights of the edges; {ALL_ONE}")
    for name, values in (("source", source), ("target", target), ("weight", weight)):
        check_unmasked(name, values)
    given = source, target
    source, target = (names_or_numbers(ends) if isinstance(ends, (list, tuple)) else column(ends) for ends in given)
    weight = np.ones_like(source, dtype=np.int32) if weight is None else native_weights(_of_pandas(weight))
    sizes = [array.shape for array in (source, target, weight)]
    if any(len(size) != 1 for size in sizes) or len(set(sizes)) > 1:
        raise ValueError(
            f"source, target and weight must have one length; their shapes are {', '.join(map(str, sizes))}"
        )
    if {source.dtype.kind, target.dtype.kind} & set("OSUT"):
        if n_vertices is not None:
            raise ValueError("n_vertices counts vertices that are numbers; these have names")
        names = (ends if isinstance(ends, (list, tuple)) else column(ends).tolist() for ends in given)
        source, target, nodes = numbered(*names)
        return EdgeList(source, target, weight, len(nodes), nodes)
    for name, ends in (("source", source), ("target", target)):
        if ends.dtype.kind == "f" and (missing := int(np.isnan(ends).sum())):  # integers of a data frame with gaps
            raise _without_vertex(name, missing, int(np.isnan(ends).argmax()))
        if ends.dtype.kind not in "iuf" and len(ends):
            raise TypeError(f"{name} must hold the numbers of vertices, or their names; it holds {ends.dtype}")
    if len(source) == 0:  # empty lists are arrays of floats
        source = target = np.zeros_like(source, dtype=np.int32)
    source, target = whole("source", source), whole("target", target)
    if n_vertices is not None:
        return EdgeList(source, target, weight, _checked_count(source, target, n_vertices))
    n = vertex_count(source, target)
    if n is not None:
        return EdgeList(source, target, weight, n)
    source, target, ids = numbered_ids(source, target)
    return EdgeList(source, target, weight, len(ids), to_host(ids))


def edges_of_frame(frame: Any, weight: Any, n_vertices: int | None) -> EdgeList | None:
    """Edges in the columns of a data frame; None if it has none that are called as the ends of edges are."""
    names = [name for name in column_names(frame) if isinstance(name, str)]
    try:
        ends = ends_of(names)
    except ValueError as error:
        raise ValueError(f"graph has columns {', '.join(names)}: {error}") from error
    if ends is None:
        if names and len(set(frame.shape)) == 2:
            kinds = " or ".join(", ".join(pair) for pair in ENDS)
            raise ValueError(f"graph has columns {', '.join(names)}; a data frame of edges has columns {kinds}")
        return None  # perhaps a square matrix
    if isinstance(weight, str):
        if weight not in names:
            raise ValueError(
                f"graph has no column {weight!r}, but {', '.join(names)}; weight= names the one of weights, {ALL_ONE}"
            )
        weight = frame[weight]
    source, target = (frame[names[i]] for i in ends)
    return edges_of_arrays(source, target, weight, n_vertices)


def column_names(frame: Any) -> list[Any]:
    """Names of the columns of a data frame of any library; an empty list for anything else."""
    names = getattr(frame, "column_names", None)  # pyarrow, whose `columns` are the columns themselves
    if names is None:
        names = getattr(frame, "columns", ())
    return list(names) if isinstance(names, Iterable) else []


def column(values: Any) -> Array:
    """A column or any array-like as a plain numpy or cupy array, without a copy where there can be one."""
    return native(_of_pandas(values))


def _of_pandas(values: Any) -> Any:
    """A column of pandas as a numpy array, anything else as it is."""
    if hasattr(values, "iloc") and not hasattr(values, "__cuda_array_interface__"):
        return values.to_numpy()  # numpy would read integers of pandas that can be missing as objects
    return values


def numbered(source: Sequence[Any], target: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, list[Any]]:
    """Ends of edges as numbers of their names, int32, and all names.

    Raises
    ------
    ValueError
        Names that are missing: None, NaN and the like.
    TypeError
        Names that cannot be the keys of a dict.
    """
    try:
        nodes = list(dict.fromkeys(itertools.chain(source, target)))
    except TypeError as error:
        raise TypeError(f"names of vertices must be hashable: {error}") from error
    if any(map(_is_missing, nodes)):
        for name, ends in (("source", source), ("target", target)):
            missing = [i for i, node in enumerate(ends) if _is_missing(node)]
            if missing:
                raise _without_vertex(name, len(missing), missing[0])
    places = places_of([*source, *target], nodes)
    return places[: len(source)], places[len(source) :], nodes


def _without_vertex(name: str, count: int, first: int) -> ValueError:
    return ValueError(
        f"{name} must hold a vertex in every row; {counted(count, 'row')} without one, first row {first:,}"
    )


def places_of(ends: Sequence[Any], nodes: Iterable[Any]) -> np.ndarray:
    """The position of every end among the nodes, int32."""
    places = {node: place for place, node in enumerate(nodes)}
    return np.fromiter(map(places.__getitem__, ends), np.int32, len(ends))


def _is_missing(node: Any) -> bool:
    return node is None or type(node).__name__ in ("NAType", "NaTType") or (isinstance(node, float) and node != node)


def _checked_count(source: Array, target: Array, n_vertices: int) -> int:
    """The given number of vertices.

    Raises
    ------
    ValueError
        Ends that are no such vertices: the message names the first and how many there are.
    """
    if not isinstance(n_vertices, Integral) or isinstance(n_vertices, bool) or n_vertices < 0:
        raise ValueError(f"n_vertices must be an integer of at least 0; got {n_vertices!r}")
    n = int(n_vertices)
    with on_device_of(source):
        for name, ends in (("source", source), ("target", target)):
            count, first = outside(ends, n)
            if count:
                raise ValueError(
                    f"{name} must hold vertices from 0 to {n - 1:,}; {counted(count, 'row')} with others, "
                    f"first {int(ends[first]):,} in row {first:,}; without n_vertices, ids are numbered"
                )
    return n


def ends_of(names: Sequence[str]) -> list[int] | None:
    """Positions of source and target in `names`, in upper or lower case, or None if no pair of ENDS is there.

    Raises ValueError, without saying of what, if several pairs are there.
    """
    words = plain(names)
    pairs = [[words.index(u), words.index(v)] for u, v in ENDS if words.count(u) == words.count(v) == 1]
    if len(pairs) > 1:
        raise ValueError(f"{' and '.join(names[u] + ', ' + names[v] for u, v in pairs)} could all be the ends")
    return pairs[0] if pairs else None


def plain(names: Sequence[str]) -> list[str]:
    """Names in lower case, without spaces around them."""
    return [name.strip().lower() for name in names]
