"""`emst cluster --hover`: columns of the table that the page tells."""

import io

import numpy as np
import pytest
from cli_helpers import complaint, only

from emst.cli import main
from emst.io.tables import Row
from emst.plots import page as page_room

pytest.importorskip("bokeh", reason="Bokeh (the extra html) is not installed")
N = 60
POINTS = np.repeat([[0.0, 0], [9, 0], [0, 9]], 20, axis=0) + np.random.default_rng(0).normal(size=(N, 2))
WORDS = [f"stone {i}" if i % 7 else "" for i in range(N)]
KINDS = [("flint", "chert, grey", "<b>slate</b>")[i % 3] for i in range(N)]
WEIGHTS = np.arange(N) / 8


@pytest.fixture
def told(monkeypatch):
    """What the pointer of a page will tell."""
    found = {}

    def keep(given, *_):
        found.update(given["hover"])
        return "<html>"

    monkeypatch.setattr(page_room, "html_of", keep)
    return found


def run(*arguments):
    options = ["-o", "l.npy", "--html", "page.html", "--min-cluster-size", "9", "--device", "cpu"]
    assert main([*map(str, arguments), *options]) == 0


def table(sep=",", names=True, gap=None):
    """The lines of a table; the point in row `gap` has no x."""
    lines = [sep.join(["name", "x", "y", "kind", "weight"])] if names else []
    for i in range(N):
        x = "" if i == gap else repr(float(POINTS[i, 0]))
        kind = f'"{KINDS[i]}"' if sep in KINDS[i] else KINDS[i]
        lines.append(sep.join([WORDS[i], x, repr(float(POINTS[i, 1])), kind, str(WEIGHTS[i])]))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("file, sep, options", [
    ("p.csv", ",", []), ("p.csv", ";", []), ("p.tsv", "\t", []), ("p.txt", "|", ["--sep", "|"]),
])  # fmt: skip
def test_columns_of_a_text(here, told, file, sep, options):
    (here / file).write_text(table(sep), encoding="utf-8")
    run("cluster", file, "--columns", "x,y", "--hover", "name,kind,4", *options)
    assert told == {"name": WORDS, "kind": KINDS, "weight": [str(w) for w in WEIGHTS]}


def test_a_row_without_a_place_moves_no_names(here, told):
    (here / "p.csv").write_text("# stones\n\n" + table(gap=5), encoding="utf-8")
    run("cluster", "p.csv", "--columns", "x,y", "--hover", "name")
    assert told["name"] == WORDS[:5] + WORDS[6:]


def test_columns_without_names(here, told):
    np.savetxt(here / "p.csv", np.column_stack([POINTS, WEIGHTS]), delimiter=",", fmt="%.6g")
    run("cluster", "p.csv", "--columns", "0,1", "--hover", "2")
    assert told == {"column 2": [f"{w:.6g}" for w in WEIGHTS]}


def test_columns_of_standard_input(here, told, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(table().encode())))
    run("cluster", "-", "--columns", "x,y", "--hover", "kind")
    assert told == {"kind": KINDS}


def test_columns_in_another_encoding(here, told):
    (here / "p.csv").write_text(table().replace("flint", "Flöz"), encoding="latin-1")
    run("cluster", "p.csv", "--columns", "x,y", "--hover", "kind", "--encoding", "latin-1")
    assert told["kind"][0] == "Flöz"


def test_columns_of_parquet(here, told):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    ids = [2**60 + i if i else None for i in range(N)]
    columns = {"x": POINTS[:, 0], "y": POINTS[:, 1], "name": [w or None for w in WORDS], "osm": ids}
    parquet.write_table(arrow.table(columns | {"small": WEIGHTS.astype(np.float32) / 10}), here / "p.parquet")
    run("cluster", "p.parquet", "--columns", "x,y", "--hover", "name,3,small")
    assert told["name"] == WORDS and told["osm"] == ["", *(str(2**60 + i) for i in range(1, N))]
    assert told["small"][8] == "0.1"


def test_fields_of_an_array(here, told):
    stones = np.zeros(N, [("x", float), ("y", float), ("kind", "U12")])
    stones["x"], stones["y"], stones["kind"] = *POINTS.T, KINDS
    np.savez(here / "p.npz", stones=stones, other=np.zeros(3))
    run("cluster", "p.npz", "--array", "stones", "--columns", "x,y", "--hover", "kind")
    assert told == {"kind": KINDS}
    np.save(here / "p.npy", np.column_stack([POINTS, WEIGHTS]))
    told.clear()
    run("cluster", "p.npy", "--columns", "0,1", "--hover", "2")
    assert told == {"column 2": [str(w) for w in WEIGHTS]}


@pytest.mark.parametrize("options, said", [
    (["--hover", "nme", "--html", "page.html"], "p.csv: no column 'nme'; it has name, x, y, kind, weight"),
    (["--hover", "5", "--html", "page.html"], "p.csv: no column '5'; it has name, x, y, kind, weight"),
    (["--hover", "name"], "--hover goes with --html"),
])  # fmt: skip
def test_columns_that_are_not_there(here, capsys, options, said):
    (here / "p.csv").write_text(table(), encoding="utf-8")
    (here / "page.html").write_text("an earlier page")
    assert said in complaint(capsys, "cluster", "p.csv", "--columns", "x,y", "-o", "l.npy", *options)
    assert (here / "page.html").read_text() == "an earlier page"
    only(here, "p.csv", "page.html")


def test_a_format_without_a_table(here, capsys):
    laspy = pytest.importorskip("laspy")
    scan = laspy.create(point_format=0, file_version="1.2")
    scan.x, scan.y, scan.z = *POINTS.T, WEIGHTS
    scan.write(here / "p.las")
    line = complaint(capsys, "cluster", "p.las", "-o", "l.npy", "--html", "page.html", "--hover", "name")
    assert line == "emst: p.las: columns to tell in the page are read from .csv, .tsv, .parquet, .npy and .npz\n"
    only(here, "p.las")


def test_rows_that_are_read_otherwise_a_second_time_are_refused(here, capsys, monkeypatch):
    (here / "p.csv").write_text(table(), encoding="utf-8")
    fields = ["a", "1", "2", "flint", "0"]
    for count in (0, N - 1, N + 1):
        rows = [Row(1, "", fields)] * count
        monkeypatch.setattr("emst.io.texts.text_rows", lambda *_, rows=rows: iter(rows))
        line = complaint(
            capsys, "cluster", "p.csv", "--columns", "x,y", "-o", "l.npy", "--html", "p.html", "--hover", "name"
        )
        assert f"p.csv is not read as {N} rows a second time" in line
    only(here, "p.csv")
