"""Graphs from tables (.csv, .tsv, .parquet) with one row per edge, and from the arrays of an .npz.

Which columns or arrays are source, target and weight is decided by their names, in upper or lower case: a pair of
ENDS, and one of WEIGHTS or else the only other column of numbers. If several could be the weight, that is an error. The
order of the columns decides only where no name contradicts it.
"""

from __future__ import annotations

import contextlib
import functools
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from emst.graph.edges import ENDS, ends_of, plain
from emst.graph.input import MOST_VERTICES
from emst.graph.lists import EXACT, numbers
from emst.io.columns import choose_columns
from emst.io.ends import Ends, are_whole, ends_of_ids, ends_of_names, hold_names, read_names, whole_numbers
from emst.io.file_graph import UNWEIGHTED, FileGraph, coo, fit_int32, opening
from emst.io.index import is_index
from emst.io.tables import (
    column_names,
    csv_layout,
    is_text,
    numeric_columns,
    read_columns,
    row_as_written,
    sample_of_columns,
    text_rows,
)

WEIGHTS = ("weight", "weights", "data")
MEASURES = ("cost", "length", "len", "distance", "dist", "w")  # properties of edges: never vertices, in any position
# Numbers of rows: neither vertices nor weights.
NUMBERS = ("", "id", "edge_id", "index", "key")
COUNTS = ("n_vertices", "n")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_MEASURED = re.compile(r"[+-]?[.,]?[0-9][0-9.,'_ ]*(e[+-]?[0-9]+)?\s*(?P<unit>[^\d\s#]*)", re.IGNORECASE)  # 1,200 km
NODES = "nodes"  # ids or names of the vertices, beside one of COUNTS


# ---- which names are ends and weights ------------------------------------------------------------------------------


def weight_of(
    names: Sequence[str], ends: Sequence[int], weighs: Callable[[int], bool], fault: Callable[[int, bool], str | None]
) -> list[int]:
    """A list of the position of the weight, or an empty one.

    `weighs(i)` says whether column or array i could hold weights. If none could, ``fault(i, measures)`` says in words
    why one that may be meant as the weight holds none, or returns None; `measures` if its name is one of MEASURES.
    Raises ValueError, without the name of the file, if several could be the weight, or for such a fault.
    """
    plain_names = plain(names)
    named = [i for i, name in enumerate(plain_names) if name in WEIGHTS]
    others = [i for i, name in enumerate(plain_names) if i not in ends and not (name in NUMBERS or is_index(name))]
    weights = named or [i for i in others if weighs(i)]
    if len(weights) > 1:
        raise ValueError(f"{', '.join(names[i] for i in weights)} could all be the weight")
    for i in others if not weights else ():
        if why := fault(i, plain_names[i] in MEASURES):
            raise ValueError(f"{names[i]} may be the weight, but {why}")
    return weights


def in_place(names: Sequence[str]) -> bool:
    """Whether these may be source, target and weight in this order: no name stands for another role."""
    expected = [(u for u, _ in ENDS), (v for _, v in ENDS), (*WEIGHTS, *MEASURES)]
    with_a_role = {*NUMBERS, *WEIGHTS, *MEASURES, *(name for pair in ENDS for name in pair)}
    pairs = zip(plain(names), map(set, expected))
    return all(name in here or not (name in with_a_role or is_index(name)) for name, here in pairs)


# ---- tables --------------------------------------------------------------------------------------------------------


def read_table(path: Path, columns: Sequence[str] | None) -> FileGraph:
    """Edges of a .csv, .tsv or .parquet with one row per edge."""
    names, count = column_names(path)
    if columns is None:
        columns = _usual_columns(path, names, count)
    elif len(columns) not in (2, 3) or len(set(columns)) < len(columns):
        raise ValueError(f"{path}: an edge has columns source, target and perhaps weight; got {', '.join(columns)}")
    places = choose_columns(path, columns, names, count)
    titles = [names[i] if names else str(i) for i in places]
    ends, weight = _rows(path, columns, places, titles)
    read = f"columns {', '.join(titles)}" + ("" if len(places) > 2 else f"; {UNWEIGHTED}")

    def place(i: int, u: int, v: int) -> str:
        u, v = (u, v) if ends.nodes is None else (ends.nodes[u], ends.nodes[v])
        return f"in {row_as_written(path, i)[0]} ({u} to {v})"

    return FileGraph(coo(ends.n, ends.source, ends.target, weight), read + ends.note, place, ends.nodes, ends.numbered)


