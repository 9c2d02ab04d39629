"""What is wrong with a graph, said in the caller's words: the first entry, its value, and how many there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from emst.devices import to_host
from emst.graph.adjacency import GraphSurvey
from emst.graph.door import Door


def check_ends(survey: GraphSurvey, door: Door) -> None:
    """Raise ValueError where `indptr` does not lead from the first entry to the last in order."""
    if survey.first_start != 0:
        raise ValueError(f"indptr must begin with 0; it begins with {survey.first_start:,}")
    if survey.last_end != door.m:
        raise ValueError(f"indptr must end with the number of entries, {door.m:,}; it ends with {survey.last_end:,}")
    if survey.descents:
        row = survey.first_descent
        begin, end = (int(door.indptr[i]) for i in (row, row + 1))  # type: ignore[index]
        raise ValueError(
            f"indptr must not descend; it does so in {_many(survey.descents, 'row', 'rows')}, first in row {row}, from "
            f"{begin:,} to {end:,}"
        )


def check_entries(survey: GraphSurvey, door: Door, first: int = 0) -> None:
    """Raise ValueError for columns and weights that a look at entries found; `first` is the position of the first."""
    if survey.outside:
        at = survey.first_outside + first
        raise ValueError(_outside(survey.outside, "column", int(door.indices[at]), door, at))
    if survey.nans:
        at = survey.first_nan + first
        raise ValueError(
            f"weights must not be NaN; {_many(survey.nans, 'entry is', 'entries are')}, first {_place(door, at)}"
        )


def check_rows(rows: Any, door: Door, first: int = 0) -> None:
    """Raise ValueError for rows, given for each entry, that are no vertices."""
    outside = (rows < 0) | (rows >= door.n)
    count = int(outside.sum())
    if count:
        at = int(outside.argmax()) + first
        raise ValueError(_outside(count, "row", int(door.rows[at]), door, at))  # type: ignore[index]


def asymmetric(door: Door, count: int, at: int, reverse: int) -> ValueError:
    """The error about pairs whose lightest entries in the two directions differ, first those two."""
    at, reverse = sorted((at, reverse))
    return ValueError(
        f"weights must be the same in both directions; in {_many(count, 'pair', 'pairs')} they are not, first "
        f"{_place(door, at)} weighs {_value(door, at)} and its reverse {_value(door, reverse)}. symmetric='min' takes "
        "the lighter one"
    )


def _outside(count: int, axis: str, value: int, door: Door, at: int) -> str:
    if door.flipped:
        axis = "row"
    return (
        f"indices must lie between 0 and {door.n - 1:,} in a graph of {door.n:,} vertices; "
        f"{_many(count, 'entry lies', 'entries lie')} outside, first {axis} {value:,} {_place(door, at)}"
    )


def _place(door: Door, at: int) -> str:
    row, column = _row(door, at), int(door.indices[at])
    if door.flipped:
        row, column = column, row
    where = at if door.positions is None else int(door.positions[at])
    return f"at position {where:,} (row {row}, column {column})"


def _row(door: Door, at: int) -> int:
    if door.rows is not None:
        return int(door.rows[at])
    return int(np.searchsorted(to_host(door.indptr), at, side="right")) - 1


def _value(door: Door, at: int) -> Any:
    return door.stored(at, at + 1)[0].item()


def _many(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"
