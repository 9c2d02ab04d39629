"""Tables of numbers, for points and for graphs: where CSV files are read (`read_csv`), and what CSV and Parquet share.

numpy parses a CSV, or pyarrow where that gives the same numbers: see `arrow.py`. If numpy fails, the file is read once
more line by line, only to find the line and the column at fault. Messages name the keywords of `emst.read_points`
(``decimal=','``); the command line turns these into its options.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import itertools
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from emst.io.arrow import read_plain
from emst.io.columns import first_line
from emst.io.index import chosen_columns
from emst.io.parquet import parquet_schema, pyarrow_for, read_parquet, reading_parquet

FIRST_ROWS = 1000  # of a .csv: they decide whether a column holds numbers
_NUMBER_LIKE = re.compile(r"[+-]?[.,]?\d|[+-]?(nan|inf|infinity)$", re.IGNORECASE)
TEXTS = (".csv", ".tsv")
PIECE = 1 << 20  # characters that are looked through at once


@dataclass(frozen=True)
class Dialect:
    """How a text file writes its fields.

    Attributes
    ----------
    sep : str or None
        What separates fields; a space stands for any white space. None: a tab in a .tsv; else whichever of comma,
        semicolon and tab occurs most often in the first line.
    decimal : {".", ","}
        The decimal mark of numbers.
    encoding : str
        Of the text; by default UTF-8 with or without a byte order mark.
    """

    sep: str | None = None
    decimal: str = "."
    encoding: str = "utf-8-sig"

    def is_number(self, field: str) -> bool:
        """Whether a field is a number in this notation."""
        return is_number(self.translated(field))

    def translated(self, text: str) -> str:
        """Numbers in this notation, in Python's. Points do not group digits: 1.234 would be 1234."""
        return text if self.decimal == "." else text.replace(".", "?").replace(",", ".")


PLAIN = Dialect()
COMMAS = Dialect(decimal=",")


def dialect_of(sep: str | None = None, decimal: str = ".", encoding: str | None = None) -> Dialect:
    """The dialect of these options, with ``\\t`` for a tab; ValueError if one of them cannot be."""
    if sep is not None:
        sep = {"\\t": "\t", "\\s+": " "}.get(sep, sep)
        if len(sep) != 1 or sep in '"#\r\n':
            raise ValueError(f"sep={sep!r}: fields are separated by one character; a space stands for any white space")
    if decimal not in (".", ","):
        raise ValueError(f"decimal={decimal!r}: the decimal mark is '.' or ','")
    if sep == decimal:
        raise ValueError(f"sep={sep!r} cannot be the decimal mark as well")
    try:
        io.TextIOWrapper(io.BytesIO(), encoding or PLAIN.encoding)  # codecs that make no text are errors, too
    except (LookupError, TypeError) as error:
        raise ValueError(f"encoding={encoding!r} is not known; utf-8, latin-1, cp1252 and utf-16 are common") from error
    return Dialect(sep, decimal, encoding or PLAIN.encoding)


def is_text(path: Path, dialect: Dialect = PLAIN) -> bool:
    """Whether a file is read as text: by its suffix, or because `dialect` names a separator."""
    return path.suffix.lower() in TEXTS or dialect.sep is not None


def column_names(path: Path, dialect: Dialect = PLAIN) -> tuple[list[str], int]:
    """Names of the columns of a text (none if it begins with numbers) or .parquet, and how many columns there are."""
    if is_text(path, dialect):
        _, names, count, _ = csv_layout(path, dialect)
        return names, count
    names = list(parquet_schema(path).names)
    return names, len(names)


def no_rows(path: Path, names: Sequence[str]) -> Any:
    """A table of pyarrow with the columns of a .parquet and no rows."""
    pyarrow_for(path, "reading")
    import pyarrow

    return pyarrow.table({name: np.empty(0) for name in names})


def read_columns(path: Path, columns: Sequence[str]) -> list[np.ndarray]:
    """Columns of a .csv (int64 if every field is an integer, float64 otherwise) or of a .parquet (in their dtypes)."""
    if is_text(path):
        return list(read_csv(path, columns, gaps=False, whole=True).T)
    return list(read_parquet(path, columns).values())


