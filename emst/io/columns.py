"""Which columns of a file are taken, what they must hold, and which hold ids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

# id, object_id, osm-id, OBJECTID, haloId, id.1; and names of row numbers. Not "grid", "humid" or "uv_index".
_ID = re.compile(
    r"((.*[\W_])?(id|ids|uid|guid|fid|oid|gid|pid|rowid|objid|objectid)|idx|index|row_?(index|number))([\W_]*\d+)?",
    re.IGNORECASE,
)
_CAMEL = re.compile(r".*[a-z]I[dD]")
_PLAIN = re.compile(r"\w[\w.:+-]*")  # a name that is one word for every shell, and no option
# Names of coordinates and of times, which may well be integers that ascend.
_AXIS = re.compile(
    r"([xyztuvw]|c?[xyz]\d*|pos([xyz_].*|ition.*)?|coord.*|lat.*|lon.*|lng.*|(pm)?(ra|de|dec)(j?2000|deg|rad|_.*)?|"
    r"(east|north)(ing.*)?|alt(itude.*)?|elev.*|height.*|depth.*|(date)?time.*|date.*|year.*|months?|days?|hours?|"
    r"minutes?|seconds?|age)",
    re.IGNORECASE,
)


def is_axis(name: str) -> bool:
    """Whether a column is named like a coordinate or a time."""
    return bool(_AXIS.fullmatch(name.strip()))


def id_columns(names: Sequence[str] | None, table: np.ndarray) -> list[int]:
    """Columns that number the rows: integers that are named like an id, or that ascend and are not named like a
    coordinate or a time. Without names, a first column of consecutive integers. At least one column is left, and two
    where only the values speak."""
    d = table.shape[1]
    if names is None:
        return [0] if d > 2 and _ascends(table[:, 0], consecutive=True) else []
    named = [i for i, name in enumerate(names) if _ID.fullmatch(name.strip()) or _CAMEL.fullmatch(name.strip())]
    found = [i for i in named if _holds_integers(table[:, i])]
    if len(found) == d:
        return []
    others = [i for i in range(d) if i not in found and not is_axis(names[i])]
    ascending = [i for i in others if _ascends(table[:, i])]
    return sorted(found + ascending) if len(found + ascending) <= d - 2 else found


def _holds_integers(values: np.ndarray) -> bool:
    return values.dtype.kind in "iu" or bool((np.floor(values) == values).all())


def _ascends(values: np.ndarray, consecutive: bool = False) -> bool:
    """Whether three or more values are integers that ascend."""
    if len(values) < 3 or not values[0] < values[1] < values[2] or not _holds_integers(values):
        return False
    return bool((values[1:] == values[:-1] + 1).all() if consecutive else (values[1:] > values[:-1]).all())


def choose_columns(path: Path, columns: Sequence[str | int] | None, names: Sequence[str], count: int) -> list[int]:
    """Positions of the wanted columns among `count`; each is given by its name or by its 0-based number. An integer is
    always a number, and a text that is a number is one only if no column has this name."""
    if columns is None:
        return list(range(count))
    there = ", ".join(names) if names else f"columns 0 to {count - 1}, without names"
    chosen = []
    for column in columns:
        if isinstance(column, (int, np.integer)) and not isinstance(column, bool) and 0 <= column < count:
            chosen.append(int(column))
            continue
        column = str(column)
        if list(names).count(column) > 1:
            raise ValueError(f"{path}: column {column!r} occurs more than once; ask for it by its number")
        if column in names:
            chosen.append(list(names).index(column))
        elif column.isdecimal() and int(column) < count:
            chosen.append(int(column))
        else:
            raise ValueError(f"{path}: no column {column!r}; it has {there}{_another_separator(names)}")
    for number, (column, place) in enumerate(zip(columns, chosen)):
        if place in chosen[:number]:
            raise ValueError(f"{path}: column {str(column)!r} is asked for twice")
    return chosen


def as_argument(file_names: Sequence[str], kept: Sequence[str]) -> str:
    """The argument of --columns for columns of a file, in the order of the file: by their names, but by their numbers
    where a name occurs twice or holds what separates columns or has a meaning in a shell."""
    numbered = iter(enumerate(file_names))
    numbers = [next(i for i, there in numbered if there == name) for name in kept]
    plain = [list(file_names).count(name) == 1 and _PLAIN.fullmatch(name) for name in kept]
    return ",".join(name if ok else str(i) for name, ok, i in zip(kept, plain, numbers))


def _another_separator(names: Sequence[str]) -> str:
    """A hint if the only column has a name that another separator would split."""
    sep = next((sep for sep in ";\t," if len(names) == 1 and sep in names[0]), None)
    return "" if sep is None else f", a single column; sep={sep!r} may separate it"


def numeric(path: Path, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The columns unchanged; ValueError if one of them does not hold numbers."""
    for name, values in columns.items():
        if values.dtype.kind not in "iuf":
            held = "text" if values.dtype.kind in "SUT" else values.dtype
            raise ValueError(f"{path}: column {name!r} holds {held}, not numbers; choose others with columns=")
    return columns


def first_line(error: BaseException) -> str:
    """The first line of an error's message."""
    return (str(error) or type(error).__name__).splitlines()[0]
