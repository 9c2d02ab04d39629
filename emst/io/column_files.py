"""Columns of results, as a file in the format of its suffix."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from emst.io.parquet import pyarrow_for

TABLES = (".csv", ".tsv", ".parquet")
LINES = 1 << 14  # written by one call: Python formats several lines sooner than each alone


def check_table(path: Path, suffix: str) -> None:
    """Raise ValueError if a .parquet is to be written without pyarrow."""
    if suffix == ".parquet":
        pyarrow_for(path, "writing")


def separator_of(suffix: str) -> str:
    """What separates the fields of a .csv or .tsv."""
    return "\t" if suffix == ".tsv" else ","


def write_columns(file: IO[bytes], suffix: str, columns: dict[str, Any], *, exact: bool = True) -> None:
    """Write columns of one length as .npz, .csv, .tsv or .parquet, or the first of them as .npy.

    Numbers in a text can be read as the same bits; without `exact` floats have nine digits.
    """
    if suffix == ".npy":
        _save(file, next(iter(columns.values())))
    elif suffix == ".npz":
        np.savez(file, **columns)
    elif suffix == ".parquet":
        import pyarrow as arrow

        native = {name: values.astype(values.dtype.newbyteorder("="), copy=False) for name, values in columns.items()}
        pyarrow_for(Path(suffix), "writing").write_table(arrow.table(native), file)
    elif any(values.dtype.kind not in "biuf" for values in columns.values()):
        with text_of(file, "utf-8") as text:
            writer = csv.writer(text, delimiter=separator_of(suffix), lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*map(as_text, columns.values())))
    else:
        _write_numbers(file, separator_of(suffix), columns, exact)


def _save(file: IO[bytes], values: np.ndarray) -> None:
    """`numpy.save`, which says how many numbers it has written to a full disk, and not what is wrong."""
    try:
        np.save(file, values)
    except OSError:
        file.write(b"0")  # the system says why that fails
        file.flush()
        raise


def _write_numbers(file: IO[bytes], sep: str, columns: dict[str, np.ndarray], exact: bool) -> None:
    file.write((sep.join(columns) + "\n").encode())
    line = sep.join(_format_of(values.dtype, exact) for values in columns.values()) + "\n"
    for begin in range(0, len(next(iter(columns.values()))), LINES):
        rows = list(zip(*(values[begin : begin + LINES].tolist() for values in columns.values())))
        file.write((line * len(rows) % tuple(itertools.chain.from_iterable(rows))).encode())


def _format_of(dtype: np.dtype, exact: bool) -> str:
    """How numbers of a dtype are formatted: nine digits are exact for all floats but those of 64 bits."""
    if dtype.kind != "f":
        return "%d"
    return "%r" if exact and dtype.itemsize == 8 else "%.9g"


def as_text(column: np.ndarray) -> list[str]:
    """Values as text: of a float the fewest digits that give it back."""
    if column.dtype.kind != "f":
        return [str(value) for value in column.tolist()]
    if column.dtype == np.float64:
        return [repr(value) for value in column.tolist()]
    return column.astype(str).tolist()


@contextlib.contextmanager
def text_of(file: IO[bytes], encoding: str) -> Iterator[IO[str]]:
    """A binary file to write text to; it stays open."""
    text = io.TextIOWrapper(file, encoding=encoding, newline="")
    try:
        yield text
        text.flush()
    finally:
        text.detach()