def numeric_columns(path: Path) -> list[bool]:
    """Which columns hold numbers. Of a .csv the first rows decide; without rows all columns count as numbers."""
    if is_text(path):
        return [not fields or any(map(_is_number, fields)) for fields in sample_of_columns(path)]
    parquet = pyarrow_for(path, "reading")
    from pyarrow import types

    with reading_parquet(path):
        kinds = parquet.read_schema(path).types
    return [types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) for kind in kinds]


def _is_number(field: str) -> bool:
    """Whether a field is a number, perhaps with a comment behind it."""
    return is_number(field.partition("#")[0])


def worded_columns(path: Path, dialect: Dialect = PLAIN) -> list[bool]:
    """Which columns hold words. Of a text the first rows decide: 1_0, 2,5 and 2024-01-01 are no words, but may be
    numbers that are written wrongly, or in another dialect."""
    if not is_text(path, dialect):
        return [not numeric for numeric in numeric_columns(path)]
    columns = [[one.strip() for one in fields if one.strip()] for fields in sample_of_columns(path, dialect)]
    return [bool(fields) and not any(map(_NUMBER_LIKE.match, fields)) for fields in columns]


def empty_columns(path: Path, dialect: Dialect = PLAIN) -> list[int]:
    """Columns of a text that hold no value in any row, such as that behind a comma at the end of every line. Of columns
    without names only the last ones: the others are known by their numbers, which stay."""
    if not is_text(path, dialect):
        return []
    skip, names, count, delimiter = csv_layout(path, dialect)
    empty, row = list(range(count)), None
    for row in text_rows(path, skip, delimiter, dialect):
        empty = [i for i in empty if i < len(row.fields) and not row.fields[i].strip()]
        if not empty:
            break
    if row is None:
        return []
    return [i for i in empty if names or set(range(i, count)) <= set(empty)]


def sample_of_columns(path: Path, dialect: Dialect = PLAIN) -> list[list[str]]:
    """The fields of every column of a text, in its first rows."""
    skip, _, count, delimiter = csv_layout(path, dialect)
    rows = [row.fields for row in itertools.islice(text_rows(path, skip, delimiter, dialect), FIRST_ROWS)]
    return [[fields[i] for fields in rows if i < len(fields)] for i in range(count)]


def row_as_written(path: Path, row: int) -> tuple[str, list[str]]:
    """Where in the file this row of the table stands (line of a .csv, row of a .parquet), and the fields of a .csv."""
    if is_text(path):
        skip, _, _, delimiter = csv_layout(path)
        found = next(itertools.islice(text_rows(path, skip, delimiter), row, None))
        return f"line {found.line}", found.fields
    return f"row {row}", []


def read_csv(
    path: Path, columns: Sequence[str | int] | None, gaps: bool, whole: bool = False, dialect: Dialect = PLAIN
) -> np.ndarray:
    """Numbers in a text, with or without a line of column names: float64[n, k].

    `columns` are names or 0-based numbers; None means all but an index column. With `gaps` an empty field is NaN. With
    `whole` the table is int64 if every number is written as an integer.
    """
    skip, names, count, delimiter = csv_layout(path, dialect)
    used = chosen_columns(path, columns, names, count)
    layout: dict[str, Any] = {"used": used, "count": count, "delimiter": delimiter, "skiprows": skip}
    layout |= {"dialect": dialect}
    if whole:
        if (table := _loaded_by_pyarrow(path, dtype=np.int64, **layout)) is not None:
            return table
        with contextlib.suppress(ValueError, DeprecationWarning):
            if len(table := _loaded_text(path, dtype=np.int64, **layout)):
                return table
    if (table := _loaded_by_pyarrow(path, gaps=gaps, **layout)) is not None:
        return table
    try:
        try:
            table = _loaded_text(path, **layout)
        except UnicodeDecodeError:
            raise
        except ValueError:
            table = _loaded_slowly(path, gaps, layout)
    except UnicodeDecodeError as error:
        raise _not_encoded(path, dialect) from error
    except ValueError as error:
        hint = "; columns= chooses which columns to read" if columns is None and count > 1 else ""
        raise _csv_fault(path, dialect, skip, delimiter, names, count, used, gaps, hint, error) from error
    if len(table) == 0:
        raise ValueError(f"{path} holds no rows")
    return table


def _loaded_by_pyarrow(path: Path, dialect: Dialect, skiprows: int, **layout: Any) -> np.ndarray | None:
    """See `read_plain`."""
    plain = dialect.decimal == PLAIN.decimal and dialect.encoding == PLAIN.encoding
    return read_plain(path, skip=skiprows, **layout) if plain else None


