"""What the drawings of the ICPP'22 page share: rows of committed results, and bars for sets and programs."""

from __future__ import annotations

import pathlib
import re
from typing import Any

from .table import read

RESULTS = pathlib.Path(__file__).resolve().parents[1] / "results"
COLOURS = {"emst": "tab:blue", "quitefastmst": "tab:orange", "mlpack": "tab:green"}
CPU, GPU = "epyc-2-cores-icpp22.md", "nvidia-h200.md"

Row = dict[str, str]


def rows_of(file: str, heading: str, column: str = "") -> list[Row]:
    """Rows under the heading that starts so, of the tables that have this column."""
    tables = read(RESULTS / file)
    under = [row for title, rows in tables.items() if title.startswith(heading) for row in rows]
    found = [row for row in under if not column or column in row]
    if not found:
        raise ValueError(f"{file} has no rows under {heading!r}")
    return found


def number(cell: str) -> float:
    """The first number of a cell."""
    return float(cell.split()[0].replace(",", ""))


def text(value: float) -> str:
    """Three digits, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def label(name: str) -> str:
    """A set without its number of points."""
    return re.sub(r"( \d+)?(, sampled)?$", "", name)


def bars(axes: Any, rows: list[Row], column: str = "MFeatures/s") -> None:
    """For every set a group of horizontal bars, one for each contestant; the first set is at the top."""
    sets = list(dict.fromkeys(label(row["set"]) for row in rows))
    programs = [name for name in COLOURS if any(row["contestant"] == name for row in rows)]
    height = 0.8 / len(programs)
    for place, program in enumerate(programs):
        of_set = {label(row["set"]): number(row[column]) for row in rows if row["contestant"] == program}
        at = [i + (place - (len(programs) - 1) / 2) * height for i, name in enumerate(sets) if name in of_set]
        drawn = axes.barh(at, of_set.values(), height, color=COLOURS[program], label=program)
        axes.bar_label(drawn, [text(value) for value in of_set.values()], padding=2, fontsize=7)
    axes.set_yticks(range(len(sets)), sets)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set_xlabel(column)
    axes.grid(axis="x", alpha=0.3, linewidth=0.5)
