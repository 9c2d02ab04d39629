"""Columns that number or name the rows, as pandas and R write them. They are left out unless the caller names them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path

from emst.io.columns import choose_columns, is_axis
from emst.io.parquet import parquet_index

# What pandas and Dask call an index without a name in a .parquet, by its levels.
_INDEX_LEVEL = re.compile(r"__index_level_\d+__|__null_dask_index__")


def index_columns(path: Path, names: Sequence[str]) -> list[int]:
    """Positions of the first columns if they have no names, and of those that a .parquet calls the index of its data
    frame, unless they are named like a coordinate or a time. One column at least is none of these."""
    unnamed = (name in ("", f"Unnamed: {i}") for i, name in enumerate(names))
    first = len(list(itertools.takewhile(bool, unnamed)))
    declared = parquet_index(path) if path.suffix.lower() == ".parquet" else []
    named = [name for name in declared if not is_axis(name)]
    found = [i for i, name in enumerate(names) if i < first or is_index(name) or name in named]
    return found[: max(len(names) - 1, 0)]


def is_index(name: str) -> bool:
    """Whether a column of a .parquet is an index without a name."""
    return bool(_INDEX_LEVEL.fullmatch(name))


def chosen_columns(path: Path, columns: Sequence[str | int] | None, names: Sequence[str], count: int) -> list[int]:
    """As `choose_columns`; but without `columns`, an index column is left out."""
    chosen = choose_columns(path, columns, names, count)
    if columns is not None:
        return chosen
    index = index_columns(path, names)
    return [i for i in chosen if i not in index]
