"""Large texts of numbers, read by all threads: pyarrow reads those that it and numpy read as the same numbers."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

LEAST_BYTES = 1 << 23  # numpy reads a smaller file sooner than pyarrow is loaded
PIECE = 1 << 18  # bytes that are looked through at once
ODD = (b'"', b"#", b"(")  # quotes may span lines, comments may hide rows, and pyarrow takes nan(1) for NaN
HEXADECIMAL = (b"x", b"X")  # pyarrow takes 0x10 for an integer


def read_plain(
    path: Path,
    used: Sequence[int],
    count: int,
    delimiter: str,
    skip: int,
    dtype: type = np.float64,
    gaps: bool = False,
) -> np.ndarray | None:
    """Columns of a text in ASCII or UTF-8 with `count` columns, dtype[n, k], after `skip` lines; with `gaps`, empty
    fields are NaN. None if the file is small, if pyarrow is not installed, or if it might read the file otherwise than
    numpy, and if there are no rows: numpy decides then, and says what is wrong with a file that cannot be read."""
    if delimiter == " " or path.stat().st_size < LEAST_BYTES or importlib.util.find_spec("pyarrow") is None:
        return None
    if not _is_plain(path, skip, ODD + HEXADECIMAL if dtype is np.int64 else ODD):
        return None
    import pyarrow
    from pyarrow import csv

    names = [f"f{i}" for i in range(count)]
    try:
        read = csv.read_csv(
            str(path),
            csv.ReadOptions(column_names=names, skip_rows=skip),
            csv.ParseOptions(delimiter=delimiter, quote_char=False),
            csv.ConvertOptions(
                column_types={names[i]: pyarrow.from_numpy_dtype(dtype) for i in used},
                include_columns=[names[i] for i in dict.fromkeys(used)],
                null_values=[""] if gaps else [],
                check_utf8=False,
            ),
        )
    except pyarrow.lib.ArrowCancelled as error:  # Ctrl-C, which pyarrow takes for itself while it reads
        raise KeyboardInterrupt from error
    except pyarrow.ArrowException:
        return None
    if not read.num_rows:
        return None
    found = np.empty((read.num_rows, len(used)), dtype)
    for place, i in enumerate(used):
        _copy(read.column(names[i]), found[:, place])
    return found


def _copy(column: Any, to: np.ndarray) -> None:
    """Copy the numbers of a column; those that are missing become NaN. pyarrow's own `to_numpy` imports pandas, and
    drops an interrupt that comes meanwhile."""
    begin = 0
    for chunk in column.chunks:
        there, numbers = chunk.buffers()
        places, end = slice(chunk.offset, chunk.offset + len(chunk)), begin + len(chunk)
        if len(chunk):
            to[begin:end] = np.frombuffer(numbers, to.dtype)[places]
        if chunk.null_count:
            to[begin:end][np.unpackbits(np.frombuffer(there, np.uint8), bitorder="little")[places] == 0] = np.nan
        begin = end


def _is_plain(path: Path, skip: int, odd: Sequence[bytes]) -> bool:
    """Whether a file, after `skip` lines, is ASCII without any of the `odd` characters."""
    with open(path, "rb") as file:
        before = b"".join(file.readline() for _ in range(skip))
        if before.count(b"\r") != before.count(b"\r\n"):  # lines that `readline` does not tell apart
            return False
        while piece := file.read(PIECE):
            if not piece.isascii() or any(sign in piece for sign in odd):
                return False
    return True