def _rows(path: Path, columns: Sequence[str], places: list[int], titles: list[str]) -> tuple[Ends, np.ndarray]:
    """The ends and the weights of a table's edges."""
    if hold_names(path, places[:2]):
        return _rows_of_names(path, columns, places, titles)
    source, target, *rest = read_columns(path, columns)
    if is_text(path) and source.dtype.kind == "f" and max(abs(source).max(), abs(target).max()) >= 2**53:
        source, target = read_columns(path, columns[:2])  # as integers: floats beside a weight round them
        if source.dtype.kind == "f" and are_whole(source, target):  # 2**63 or more
            return _rows_of_names(path, columns, places, titles)
    source, target = (
        whole_numbers(path, f"column {title}", ends, functools.partial(_field, path, i))
        for i, title, ends in zip(places, titles, (source, target))
    )
    return ends_of_ids(source, target), _weights(path, places[2], rest[0]) if rest else np.ones(len(source), np.int32)


def _rows_of_names(path: Path, columns: Sequence[str], places: list[int], titles: list[str]) -> tuple[Ends, np.ndarray]:
    names = read_names(path, places[:2], titles)
    if len(columns) == 2:
        return ends_of_names(path, *names), np.ones(len(names[0]), np.int32)
    (weight,) = read_columns(path, columns[2:])
    if len(weight) != len(names[0]):
        raise ValueError(f"{path} has {len(names[0]):,} rows of names and {len(weight):,} of weights")
    return ends_of_names(path, *names), _weights(path, places[2], weight)


def _weights(path: Path, column: int, weight: np.ndarray) -> np.ndarray:
    """Weights as they are, but integers of a text as int32 where they fit. ValueError if float64 would round some
    integers, and no other type holds all weights."""
    if not is_text(path):
        return weight
    if weight.dtype == np.float64 and bool((abs(weight) >= EXACT).any()):
        skip, _, _, delimiter = csv_layout(path)
        fields = (row.fields[column].split("#")[0].strip() for row in text_rows(path, skip, delimiter))
        pairs = zip(fields, weight.tolist(), strict=True)
        values = [int(field) if _INTEGER.fullmatch(field) else one for field, one in pairs]
        weight, wrong = numbers(values)
        if wrong is not None:
            raise ValueError(
                f"{path}, {row_as_written(path, wrong)[0]}: no type of 64 bits holds the weight {values[wrong]} and "
                "the others exactly; write it with a decimal point if rounding does no harm"
            )
    return fit_int32(weight) if weight.dtype == np.int64 else weight


def _usual_columns(path: Path, names: list[str], count: int) -> list[str]:
    """Numbers of the columns of source, target and perhaps weight; ValueError if neither names nor order tell."""
    there = ", ".join(names) or f"columns 0 to {count - 1}, without names"
    asked = "--columns tells which are source, target and weight"
    numeric = functools.cache(lambda: numeric_columns(path))  # one look at the first rows
    try:
        places = ends_of(names)
        if places is not None:
            places += weight_of(names, places, lambda i: numeric()[i], functools.partial(_fault, path))
    except ValueError as error:
        raise ValueError(f"{path}: {error}; {asked}") from error
    if places is None:
        if count not in (2, 3) or not in_place(names):
            raise ValueError(f"{path} has {there}; {asked}")
        places = list(range(count))
    return [str(i) for i in places]


def _fault(path: Path, column: int, measures: bool) -> str | None:
    """Why a column that holds no numbers may be meant as the weight: see `weight_of`. The fields of a text are perhaps
    numbers in another notation, or have a unit."""
    if not is_text(path):
        return "it holds no numbers" if measures else None
    fields = [field.strip() for field in sample_of_columns(path)[column] if field.strip()]
    units = {found["unit"] if (found := _MEASURED.fullmatch(field)) else None for field in fields}
    alike = len(units) == 1 and None not in units
    return f"{fields[0]!r} is no number" if fields and (alike or measures) else None


def _field(path: Path, column: int, row: int, value: Any) -> tuple[str, str]:
    """Where in the file a row stands, and what is written in one of its columns."""
    place, fields = row_as_written(path, row)
    return place, fields[column].strip() if fields else str(value)


# ---- arrays of an .npz ---------------------------------------------------------------------------------------------


