"""The tables of benchmarks/results as numbers: plots read them, so a plot and its table cannot differ."""

from __future__ import annotations

import pathlib
import re

RESULTS = pathlib.Path(__file__).resolve().parent / "results"
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")

Row = dict[str, str]


def tables(file: str) -> list[tuple[str, list[Row]]]:
    """(section, rows) of every table of a file, in order; a row is a dict from column to cell."""
    found: list[tuple[str, list[Row]]] = []
    section, titles = "", None
    for line in (RESULTS / file).read_text().splitlines():
        if line.startswith("#"):
            section = line.lstrip("# ")
        if not line.startswith("|"):
            titles = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if titles is None:
            titles = cells
            found.append((section, []))
        elif not set(line) <= set("|-: "):
            found[-1][1].append(dict(zip(titles, cells)))
    return found


def rows(file: str, section: str = "", **known: str) -> list[Row]:
    """Rows of all tables in the sections whose heading holds `section`, with these cells.

    Spaces in the names of columns are written as underscores. Rows that lack one of the columns are left out. It is an
    error if none is left."""
    wanted = {name.replace("_", " "): cell for name, cell in known.items()}
    found = [
        row
        for heading, table in tables(file)
        if section in heading
        for row in table
        if all(row.get(name) == cell for name, cell in wanted.items())
    ]
    if not found:
        raise ValueError(f"benchmarks/results/{file} has no rows with {wanted} in a section {section!r}")
    return found


def number(cell: str) -> float:
    """The first number of a cell."""
    match = NUMBER.search(cell)
    if match is None:
        raise ValueError(f"no number in {cell!r}")
    return float(match[0].replace(",", ""))


def tree_rates(*sections: str) -> dict[str, float]:
    """{set: millions of coordinates a second} of the trees on the H200 in these sections."""
    found = {}
    for row in (row for section in sections for row in rows("nvidia-h200.md", section) if "MFeatures/s" in row):
        n, d = map(number, row["n x d"].split(" x "))
        found[f"{row['set'].split()[0]}, {n / 1e6:,.0f} M x {d:.0f}"] = number(row["MFeatures/s"])
    return found
