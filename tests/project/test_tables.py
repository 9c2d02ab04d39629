"""The plots of docs/benchmarks read the tables of benchmarks/results as they are written."""

import sys

import pytest
from helpers import ROOT

sys.path.append(str(ROOT))
from benchmarks.tables import number, rows, tables


@pytest.mark.parametrize(
    "cell, value",
    [
        ("26,651", 26651),
        ("1.011e+04", 10110),
        ("1,000,000 x 2", 1e6),
        ("62%", 62),
        ("55 times (0.14 s)", 55),
        ("-3", -3),
    ],
)
def test_numbers(cell, value):
    assert number(cell) == value


def test_a_cell_without_a_number():
    with pytest.raises(ValueError, match="no number in '-'"):
        number("-")


@pytest.mark.parametrize("file", sorted(path.name for path in (ROOT / "benchmarks" / "results").glob("*.md")))
def test_every_line_of_a_table_has_all_columns(file):
    for section, table in tables(file):
        for row in table:
            assert len(row) == len(table[0]), f"{section}: {row}"
    lines = (ROOT / "benchmarks" / "results" / file).read_text().splitlines()
    written = sum(line.startswith("|") and not set(line) <= set("|-: ") for line in lines)
    assert sum(len(table) + 1 for _, table in tables(file)) == written


def test_rows_are_chosen_by_cells_and_section():
    row = rows("epyc-2-cores.md", "Smaller", n="1,000", set="blobs3", k="6")
    assert [number(r["quitefastmst"]) for r in row] == [0.54]
    assert {r["n x d"] for r in rows("nvidia-h200.md", n_x_d="2,000,000 x 2")} == {"2,000,000 x 2"}
    with pytest.raises(ValueError, match=r"epyc-2-cores\.md has no rows with"):
        rows("epyc-2-cores.md", set="nothing")