def read_arrays(path: Path) -> FileGraph:
    """A graph in an .npz: what `scipy.sparse.save_npz` writes, the arrays of a CSR matrix, or lists of edges."""
    arrays = _load_arrays(path)
    if "format" in arrays:
        return FileGraph(_saved_by_scipy(path))
    names = list(arrays)
    rows = {"indptr", "indices"} <= arrays.keys()

    def weighs(i: int) -> bool:
        return names[i] != NODES and _weighs(arrays[names[i]], m)

    def fault(i: int, measures: bool) -> str | None:
        array = arrays[names[i]]
        column = array.dtype.kind in "iuf" and array.shape in ((*m, 1), (1, *m))
        return f"it has the shape {array.shape} and holds {array.dtype}" if column or measures else None

    try:
        places = [names.index("indptr"), names.index("indices")] if rows else ends_of(names)
        if places is None:
            raise ValueError("a graph needs `indptr` and `indices`, or `source` and `target`")
        m = arrays[names[places[1]]].shape
        used = [names[i] for i in places + weight_of(names, places, weighs, fault)]
    except ValueError as error:
        raise ValueError(f"{path} holds arrays {', '.join(names) or '(none)'}: {error}") from error
    weight = arrays[used[2]] if len(used) > 2 else np.ones(m, np.int32)
    read = f"arrays {', '.join(used)}" + ("" if len(used) > 2 else f"; {UNWEIGHTED}")
    if rows:
        return FileGraph(_from_rows(path, arrays, used, weight), read)
    ends = _ends(path, arrays, used, weight)
    return FileGraph(coo(ends.n, ends.source, ends.target, weight), read + ends.note, None, ends.nodes, ends.numbered)


def _weighs(array: np.ndarray, shape: tuple[int, ...]) -> bool:
    return array.shape == shape and array.ndim == 1 and array.dtype.kind in "iuf"


def _load_arrays(path: Path) -> dict[str, np.ndarray]:
    """Arrays by their names in lower case. If weights are named, arrays of unknown names are left out."""
    with opening(path, ".npz"):
        with open(path, "rb") as file:
            if not zipfile.is_zipfile(file):  # numpy's error would be about pickled objects
                raise ValueError("it is no zip archive")
        with np.load(path, allow_pickle=False) as loaded:
            names = {name.lower(): name for name in loaded.files}
            if len(names) < len(loaded.files):
                raise ValueError("names of its arrays differ only in case")
            if "format" in names:
                return {"format": loaded[names["format"]]}
            expected = {"indptr", "indices", NODES, *COUNTS, *WEIGHTS, *(name for pair in ENDS for name in pair)}
            if names.keys() & set(WEIGHTS):
                names = {name: names[name] for name in names if name in expected}
            arrays = {}
            for name, stored in names.items():
                # An unknown array may hold Python objects, which are not loaded.
                must = (expected | set(MEASURES)) - {NODES}
                with contextlib.nullcontext() if name in must else contextlib.suppress(ValueError):
                    arrays[name] = loaded[stored]
            return arrays


def _saved_by_scipy(path: Path) -> Any:
    from scipy import sparse

    with opening(path, ".npz"):
        matrix = sparse.load_npz(path)
    kinds = {"csr": sparse.csr_array, "csc": sparse.csc_array, "coo": sparse.coo_array}
    if matrix.format not in kinds:
        raise ValueError(f"{path} holds a {matrix.format} matrix; graphs are read from csr, csc and coo")
    return kinds[matrix.format](matrix)


def _from_rows(path: Path, arrays: dict[str, np.ndarray], used: Sequence[str], weight: np.ndarray) -> Any:
    from scipy import sparse

    indptr, indices = (arrays[name] for name in used[:2])
    with opening(path, ".npz"):
        return sparse.csr_array((weight, indices, indptr), shape=(len(indptr) - 1,) * 2)


def _ends(path: Path, arrays: dict[str, np.ndarray], used: Sequence[str], weight: np.ndarray) -> Ends:
    """Ends of edges: numbers of vertices if the file says how many there are, and otherwise ids or names."""
    names, (source, target) = used[:2], (arrays[name] for name in used[:2])
    count = next((arrays[name] for name in COUNTS if name in arrays), None)
    if not (source.ndim == 1 and source.shape == target.shape == weight.shape):
        shapes = f"{source.shape}, {target.shape} and {weight.shape}"
        raise ValueError(f"{path}: {', '.join(names)} and weight must be as long as each other, not of shapes {shapes}")
    if count is not None and (count.shape or count.dtype.kind not in "iu" or not 0 <= count <= MOST_VERTICES):
        raise ValueError(f"{path}: the number of vertices must be one from 0 to {MOST_VERTICES:,}, not {count}")
    if count is None and source.dtype.kind == target.dtype.kind == "U":
        return ends_of_names(path, source.tolist(), target.tolist())
    n = None if count is None else int(count)
    source, target = (
        whole_numbers(path, name, ends, lambda i, value: (f"entry {i}", str(value)), n)
        for name, ends in zip(names, (source, target))
    )
    if n is None:
        return ends_of_ids(source, target)
    nodes = arrays.get(NODES)
    named = nodes is not None and nodes.shape == (n,) and nodes.dtype.kind in "iuU"
    return Ends(source.astype(np.int32, copy=False), target.astype(np.int32, copy=False), n, nodes if named else None)
