"""The plots of docs/benchmarks and the README have the figures of benchmarks/results, as they are written there."""

import re
import sys

import pytest
from helpers import ROOT

sys.path.append(str(ROOT))
from benchmarks.tables import number, rows, tables

LABELS = {"set": "cpu-blobs3", "k": "6"}
RMAT = {"set": "rmat22", "weights": "int32"}
GPU = "nvidia-h200.md"
CPU = "xeon-2-cores.md"
# Every time in the README: its line there; file, section, row and column of the results.
README = {
    "blobs in 3-D | two": [
        (CPU, "Labels beside", {**LABELS, "contestant": "HDBSCANGPU"}, "median ms"),
        (CPU, "Labels beside", {**LABELS, "contestant": "fast_hdbscan"}, "median ms"),
        (CPU, "Labels beside", {**LABELS, "contestant": "hdbscan"}, "median ms"),
    ],
    "blobs in 3-D | H200": [
        (GPU, "Labels beside", {"set": "blobs3 1000000", "contestant": "HDBSCANGPU"}, "median ms"),
        (GPU, "Labels beside", {"set": "blobs3 1000000", "contestant": "cuML (recorded)"}, "median ms"),
    ],
    "blobs in 384-D": [
        (GPU, "Many dimensions", {"set": "blobs384", "contestant": "HDBSCANGPU"}, "median ms"),
        (GPU, "Many dimensions", {"set": "blobs384", "contestant": "cuML (recorded)"}, "median ms"),
    ],
    "1 M uniform points": [
        (CPU, "Trees", {"set": "cpu-uniform3", "k": "1", "contestant": "emst"}, "median ms"),
        (CPU, "Trees", {"set": "cpu-uniform3", "k": "1", "contestant": "quitefastmst"}, "median ms"),
    ],
    "1,000 points": [
        (CPU, "Small sets", {"set": "cpu-uniform2 1000", "k": "1", "contestant": "emst"}, "median ms"),
        (CPU, "Small sets", {"set": "cpu-uniform2 1000", "k": "1", "contestant": "quitefastmst"}, "median ms"),
    ],
    "a billion": [(GPU, "A billion points", {"n_x_d": "1,000,000,000 x 3"}, "median ms")],
    "R-MAT graph, 65.7 M entries | two": [
        (CPU, "Forests", {**RMAT, "contestant": "emst"}, "median ms"),
        (CPU, "Forests", {**RMAT, "contestant": "rustworkx"}, "median ms"),
    ],
    "R-MAT graph, 65.7 M entries | H200": [
        (GPU, "Forests", {**RMAT, "contestant": "emst"}, "median ms"),
        (GPU, "Forests", {**RMAT, "contestant": "RAFT, labels and edge list (recorded)"}, "median ms"),
    ],
}


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


def test_every_file_of_results_is_on_a_page():
    """Those that newer ones supersede are deleted."""
    pages = [ROOT / "README.md", ROOT / "benchmarks" / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = "".join(page.read_text() for page in pages)
    files = [path.name for path in (ROOT / "benchmarks" / "results").glob("*.md")]
    assert [file for file in files if f"results/{file}" not in text] == []


def test_rows_are_chosen_by_cells_and_section():
    row = rows(CPU, "Trees", set="cpu-blobs3", k="6", contestant="quitefastmst")
    assert [number(r["median ms"]) for r in row] == [1292]
    found = rows(GPU, "Figure 1", n_x_d="2,000,000 x 2")
    assert [r["set"] for r in found] == ["normal2"]
    with pytest.raises(ValueError, match=r"xeon-2-cores\.md has no rows with"):
        rows(CPU, set="nothing")


def test_every_time_in_the_readme_is_a_result():
    text = (ROOT / "README.md").read_text()
    table = re.findall(r"^\| (?!task|---).*\|$", text[text.index("## How fast it is") :], re.M)
    assert len(table) == len(README)
    for known, places in README.items():
        [line] = [line for line in table if known in line]
        told = re.findall(r"([\d,]+(?:\.(\d+))?) (ms|s)\b", line)
        assert len(told) == len(places), line
        for (time, decimals, unit), (file, section, row, column) in zip(told, places):
            [found] = [one for one in rows(file, section, **row) if column in one]
            scale = 1000 if unit == "s" else 1
            assert abs(number(time) * scale - number(found[column])) <= 0.5001 * scale * 10 ** -len(decimals), line
