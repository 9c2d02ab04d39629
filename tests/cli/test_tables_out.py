"""Trees and forests as tables, and a first look without a file."""

import sys

import numpy as np
import pandas as pd
import pytest
from cli_helpers import complaint, only

import emst
from emst.cli import main

POINTS = np.random.default_rng(8).normal(size=(60, 2))
ROADS = "from,to,km\n0,1,2.5\n1,2,0.1\n0,2,9\n4,5,1\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("points.npy", POINTS)
    (tmp_path / "roads.csv").write_text(ROADS)
    return tmp_path


def run(*arguments):
    assert main([*map(str, arguments), "--device", "cpu"]) == 0


def read(name):
    """The table in a file; numbers are the bits that were written."""
    if name.endswith(".parquet"):
        return pd.read_parquet(name)
    table, names = emst.read_points(name, return_names=True)
    return pd.DataFrame(table, columns=names)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["tree.csv", "tree.tsv", "tree.parquet"])
def test_edges_of_a_tree(here, capsys, name, dtype):
    run("tree", "points.npy", "--dtype", dtype, "-o", name)
    expected = emst.minimum_spanning_tree(POINTS, device="cpu", dtype=dtype).to_pandas()
    found = read(name).astype({"weight": dtype, "source": "int32", "target": "int32"})
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert found["weight"].is_monotonic_increasing
    out, err = capsys.readouterr()
    assert out.endswith(f"wrote {name}\n") and err == ""


def test_core_distances_are_in_an_npz_alone(here, capsys):
    run("tree", "points.npy", "--min-samples", 3, "-o", "tree.csv")
    assert capsys.readouterr().err == "emst: note: a table holds no core distances; an .npz does\n"
    assert list(read("tree.csv")) == ["source", "target", "weight"]
    run("tree", "points.npy", "--min-samples", 3, "-o", "tree.npz")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["forest.csv", "forest.tsv", "forest.parquet"])
def test_edges_of_a_forest(here, name):
    run("forest", "roads.csv", "-o", name)
    expected = {"source": [0, 1, 4], "target": [1, 2, 5], "weight": [2.5, 0.1, 1.0], "edge_id": [0, 1, 3]}
    assert read(name).to_dict("list") == expected


@pytest.mark.parametrize("name", ["v.csv", "v.parquet"])
def test_labels_of_a_forest_are_a_table_of_vertices(here, name):
    run("forest", "roads.csv", "--labels", "--cut", "1", "-o", name)
    expected = {"vertex": [0, 1, 2, 3, 4, 5], "component": [0, 0, 0, 1, 2, 2], "label": [0, 1, 1, 2, 3, 3]}
    assert read(name).to_dict("list") == expected
    run("forest", "roads.csv", "--labels", "-o", name)
    assert list(read(name)) == ["vertex", "component"]


@pytest.mark.parametrize("text", ["0,1,9007199254740993\n", "0,1,0.1\n"])
def test_a_table_of_a_forest_can_be_read_again(here, text):
    (here / "graph.csv").write_text("source,target,weight\n" + text)
    run("forest", "graph.csv", "-o", "forest.csv")
    assert (here / "forest.csv").read_text() == f"source,target,weight,edge_id\n{text.strip()},0\n"
    run("forest", "forest.csv", "-o", "again.csv")
    assert (here / "again.csv").read_text() == (here / "forest.csv").read_text()


@pytest.mark.parametrize(
    "command, said",
    [
        (["tree", "points.npy"], "total weight "),
        (["tree", "points.npy", "--cut", "0.5"], "groups, the largest of "),
        (["forest", "roads.csv"], "3 edges in 3 components, total weight 3.6"),
        (["forest", "roads.csv", "--cut", "1"], "4 groups at 1, "),
        (["cluster", "points.npy"], " points of noise "),
    ],
)
def test_a_first_look_writes_no_file(here, capsys, command, said):
    run(*command)
    out = capsys.readouterr().out
    assert said in out and out.endswith("\nwrote no file: -o FILE writes the results\n")
    only(here, "points.npy", "roads.csv")


@pytest.mark.parametrize("command", [["tree"], ["cluster", "--min-cluster-size", "5"]])
def test_a_first_look_with_a_picture(here, capsys, command):
    run(*command, "points.npy", "--plot", "look.png")
    assert (here / "look.png").read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().out.endswith("wrote look.png\n")
    only(here, "points.npy", "roads.csv", "look.png")


@pytest.mark.parametrize(
    "command, said",
    [
        (["cluster", "points.npy", "--append"], "--append needs -o FILE"),
        (["tree", "absent.npy"], "absent.npy: no such file"),
        (["forest", "absent.csv"], "absent.csv: no such file"),
        (["tree", "points.npy", "--cut", "-1"], "--cut is a length of at least 0"),
        (["cluster", "points.npy", "--plot", "p.png", "--tree", "p.png"], "must have different names"),
    ],
)
def test_what_goes_wrong_without_a_file(here, capsys, command, said):
    assert said in complaint(capsys, *command)
    only(here, "points.npy", "roads.csv")


@pytest.mark.parametrize("command", [["tree", "points.npy"], ["forest", "roads.csv"]])
def test_a_table_that_cannot_be_written(here, capsys, monkeypatch, command):
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    assert "writing .parquet needs pyarrow" in complaint(capsys, *command, "-o", "out.parquet")
    only(here, "points.npy", "roads.csv")