def _loaded_slowly(path: Path, gaps: bool, layout: dict[str, Any]) -> np.ndarray:
    """A table with empty fields, or with a # in a name before the numbers, where numpy takes it for a comment."""
    if gaps:
        layout = layout | {"converters": _number_or_gap}  # Python converts every field
        try:
            return _loaded_text(path, **layout)
        except UnicodeDecodeError:
            raise
        except ValueError:
            pass
    return _loaded_text(path, comments=None, **layout)


def _loaded_text(path: Path, used: list[int], count: int, **layout: Any) -> np.ndarray:
    """Columns of a .csv. If all are wanted, a line with more fields than the first is an error."""
    every = sorted(used) == list(range(count))
    table = _loaded(path, needed=_needed(used, count), usecols=None if every else used, **layout)
    if not every:
        return table
    if len(table) and table.shape[1] != count:
        raise ValueError(f"{table.shape[1]} fields in every row, {count} in the first line")
    return table[:, used] if len(table) and used != sorted(used) else table


def _needed(used: Sequence[int], count: int) -> int:
    """How many fields a row must have for these columns of `count`."""
    return count if len(used) == count else max(used) + 1


def _loaded(
    path: Path, dialect: Dialect, delimiter: str, skiprows: int, needed: int, comments: str | None = "#", **layout: Any
) -> np.ndarray:
    """What numpy reads; it takes None for white space, and the lines of a file in other notations one by one. Without
    `comments` only a # that begins a line, or that follows `needed` fields and a number, begins a comment."""
    layout["delimiter"] = None if delimiter == " " else delimiter
    with warnings.catch_warnings(), contextlib.ExitStack() as stack:
        warnings.simplefilter("ignore")  # the caller reports an empty file
        warnings.simplefilter("error", DeprecationWarning)  # older versions of numpy read 1.5 as the integer 1
        lines: Any = path
        if comments is None:
            lines = (dialect.translated(row.text) for row in bare_rows(path, skiprows, delimiter, dialect, needed))
            skiprows = 0
        elif dialect.decimal != ".":
            lines = map(dialect.translated, stack.enter_context(open(path, encoding=dialect.encoding)))
        layout |= {"skiprows": skiprows, "comments": comments, "encoding": dialect.encoding}
        return np.loadtxt(lines, ndmin=2, quotechar='"', **layout)


def csv_layout(path: Path, dialect: Dialect = PLAIN) -> tuple[int, list[str], int, str]:
    """Number of lines before the first row, names of the columns (or none), number of columns, separator."""
    try:
        line, first, delimiter = _first_fields(path, dialect)
    except UnicodeError as error:
        raise _not_encoded(path, dialect) from error
    except csv.Error as error:
        raise ValueError(f"{path} is not a readable {path.suffix} file ({error})") from error
    if len(first) == 1 and _spaced(path, line - 1, dialect):
        raise ValueError(
            f"{path}: fields must be separated by commas, semicolons or tabs, not by spaces (points: sep=' ')"
        )
    names = [field.strip() for field in first]
    if any(map(_is_any_number, first)) and not _are_numbers_as_names(path, line, names, delimiter, dialect):
        names = []  # data: to take the line for names would lose a row without a message
    return (line if names else line - 1), names, len(first), delimiter


def _are_numbers_as_names(path: Path, line: int, names: list[str], delimiter: str, dialect: Dialect) -> bool:
    """Whether a line that holds numbers is one of names, as pandas writes columns without names: anything behind an
    empty field above rows that are counted from 0 or 1; or two numbers or more that number their columns, above numbers
    that all have a decimal mark or an exponent."""
    rows = text_rows(path, line, delimiter, dialect)
    if names[0] == "":
        counted = [row.fields[0].strip() for row in itertools.islice(rows, 3)]
        return len(counted) > 1 and counted in ([str(i + begin) for i in range(len(counted))] for begin in (0, 1))
    numbers = [i for i, name in enumerate(names) if _is_any_number(name)]
    if len(numbers) < 2 or any(names[i] != str(i) for i in numbers):
        return False
    below = [row.fields for row in itertools.islice(rows, FIRST_ROWS) if len(row.fields) == len(names)]
    written = [[dialect.translated(fields[i]).strip() for fields in below] for i in numbers]
    marked = (any("." in field or "e" in field.lower() for field in column if is_number(field)) for column in written)
    return all(marked) and not any(field.lstrip("+-").isdecimal() for column in written for field in column)


