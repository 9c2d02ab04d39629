"""Ends of edges in files: numbers of vertices, ids or names. Which they are, `emst/graph/ids.py` says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from emst.graph.edges import numbered
from emst.graph.ids import exact_below, numbered_ids, vertex_count
from emst.inputs.ends import outside
from emst.inputs.summary import counted
from emst.io.parquet import read_parquet_table
from emst.io.tables import column_names, csv_layout, is_number, is_text, numeric_columns, sample_of_columns, text_rows


class Ends(NamedTuple):
    """Ends of edges between vertices 0 ... n - 1, and what each vertex is called if not by its number."""

    source: np.ndarray
    target: np.ndarray
    n: int
    nodes: list[Any] | np.ndarray | None = None
    numbered: bool = False  # whether ids or names were numbered

    @property
    def note(self) -> str:
        """What the summary of a run says of ids and names."""
        if not self.numbered:
            return ""
        return "; ids are numbered" if isinstance(self.nodes, np.ndarray) else "; names are numbered"


def ends_of_ids(source: np.ndarray, target: np.ndarray) -> Ends:
    """Integers that are the numbers of vertices, or else are numbered."""
    n = vertex_count(source, target)
    if n is not None:
        return Ends(source.astype(np.int32, copy=False), target.astype(np.int32, copy=False), n)
    source, target, ids = numbered_ids(source, target)
    return Ends(source, target, len(ids), ids, numbered=True)


def ends_of_names(path: Path, source: Sequence[Any], target: Sequence[Any]) -> Ends:
    """Names, numbered in the order in which they first occur."""
    try:
        rows, columns, nodes = numbered(source, target)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return Ends(rows, columns, len(nodes), nodes, numbered=True)


def whole_numbers(
    path: Path, what: str, values: np.ndarray, written: Callable[[int, Any], tuple[str, str]], n: int | None = None
) -> np.ndarray:
    """Ends as integers; ValueError unless they are whole numbers, from 0 to n - 1 if `n` is given.

    `written(i, value)` returns where entry i stands in the file and how it is written there.
    """
    if values.dtype.kind not in "iuf":
        raise ValueError(f"{path}: {what} must hold whole numbers; it holds {values.dtype}")

    def refuse(count: int, i: int, allowed: str) -> None:
        if count:
            place, value = written(i, values[i].item())
            more = f" ({count:,} such rows)" if count > 1 else ""
            raise ValueError(f"{path}, {place}, {what}: {value} is no vertex; they are {allowed}{more}")

    if values.dtype.kind == "f":
        limit = exact_below(values.dtype)
        bad = ~((np.floor(values) == values) & (abs(values) < limit))
        refuse(int(bad.sum()), int(bad.argmax()) if len(bad) else 0, f"whole numbers, as floats below {limit:,}")
        values = values.astype(np.int64)
    if n is not None:
        refuse(*outside(values, n), f"whole numbers from 0 to {n - 1:,}")
    return values


def are_whole(*ends: np.ndarray) -> bool:
    """Whether all floats are whole numbers."""
    return all(bool((np.isfinite(side) & (np.floor(side) == side)).all()) for side in ends)


def hold_names(path: Path, places: Sequence[int]) -> bool:
    """Whether columns hold names of vertices: in a text, if most fields of one of them in the first rows are no
    numbers. A few such fields among numbers are faults."""
    if is_text(path):
        sample = sample_of_columns(path)
        filled = [[field for field in sample[i] if field.strip()] for i in places]
        return any(2 * sum(not is_number(field) for field in fields) > len(fields) for fields in filled)
    numeric = numeric_columns(path)
    return not all(numeric[i] for i in places)


def read_names(path: Path, places: Sequence[int], titles: Sequence[str]) -> list[list[str]]:
    """Columns of names of a text or a .parquet."""
    if not is_text(path):
        return [_texts(path, i, title) for i, title in zip(places, titles)]
    skip, _, count, delimiter = csv_layout(path)
    columns: list[list[str]] = [[] for _ in places]
    for row in text_rows(path, skip, delimiter):
        if len(row.fields) < count:
            found = counted(len(row.fields), "field")
            raise ValueError(f"{path}, line {row.line}: {found} where {count} are needed")
        for column, i, title in zip(columns, places, titles):
            name = row.fields[i].strip()
            if not name:
                raise ValueError(f"{path}, line {row.line}, column {title}: there is no vertex")
            column.append(name)
    return columns


def _texts(path: Path, place: int, title: str) -> list[str]:
    """A column of texts of a .parquet."""
    from pyarrow import types

    column = read_parquet_table(path, [column_names(path)[0][place]]).column(0)
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if not types.is_string(kind) and not types.is_large_string(kind):
        raise ValueError(f"{path}: column {title} holds {kind}; both ends of an edge are numbers, or both are texts")
    return column.to_pylist()
