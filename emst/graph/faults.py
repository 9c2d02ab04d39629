"""Errors about the values of a graph: they name the first faulty entry, its value, and the number of such entries."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emst.backend.records import GraphStatistics
from emst.graph.input import CheckedGraph
from emst.inputs.devices import to_host
from emst.inputs.summary import counted


def check_ends(statistics: GraphStatistics, graph: CheckedGraph) -> None:
    """Raise ValueError if `indptr` does not begin with 0, end with the number of entries, and ascend."""
    hint = "; three arrays of edges are graph_msf(source, target, weight)" if graph.n + 1 == graph.m else ""
    if statistics.first_start != 0:
        raise ValueError(f"indptr must begin with 0; it begins with {statistics.first_start:,}{hint}")
    if statistics.last_end != graph.m:
        raise ValueError(
            f"indptr must end with the number of entries, {graph.m:,}; it ends with {statistics.last_end:,}{hint}"
        )
    if statistics.descents:
        row = statistics.first_descent
        begin, end = (int(graph.indptr[i]) for i in (row, row + 1))  # type: ignore[index]
        raise ValueError(
            f"indptr must not descend; it does so in {counted(statistics.descents, 'row')}, first in row {row}, "
            f"from {begin:,} to {end:,}{hint}"
        )


class Faults(NamedTuple):
    """Faulty entries: of every kind, their number and the position of the first one, -1 if there is none."""

    rows: tuple[int, int] = (0, -1)  # rows out of range, if every entry states its row
    columns: tuple[int, int] = (0, -1)  # columns out of range
    nans: tuple[int, int] = (0, -1)  # weights that are NaN

    @property
    def any(self) -> bool:
        """Whether there is a faulty entry."""
        return any(count for count, _ in self)

    def and_later(self, others: Faults) -> Faults:
        """These faults and the faults of later entries."""
        pairs = zip(self, others)
        return Faults(*((mine[0] + other[0], mine[1] if mine[0] else other[1]) for mine, other in pairs))


def faults_of(statistics: GraphStatistics, first: int = 0, rows: tuple[int, int] = (0, -1)) -> Faults:
    """The faults of a block of entries that begins at position `first`: those in its statistics, and its rows that are
    out of range."""
    columns, nans = (statistics.outside, statistics.first_outside), (statistics.nans, statistics.first_nan)
    return Faults(*((count, at + first) for count, at in (rows, columns, nans)))


def refuse(faults: Faults, graph: CheckedGraph) -> None:
    """Raise ValueError if there are faults: those of rows come first, then those of columns, then those of weights."""
    for (count, at), axis, ends in ((faults.rows, "row", graph.rows), (faults.columns, "column", graph.indices)):
        if count:
            raise ValueError(_outside(count, axis, int(ends[at]), graph, at))  # type: ignore[index]
    count, at = faults.nans
    if count:
        raise ValueError(
            f"weights must not be NaN; {counted(count, 'entry is', 'entries are')}, first {_place(graph, at)}"
        )


def asymmetric(graph: CheckedGraph, count: int, at: int, reverse: int) -> ValueError:
    """The error for pairs whose lightest entries in the two directions differ; the first pair has its entries at `at`
    and `reverse`."""
    at, reverse = sorted((at, reverse))
    return ValueError(
        f"weights must be the same in both directions; in {counted(count, 'pair')} they are not, first "
        f"{_place(graph, at)} weighs {_value(graph, at)} and its reverse {_value(graph, reverse)}. symmetric='min' "
        "takes the lighter one"
    )


def _outside(count: int, axis: str, value: int, graph: CheckedGraph, at: int) -> str:
    if graph.flipped:
        axis = "row"
    return (
        f"indices must lie between 0 and {graph.n - 1:,} in a graph of {graph.n:,} vertices; "
        f"{counted(count, 'entry lies', 'entries lie')} outside, first {axis} {value:,} {_place(graph, at)}"
    )


def _place(graph: CheckedGraph, at: int) -> str:
    row, column = _row(graph, at), int(graph.indices[at])
    if graph.flipped:
        row, column = column, row
    where = at if graph.positions is None else int(graph.positions[at])
    return f"at position {where:,} (row {row}, column {column})"


def _row(graph: CheckedGraph, at: int) -> int:
    if graph.rows is not None:
        return int(graph.rows[at])
    return int(np.searchsorted(to_host(graph.indptr), at, side="right")) - 1


def _value(graph: CheckedGraph, at: int) -> Any:
    return graph.stored(at, at + 1)[0].item()