def refuse_pipe(path: Path) -> None:
    """Raise ValueError for a pipe: files are opened several times, and a pipe can be read once."""
    if path.is_fifo():
        raise ValueError(f"{path} is a pipe, which can be read once; write it to a file, or let a command read it as -")


def refuse_gzip(path: Path) -> None:
    """Raise ValueError for a file that begins as those of gzip do, whatever its name."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        if file.read(2) == b"\x1f\x8b":
            raise ValueError(f"{path} is compressed by gzip; unpack it first, with gunzip -c")


def _not_encoded(path: Path, dialect: Dialect) -> ValueError:
    """The error for a text that is not in the encoding of its dialect."""
    refuse_gzip(path)
    with open(path, "rb") as file:
        start = file.read(2)
    if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        other = "utf-16"
    else:
        other = "latin-1" if dialect.encoding == PLAIN.encoding else "utf-8"
    name = "UTF-8" if dialect.encoding == PLAIN.encoding else dialect.encoding
    return ValueError(f"{path} is not {name} text; encoding={other!r} may read it")


def _spaced(path: Path, skip: int, dialect: Dialect) -> bool:
    """Whether one of the first two lines of a single column consists of several numbers."""
    firsts = [row.fields for row in itertools.islice(text_rows(path, skip, " ", dialect), 2)]
    return any(len(words) > 1 and all(map(dialect.is_number, words)) for words in firsts)


class Row(NamedTuple):
    """A row of a text: the number of its first line, all of its text without the end of the line, and its fields."""

    line: int
    text: str
    fields: list[str]


def text_rows(path: Path, skip: int, delimiter: str, dialect: Dialect = PLAIN) -> Iterator[Row]:
    """The rows after `skip` lines. Empty lines and those that begin with # are none; a quoted field may span lines."""
    with open(path, encoding=dialect.encoding, errors="replace", newline="") as file:
        lines = itertools.islice(enumerate(file, start=1), skip, None)
        if delimiter == " ":
            for number, line in lines:
                if fields := line.split("#")[0].split():
                    yield Row(number, line.split("#")[0].strip("\r\n"), fields)
            return
        taken: list[tuple[int, str]] = []  # the lines of the row that is being read

        def of_rows() -> Iterator[str]:
            for number, line in lines:
                if taken or line.split("#")[0].strip("\r\n"):
                    taken.append((number, line))
                    yield line

        try:
            for fields in csv.reader(of_rows(), delimiter=delimiter):
                yield Row(taken[0][0], "".join(line for _, line in taken).rstrip("\r\n"), fields)
                taken.clear()
        except csv.Error as error:
            where = f"{path}, line {taken[0][0]}" if taken else str(path)
            raise ValueError(f"{where}: {error}") from error


def bare_rows(path: Path, skip: int, delimiter: str, dialect: Dialect, needed: int | None) -> Iterator[Row]:
    """The rows of `text_rows`, without comments behind numbers if `needed` fields are all that a row needs."""
    rows = text_rows(path, skip, delimiter, dialect)
    return rows if needed is None else (_without_comment(row, needed, delimiter, dialect) for row in rows)


def _without_comment(row: Row, needed: int, delimiter: str, dialect: Dialect) -> Row:
    """A row without what follows the first # outside of quotes, if there are `needed` fields before it and the last of
    them is a number or empty. Another # is part of a name."""
    hashes = (found.start() for found in re.finditer("#", row.text))
    before = next((row.text[:at] for at in hashes if row.text.count('"', 0, at) % 2 == 0), None)
    if before is None:
        return row
    fields = fields_of(before, delimiter)
    if len(fields) < needed or (fields[-1].strip() and not dialect.is_number(fields[-1])):
        return row
    return Row(row.line, before.rstrip(" "), fields)


