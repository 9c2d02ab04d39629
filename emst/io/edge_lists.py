"""Graphs from tables (.csv, .parquet) with one row per edge, and from the arrays of an .npz.

Which columns or arrays are source, target and weight is decided by their names, in upper or lower case: a pair of
ENDS, and one of WEIGHTS or else the only other column of numbers. If several could be the weight, that is an error. The
order of the columns decides only where no name contradicts it.
"""

from __future__ import annotations

import contextlib
import functools
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from emst.graph.edges import ENDS, NUMBER_THEM, ends_of, plain
from emst.graph.input import MOST_VERTICES
from emst.inputs.ends import outside
from emst.io.columns import choose_columns
from emst.io.file_graph import UNWEIGHTED, FileGraph, coo, fit_int32, opening
from emst.io.tables import column_names, numeric_columns, read_columns, row_as_written

WEIGHTS = ("weight", "weights", "data")
MEASURES = ("cost", "length", "len", "distance", "dist", "w")  # properties of edges: never vertices, in any position
# Numbers of rows (the last name is that of pandas): neither vertices nor weights.
NUMBERS = ("", "id", "edge_id", "index", "key", "__index_level_0__")
COUNTS = ("n_vertices", "n")


# ---- which names are ends and weights ------------------------------------------------------------------------------


def weight_of(names: Sequence[str], ends: Sequence[int], weighs: Callable[[int], bool]) -> list[int]:
    """A list of the position of the weight, or an empty one.

    `weighs(i)` says whether column or array i could hold weights. Raises ValueError, without the name of the file, if
    several could be the weight.
    """
    plain_names = plain(names)
    named = [i for i, name in enumerate(plain_names) if name in WEIGHTS]
    others = (i for i, name in enumerate(plain_names) if i not in ends and name not in NUMBERS and weighs(i))
    weights = named or list(others)
    if len(weights) > 1:
        raise ValueError(f"{', '.join(names[i] for i in weights)} could all be the weight")
    return weights


def in_place(names: Sequence[str]) -> bool:
    """Whether these may be source, target and weight in this order: no name stands for another role."""
    expected = [(u for u, _ in ENDS), (v for _, v in ENDS), (*WEIGHTS, *MEASURES)]
    with_a_role = {*NUMBERS, *WEIGHTS, *MEASURES, *(name for pair in ENDS for name in pair)}
    return all(name in here or name not in with_a_role for name, here in zip(plain(names), map(set, expected)))


# ---- tables --------------------------------------------------------------------------------------------------------


def read_table(path: Path, columns: Sequence[str] | None) -> FileGraph:
    """Edges of a .csv or .parquet with one row per edge."""
    names, count = column_names(path)
    if columns is None:
        columns = _usual_columns(path, names, count)
    elif len(columns) not in (2, 3) or len(set(columns)) < len(columns):
        raise ValueError(f"{path}: an edge has columns source, target and perhaps weight; got {', '.join(columns)}")
    places = choose_columns(path, columns, names, count)
    titles = [names[i] if names else str(i) for i in places]
    numeric = numeric_columns(path)
    for i, title in zip(places[:2], titles):
        if not numeric[i]:
            raise ValueError(f"{path}: column {title} holds no numbers; {NUMBER_THEM}")
    source, target, *rest = read_columns(path, columns)
    weight = rest[0] if rest else np.ones(len(source), np.int32)
    if path.suffix.lower() == ".csv" and weight.dtype == np.int64:
        weight = fit_int32(weight)
    source, target = (
        _vertices(path, f"column {title}", ends, functools.partial(_field, path, i))
        for i, title, ends in zip(places, titles, (source, target))
    )
    read = f"columns {', '.join(titles)}" + ("" if rest else f"; {UNWEIGHTED}")
    graph = coo(_count(source, target), source, target, weight)
    return FileGraph(graph, read, lambda i, u, v: f"in {row_as_written(path, i)[0]} ({u} to {v})", counted=True)


def _usual_columns(path: Path, names: list[str], count: int) -> list[str]:
    """Numbers of the columns of source, target and perhaps weight; ValueError if neither names nor order tell."""
    there = ", ".join(names) or f"columns 0 to {count - 1}, without names"
    asked = "--columns tells which are source, target and weight"
    try:
        places = ends_of(names)
        if places is not None:
            places += weight_of(names, places, lambda i: numeric_columns(path)[i])
    except ValueError as error:
        raise ValueError(f"{path}: {error}; {asked}") from error
    if places is None:
        if count not in (2, 3) or not in_place(names):
            raise ValueError(f"{path} has {there}; {asked}")
        places = list(range(count))
    return [str(i) for i in places]


