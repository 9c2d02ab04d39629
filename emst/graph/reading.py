"""Graphs from files, and forests to files that are either whole or absent.

What is read is the graph as the file has it: entry i is the file's i-th arc, entry or row, whichever way round, however
often and of whatever weight, so `edge_id` of a forest tells where in the file an edge stands. An edge that the file
holds once is not doubled. Every reader raises `ValueError` with one sentence that names the file and, where there is
one, the line at fault.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import itertools
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from emst.devices import to_host
from emst.files import replacing
from emst.graph.dimacs import narrowed, read_arcs
from emst.graph.door import MOST_VERTICES
from emst.tables import column_names, first_line, place_of_row, read_columns

if TYPE_CHECKING:
    from emst.graph.forest import MinimumSpanningForest

SUFFIXES = (".gr", ".gr.gz", ".mtx", ".mtx.gz", ".csv", ".parquet", ".npz")
ENDS = (("source", "target"), ("src", "dst"))  # names of columns and arrays that need not be asked for
WEIGHTS = ("weight", "weights", "data")
COUNTS = ("n_vertices", "n")


def read_graph(
    path: str | Path, columns: Sequence[str] | None = None, *, report: Callable[[int], object] | None = None
) -> Any:
    """Graph in a file, told by its suffix.

    Parameters
    ----------
    path : str or Path
        .gr or .gr.gz: the 9th DIMACS challenge's format. .mtx or .mtx.gz: MatrixMarket coordinates, of which a
        symmetric file holds every edge once. .csv or .parquet: a row for each edge, its ends numbered from 0; there
        are as many vertices as the greatest number needs. .npz: what `scipy.sparse.save_npz` writes, or arrays called
        `indptr` and `indices`, or `source` and `target` (or `src` and `dst`; `n` or `n_vertices` tells of vertices
        without edges), and `weight`, `weights` or `data`. The files of `write_forest` are such graphs.
    columns : sequence of str, optional
        Of a .csv or .parquet: names or 0-based numbers of source, target and, if there is one, weight. By default
        those of these names, or `src` and `dst`; in a table of two or three columns, these.
    report : callable, optional
        Called now and then with the number of bytes of the file read so far.

    Returns
    -------
    scipy.sparse.coo_array of shape (n, n)
        Or, from an .npz, what it holds: csr_array, csc_array or coo_array. Repeated entries and zeros are all there.
        Integers that a text holds become int32 where all fit and int64 otherwise. Where a file has no weights they
        are 1.

    Raises
    ------
    ValueError
        The suffix is unknown, or the file is not what the suffix says.
    """
    path = Path(path)
    suffix = _suffix(path)
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: unknown suffix {suffix!r}; graphs are read from {', '.join(SUFFIXES)}")
    if columns is not None and suffix not in (".csv", ".parquet"):
        raise ValueError(f"{path}: only a .csv or .parquet has columns to choose")
    if suffix.startswith(".gr"):
        n, source, target, weight = read_arcs(path, report)
        return _coo(n, source, target, weight)
    if suffix == ".npz":
        graph = _read_npz(path)
    else:
        graph = _read_matrix_market(path) if suffix.startswith(".mtx") else _read_table(path, columns)
    if report is not None:
        report(path.stat().st_size)
    return graph


def write_forest(path: str | Path, forest: MinimumSpanningForest) -> None:
    """Write a forest as .npz: what `save_forest` writes, in a file that is either whole or absent."""
    with replacing(Path(path)) as file:
        save_forest(file, forest)


def save_forest(file: BinaryIO, forest: MinimumSpanningForest) -> None:
    """Write `source`, `target`, `weight`, `edge_id`, `n_vertices` and, if there are any, `component_labels` as .npz."""
    names = ["source", "target", "weight", "edge_id"]
    if forest.component_labels is not None:
        names.append("component_labels")
    arrays: dict[str, Any] = {name: to_host(getattr(forest, name)) for name in names}
    np.savez(file, n_vertices=forest.n_vertices, **arrays)


def _suffix(path: Path) -> str:
    last = path.suffix.lower()
    return Path(path.stem).suffix.lower() + last if last == ".gz" else last


def _coo(n: int, source: np.ndarray, target: np.ndarray, weight: np.ndarray) -> Any:
    from scipy import sparse

    return sparse.coo_array((np.ascontiguousarray(weight), (source, target)), shape=(n, n))


@contextlib.contextmanager
def _opening(path: Path, kind: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError, KeyError, EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{path} is not a readable {kind} file ({first_line(error)})") from error


# ---- MatrixMarket ------------------------------------------------------------------------------------------------


def _read_matrix_market(path: Path) -> Any:
    from scipy import io

    with _opening(path, "MatrixMarket"):
        rows, columns, _, layout, field, symmetry = io.mminfo(path)
    if layout != "coordinate":
        raise ValueError(f"{path} holds a dense matrix; graphs are read from MatrixMarket coordinates")
    if field == "complex" or symmetry not in ("general", "symmetric"):
        raise ValueError(f"{path} holds a {field} {symmetry} matrix: its entries are no weights of undirected edges")
    if rows != columns:
        raise ValueError(f"{path}: a graph is a square matrix, not one of {rows:,} x {columns:,}")
    if rows > MOST_VERTICES:
        raise ValueError(f"{path} has {rows:,} vertices; ids are 32-bit, so at most {MOST_VERTICES:,} are possible")
    with _opening(path, "MatrixMarket"):
        matrix = io.mmread(path)
    source, target, weight = matrix.row, matrix.col, matrix.data
    if symmetry == "symmetric":  # what mirrors an entry is not in the file
        kept = source >= target
        source, target, weight = source[kept], target[kept], weight[kept]
    if field == "pattern":
        weight = np.ones(len(source), np.int32)
    return _coo(rows, source, target, narrowed(weight) if weight.dtype == np.int64 else weight)


# ---- tables ------------------------------------------------------------------------------------------------------


def _read_table(path: Path, columns: Sequence[str] | None) -> Any:
    if columns is None:
        columns = _usual_columns(path)
    elif len(columns) not in (2, 3) or len(set(columns)) < len(columns):
        raise ValueError(f"{path}: an edge has columns source, target and perhaps weight; got {', '.join(columns)}")
    source, target, *rest = read_columns(path, columns)
    weight = rest[0] if rest else np.ones(len(source), np.int32)
    if path.suffix.lower() == ".csv" and weight.dtype == np.int64:
        weight = narrowed(weight)
    source = _vertices(path, f"column {columns[0]}", source, functools.partial(place_of_row, path))
    target = _vertices(path, f"column {columns[1]}", target, functools.partial(place_of_row, path))
    return _coo(_count(source, target), source, target, weight)


def _usual_columns(path: Path) -> list[str]:
    names, count = column_names(path)
    for ends in ENDS:
        if set(ends) <= set(names):
            return [*ends, *(name for name in WEIGHTS if name in names)][:3]
    if count not in (2, 3):
        there = ", ".join(names) or f"columns 0 to {count - 1}, without names"
        raise ValueError(f"{path} has {there}; --columns tells which are source, target and weight")
    return [str(i) for i in range(count)]


def _count(source: np.ndarray, target: np.ndarray) -> int:
    """As many vertices as the greatest number needs."""
    return int(max(source.max(initial=-1), target.max(initial=-1))) + 1


def _vertices(
    path: Path, what: str, values: np.ndarray, place: Callable[[int], str], n: int = MOST_VERTICES
) -> np.ndarray:
    """Ends of edges as int32, if they are whole numbers from 0 to n - 1."""
    if values.dtype.kind not in "iuf":
        raise ValueError(f"{path}: {what} must hold whole numbers; it holds {values.dtype}")
    good = (values >= 0) & (values < n)
    if values.dtype.kind == "f":
        good &= values == np.floor(values)
    if not good.all():
        i, count = int(good.argmin()), len(good) - int(good.sum())
        what += f": {values[i].item()} is no vertex; they are whole numbers from 0 to {n - 1:,}"
        raise ValueError(f"{path}, {place(i)}, {what}" + (f" ({count:,} such rows)" if count > 1 else ""))
    return values.astype(np.int32, copy=False)


# ---- arrays ------------------------------------------------------------------------------------------------------


def _read_npz(path: Path) -> Any:
    from scipy import sparse

    arrays = _load_arrays(path)
    if "format" in arrays:
        return _saved_by_scipy(path)
    weight = next((arrays[name] for name in WEIGHTS if name in arrays), None)
    if "indptr" in arrays and "indices" in arrays:
        indptr, indices = arrays["indptr"], arrays["indices"]
        weight = np.ones(len(indices), np.int32) if weight is None else weight
        with _opening(path, ".npz"):
            return sparse.csr_array((weight, indices, indptr), shape=(len(indptr) - 1,) * 2)
    for ends in ENDS:
        if ends[0] in arrays and ends[1] in arrays:
            count = next((arrays[name] for name in COUNTS if name in arrays), None)
            return _from_ends(path, ends, arrays[ends[0]], arrays[ends[1]], weight, count)
    raise ValueError(f"{path} has neither arrays `indptr` and `indices` nor `source` and `target`: it holds no graph")


def _load_arrays(path: Path) -> dict[str, np.ndarray]:
    known = {"format", "indptr", "indices", *itertools.chain(*ENDS), *COUNTS, *WEIGHTS}
    with _opening(path, ".npz"):
        arrays = np.load(path, allow_pickle=False)
        if isinstance(arrays, np.ndarray):
            raise ValueError("it is an .npy")
        with arrays:
            wanted = known if "format" not in arrays else {"format"}
            return {name: arrays[name] for name in arrays.files if name in wanted}


def _saved_by_scipy(path: Path) -> Any:
    from scipy import sparse

    with _opening(path, ".npz"):
        matrix = sparse.load_npz(path)
    kinds = {"csr": sparse.csr_array, "csc": sparse.csc_array, "coo": sparse.coo_array}
    if matrix.format not in kinds:
        raise ValueError(f"{path} holds a {matrix.format} matrix; graphs are read from csr, csc and coo")
    return kinds[matrix.format](matrix)


def _from_ends(
    path: Path,
    names: tuple[str, str],
    source: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray | None,
    count: np.ndarray | None,
) -> Any:
    if weight is None:
        weight = np.ones(source.shape, np.int32)
    if not (source.ndim == 1 and source.shape == target.shape == weight.shape):
        shapes = f"{source.shape}, {target.shape} and {weight.shape}"
        raise ValueError(
            f"{path}: {names[0]}, {names[1]} and weight must be as long as each other, not of shapes {shapes}"
        )
    if count is not None and (count.shape or count.dtype.kind not in "iu" or not 0 <= count <= MOST_VERTICES):
        raise ValueError(f"{path}: the number of vertices must be one from 0 to {MOST_VERTICES:,}, not {count}")
    most = MOST_VERTICES if count is None else int(count)
    source, target = (
        _vertices(path, name, ends, "entry {}".format, most) for name, ends in zip(names, (source, target))
    )
    return _coo(_count(source, target) if count is None else most, source, target, weight)
