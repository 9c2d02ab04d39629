"""Labels and probabilities of a clustering, alone or beside the columns of the points."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from emst.io.column_files import LINES, TABLES, as_text, check_table, separator_of, text_of
from emst.io.las import SCANS, check_scan, write_beside_scan
from emst.io.parquet import parquet_schema, pyarrow_for, read_parquet_table
from emst.io.points import PointTable
from emst.io.tables import PLAIN, Dialect, bare_rows, csv_layout, is_text, row_texts, rows_differ, worded_columns

SUFFIXES = (".npy", ".npz", ".csv", ".tsv", ".parquet")


def check_labels(path: Path, suffix: str, append: bool = False) -> None:
    """Raise ValueError if a file of this suffix cannot be written, or cannot hold the columns of the points."""
    suffixes = (*TABLES, *SCANS) if append else SUFFIXES
    if suffix not in suffixes:
        what = "labels beside the columns of the points" if append else "labels"
        hint = "; --append writes a scan with its clusters" if suffix in SCANS else ""
        raise ValueError(f"{path}: unknown suffix {suffix!r}; {what} are written to {', '.join(suffixes)}{hint}")
    check_table(path, suffix)


def result_names(suffix: str) -> tuple[str, str]:
    """What labels and probabilities are called in a file of this suffix: in a scan as by PDAL."""
    return ("ClusterID" if suffix in SCANS else "label"), "probability"


def check_appended(source: Path, suffix: str, points: PointTable, dialect: Dialect, names: Iterable[str]) -> None:
    """Raise ValueError if columns of these names cannot be appended to those of `source`, of which `points` are some,
    in a file of this suffix."""
    if suffix in SCANS:
        present = check_scan(source, suffix)
    elif is_text(source, dialect):
        if suffix == ".parquet":
            raise ValueError(f"{source}: the columns of a text are written to .csv or .tsv, not to .parquet")
        present = csv_layout(source, dialect)[1]
    else:
        present = list(points.names or [])
        if _is_parquet(source):
            schema = parquet_schema(source)
            present = list(schema.names)
            _check_fields(source, suffix, schema)
    for name in names:
        if name in present:
            raise ValueError(f"{source} has a column {name!r} already: rename it, or write the labels to a file alone")


def _check_fields(source: Path, suffix: str, schema: Any) -> None:
    """Raise ValueError if a column of a .parquet has values that a text cannot hold."""
    from pyarrow import types

    for field in schema if suffix != ".parquet" else ():
        if types.is_nested(field.type):
            raise ValueError(f"{source}: column {field.name!r} holds {field.type}, which only a .parquet can hold")


def write_appended(
    file: IO[bytes], suffix: str, source: Path, points: PointTable, dialect: Dialect, results: dict[str, np.ndarray]
) -> None:
    """Write the columns of a file of points, and `results` beside them.

    Of a text and of a .parquet these are all columns, also those that hold no numbers; of other files those that were
    read, `points`. A text keeps its separator (but a .tsv has tabs), decimal mark and encoding. Columns without names
    are called x0, x1, ... A scan that is written as a scan keeps all of its dimensions.
    """
    if suffix in SCANS:
        return write_beside_scan(file, suffix, source, results)
    if is_text(source, dialect):
        _append_to_text(file, suffix, source, dialect, results)
        return
    if _is_parquet(source):
        columns: Any = read_parquet_table(source)
        for name, values in results.items():
            columns = columns.append_column(name, [values])
    else:
        columns = dict(zip(points.names or unnamed(points.array.shape[1]), points.array.T)) | results
    if suffix == ".parquet":
        import pyarrow as arrow

        table = columns if _is_parquet(source) else arrow.table({name: arrow.array(v) for name, v in columns.items()})
        pyarrow_for(source, "writing").write_table(table, file)
    elif _is_parquet(source):
        from pyarrow import csv as arrow_csv

        arrow_csv.write_csv(columns, file, arrow_csv.WriteOptions(delimiter=separator_of(suffix)))
    else:
        with text_of(file, "utf-8") as text:
            writer = csv.writer(text, delimiter=separator_of(suffix), lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*map(as_text, columns.values())))


def _append_to_text(
    file: IO[bytes], suffix: str, source: Path, dialect: Dialect, results: dict[str, np.ndarray]
) -> None:
    skip, names, count, delimiter = csv_layout(source, dialect)
    sep = "\t" if suffix == ".tsv" else delimiter
    values = [as_text(column) for column in results.values()]
    if dialect.decimal == ",":
        values = [[value.replace(".", ",") for value in column] for column in values]
    tails, written = [sep.join(own) for own in zip(*values)], 0
    # Words may hold a #; behind a number it begins a comment, which cannot stay between the fields.
    needed = None if worded_columns(source, dialect)[-1] else count
    rows = _rows_with(sep, source, skip, delimiter, dialect, needed)
    with text_of(file, "utf-8" if dialect.encoding == PLAIN.encoding else dialect.encoding) as text:
        csv.writer(text, delimiter=sep, lineterminator="\n").writerow([*(names or unnamed(count)), *results])
        while block := list(itertools.islice(rows, min(LINES, len(tails) - written))):
            text.write("\n".join(map(sep.join, zip(block, tails[written : written + len(block)]))) + "\n")
            written += len(block)
    if written < len(tails) or next(rows, None) is not None:
        raise rows_differ(source, len(tails))


def _rows_with(
    sep: str, source: Path, skip: int, delimiter: str, dialect: Dialect, needed: int | None
) -> Iterator[str]:
    """The rows of a text, with this separator; see `bare_rows`."""
    if sep == delimiter:
        yield from row_texts(source, skip, delimiter, dialect, needed)
        return
    row = io.StringIO()
    writer = csv.writer(row, delimiter=sep, lineterminator="")
    for _, _, fields in bare_rows(source, skip, delimiter, dialect, needed):
        writer.writerow(fields)
        yield row.getvalue()
        row.seek(0)
        row.truncate()


def unnamed(count: int) -> list[str]:
    """Names of columns without names."""
    return [f"x{i}" for i in range(count)]


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() == ".parquet"