def _field(path: Path, column: int, row: int, value: Any) -> tuple[str, str]:
    """Where in the file a row stands, and what is written in one of its columns."""
    place, fields = row_as_written(path, row)
    return place, fields[column].strip() if fields else str(value)


def _count(source: np.ndarray, target: np.ndarray) -> int:
    """Number of vertices if the greatest id is the last one."""
    return int(max(source.max(initial=-1), target.max(initial=-1))) + 1


def _vertices(
    path: Path, what: str, values: np.ndarray, written: Callable[[int, Any], tuple[str, str]], n: int = MOST_VERTICES
) -> np.ndarray:
    """Ends of edges as int32; ValueError unless they are whole numbers from 0 to n - 1.

    `written(i, value)` returns where entry i stands in the file and how it is written there.
    """
    if values.dtype.kind not in "iuf":
        raise ValueError(f"{path}: {what} must hold whole numbers; it holds {values.dtype}")
    whole = values if values.dtype.kind != "f" else np.where(values == np.floor(values), values, -1)
    count, i = outside(whole, n)
    if count:
        place, value = written(i, values[i].item())
        what += f": {value} is no vertex; they are whole numbers from 0 to {n - 1:,}"
        what += f" ({count:,} such rows)" if count > 1 else ""
        raise ValueError(f"{path}, {place}, {what}" + (f"; {NUMBER_THEM}" if values[i] >= MOST_VERTICES else ""))
    return values.astype(np.int32, copy=False)


# ---- arrays of an .npz ---------------------------------------------------------------------------------------------


def read_arrays(path: Path) -> FileGraph:
    """A graph in an .npz: what `scipy.sparse.save_npz` writes, the arrays of a CSR matrix, or lists of edges."""
    arrays = _load_arrays(path)
    if "format" in arrays:
        return FileGraph(_saved_by_scipy(path))
    names = list(arrays)
    rows = {"indptr", "indices"} <= arrays.keys()
    try:
        ends = [names.index("indptr"), names.index("indices")] if rows else ends_of(names)
        if ends is None:
            raise ValueError("a graph needs `indptr` and `indices`, or `source` and `target`")
        m = arrays[names[ends[1]]].shape
        used = [names[i] for i in ends + weight_of(names, ends, lambda i: _weighs(arrays[names[i]], m))]
    except ValueError as error:
        raise ValueError(f"{path} holds arrays {', '.join(names) or '(none)'}: {error}") from error
    weight = arrays[used[2]] if len(used) > 2 else np.ones(m, np.int32)
    graph, counted = (_from_rows if rows else _from_ends)(path, arrays, used, weight)
    return FileGraph(graph, f"arrays {', '.join(used)}" + ("" if len(used) > 2 else f"; {UNWEIGHTED}"), counted=counted)


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
            expected = {"indptr", "indices", *COUNTS, *WEIGHTS, *(name for pair in ENDS for name in pair)}
            if names.keys() & set(WEIGHTS):
                names = {name: names[name] for name in names if name in expected}
            arrays = {}
            for name, stored in names.items():
                # An unknown array may hold Python objects, which are not loaded.
                with contextlib.nullcontext() if name in expected else contextlib.suppress(ValueError):
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


def _from_rows(path: Path, arrays: dict[str, np.ndarray], used: Sequence[str], weight: np.ndarray) -> tuple[Any, bool]:
    from scipy import sparse

    indptr, indices = (arrays[name] for name in used[:2])
    with opening(path, ".npz"):
        return sparse.csr_array((weight, indices, indptr), shape=(len(indptr) - 1,) * 2), False


def _from_ends(path: Path, arrays: dict[str, np.ndarray], used: Sequence[str], weight: np.ndarray) -> tuple[Any, bool]:
    """Edges as a sparse array, and whether the number of vertices is taken from the greatest id."""
    names, (source, target) = used[:2], (arrays[name] for name in used[:2])
    count = next((arrays[name] for name in COUNTS if name in arrays), None)
    if not (source.ndim == 1 and source.shape == target.shape == weight.shape):
        shapes = f"{source.shape}, {target.shape} and {weight.shape}"
        raise ValueError(f"{path}: {', '.join(names)} and weight must be as long as each other, not of shapes {shapes}")
    if count is not None and (count.shape or count.dtype.kind not in "iu" or not 0 <= count <= MOST_VERTICES):
        raise ValueError(f"{path}: the number of vertices must be one from 0 to {MOST_VERTICES:,}, not {count}")
    most = MOST_VERTICES if count is None else int(count)
    source, target = (
        _vertices(path, name, ends, lambda i, value: (f"entry {i}", str(value)), most)
        for name, ends in zip(names, (source, target))
    )
    return coo(_count(source, target) if count is None else most, source, target, weight), count is None