def row_texts(
    path: Path, skip: int, delimiter: str, dialect: Dialect = PLAIN, needed: int | None = None
) -> Iterator[str]:
    """The texts of the rows of `bare_rows`. Without quotes and comments rows are lines, and are not taken apart."""

    def opened() -> IO[str]:
        return open(path, encoding=dialect.encoding, errors="replace", newline="")

    with opened() as file:
        pieces = iter(partial(file.read, PIECE), "")
        simple = delimiter != " " and not any('"' in piece or "#" in piece for piece in pieces)
    if not simple:
        yield from (row.text for row in bare_rows(path, skip, delimiter, dialect, needed))
        return
    with opened() as file:
        yield from filter(None, (line.rstrip("\r\n") for line in itertools.islice(file, skip, None)))


def rows_differ(path: Path, n: int) -> ValueError:
    """The error for a text of which `n` rows were read, and others when it is read once more."""
    return ValueError(f"{path} is not read as {n:,} rows a second time; its quotes may be at fault")


def fields_of(text: str, delimiter: str) -> list[str]:
    """The fields of a line."""
    return text.split() if delimiter == " " else next(csv.reader([text], delimiter=delimiter))


def _first_fields(path: Path, dialect: Dialect) -> tuple[int, list[str], str]:
    """Number of the first line that is neither empty nor a comment, its fields, and their separator.

    What follows a # is a comment behind numbers, and part of a name elsewhere."""
    with open(path, encoding=dialect.encoding, newline="") as file:
        for number, line in enumerate(file, start=1):
            before = line.split("#")[0].strip("\r\n")
            if before.strip():
                delimiter = dialect.sep or _separator(path, line, dialect)
                fields = fields_of(before, delimiter)
                if delimiter != " " and not all(map(_is_any_number, fields)):
                    fields = fields_of(line.strip("\r\n"), delimiter)
                return number, fields, delimiter
    raise ValueError(f"{path} holds no rows")


def _separator(path: Path, text: str, dialect: Dialect) -> str:
    """The separator that a first line shows."""
    if path.suffix.lower() == ".tsv":
        return "\t"
    return max((sep for sep in ",;\t" if sep != dialect.decimal), key=text.count)


def _csv_fault(
    path: Path,
    dialect: Dialect,
    skip: int,
    delimiter: str,
    names: list[str],
    count: int,
    used: list[int],
    gaps: bool,
    choose: str,
    error: ValueError,
) -> ValueError:
    """The error that names the first line, and the column, which numpy could not read. `choose` ends it if no other
    notation would help."""
    needed = _needed(used, count)
    for number, _, fields in bare_rows(path, skip, delimiter, dialect, needed):
        if needed > len(fields) or len(used) == count < len(fields):
            found = f"{len(fields)} field{'s' * (len(fields) != 1)}"
            return ValueError(f"{path}, line {number}: {found} where {needed} are needed")
        for i in used:
            if not (dialect.is_number(fields[i]) or (gaps and not fields[i].strip())):
                column = repr(names[i]) if names else str(i)
                found = f"{fields[i]!r} is not a number" if fields[i].strip() else "there is no value"
                hint = _other_notation(fields[i], len(fields) == 1, delimiter, dialect) or choose
                return ValueError(f"{path}, line {number}, column {column}: {found}{hint}")
    return ValueError(f"{path}: {first_line(error)}")


def _other_notation(field: str, alone: bool, delimiter: str, dialect: Dialect) -> str:
    """A hint if a field that is no number would be one with another decimal mark, or several with another separator.
    `alone` says that it is the only field of its line."""
    other = COMMAS if dialect.decimal == "." else PLAIN
    if other.is_number(field) and not alone:
        way = f"decimal={other.decimal!r} may read it"
        return "; separators of thousands are not read" if other.decimal == delimiter else f"; {way}"
    for sep in ";\t, ":
        parts = field.split(sep)
        given = alone and dialect.sep is not None and sep != " "  # a wrong one
        if sep != dialect.decimal and len(parts) > 1 and (given or all(map(_is_any_number, parts))):
            return f"; sep={sep!r} may read it"
    return ""


def _is_any_number(field: str) -> bool:
    """Whether a field is a number with one of the decimal marks."""
    return PLAIN.is_number(field) or COMMAS.is_number(field)


def is_number(field: str) -> bool:
    """Whether a field is a number in Python's notation, without underscores."""
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field  # float("1_000") is Python's notation; files do not use it


def _number_or_gap(field: str) -> float:
    if is_number(field):
        return float(field)
    if field.strip():
        raise ValueError(f"{field!r} is not a number")
    return math.nan
