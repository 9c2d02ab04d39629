"""`emst forest`: output, summary, and errors of one line."""

from __future__ import annotations

import gzip
import importlib
import inspect
import io
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from cli_helpers import complaint, only
from scipy import sparse

from datasets.graphs import gnm
from emst import graph_msf
from emst.cli import forest as command
from emst.cli import main
from emst.graph import msf
from emst.io import dimacs
from emst.io.graphs import read_graph

FLORIDA = pathlib.Path(__file__).parents[1] / "data" / "roads" / "florida-2000.gr"


def forest_of(*arguments):
    """Run `emst forest` on the CPU and return the arrays that it wrote."""
    assert main(["forest", *map(str, arguments), "-o", "forest.npz", "--device", "cpu"]) == 0
    with np.load("forest.npz") as arrays:
        return dict(arrays)


def same_forest(arrays, graph, **options):
    expected = graph_msf(graph, device="cpu", **options)
    for name in ("source", "target", "weight", "edge_id", "n_vertices"):
        np.testing.assert_array_equal(arrays[name], getattr(expected, name))
    assert arrays["weight"].dtype == expected.weight.dtype


@pytest.mark.parametrize("suffix", [".gr", ".gr.gz"])
def test_roads(here, capsys, suffix):
    raw = FLORIDA.read_bytes()
    (here / f"roads{suffix}").write_bytes(gzip.compress(raw) if suffix.endswith("gz") else raw)
    arrays = forest_of(f"roads{suffix}")
    same_forest(arrays, read_graph(FLORIDA))
    assert set(arrays) == {"source", "target", "weight", "edge_id", "n_vertices"}
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "2,000 vertices, 4,570 entries, int32",
        "1,999 edges in 1 component, total weight 865069",
    ]
    assert " s on cpu, algorithm boruvka" in lines[2] and lines[3:] == ["wrote forest.npz"]
    only(here, f"roads{suffix}", "forest.npz")


def test_edges_of_a_table_and_labels(here, capsys):
    (here / "edges.csv").write_text("to,cost,from\n1,0.5,0\n4,-2.5,1\n4,3.25,0\n6,1,5\n")
    arrays = forest_of("edges.csv", "--columns", "from,to,cost", "--labels")
    np.testing.assert_array_equal(arrays["source"], [0, 1, 5])
    np.testing.assert_array_equal(arrays["target"], [1, 4, 6])
    np.testing.assert_array_equal(arrays["weight"], [0.5, -2.5, 1])
    np.testing.assert_array_equal(arrays["edge_id"], [0, 1, 3])
    np.testing.assert_array_equal(arrays["component_labels"], [0, 0, 1, 2, 0, 3, 3])
    out = capsys.readouterr().out
    assert (
        "7 vertices, 4 entries, float64 (columns from, to, cost)\n3 edges in 4 components, total weight -1.0\n" in out
    )


@pytest.mark.parametrize("height, labels", [("1", [0, 0, 1, 2, 0, 3, 3]), ("-2.5", [0, 1, 2, 3, 1, 4, 5])])
def test_groups_at_a_height(here, capsys, height, labels):
    (here / "edges.csv").write_text("to,cost,from\n1,0.5,0\n4,-2.5,1\n4,3.25,0\n6,1,5\n")
    arrays = forest_of("edges.csv", "--columns", "from,to,cost", "--cut", height)
    np.testing.assert_array_equal(arrays["labels"], labels)
    assert f"\n{len(set(labels))} groups at {height}, the largest of " in capsys.readouterr().out
    assert read_graph("forest.npz").nnz == 3  # labels are no weights


def test_a_height_is_compared_with_integers_exactly(here):
    (here / "edges.csv").write_text(f"0,1,{2**60 + 1}\n1,2,{2**60}\n")
    np.testing.assert_array_equal(forest_of("edges.csv", "--cut", str(2**60))["labels"], [0, 1, 1])


@pytest.mark.parametrize("height", ["nan", "five", "1_0x", ""])
def test_a_height_is_a_number(here, capsys, height):
    (here / "edges.csv").write_text("0,1,2\n")
    with pytest.raises(SystemExit):
        main(["forest", "edges.csv", "-o", "forest.npz", "--cut", height])
    assert f"{height!r} is not a number" in capsys.readouterr().err
    only(here, "edges.csv")


PATTERN = "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n"
LENGTHS = "source,target,length\n0,1,2.5\n1,2,3.5\n0,2,1\n"
SUMS = f"0,1,{2**62}\n1,2,{2**62}\n2,3,1\n"
ONE = "1 edge in 1 component"


@pytest.mark.parametrize(
    "name, text, counts, kind, edges, total",
    [
        ("e.csv", LENGTHS, (3, 3), "float64 (columns source, target, length)", "2 edges in 1 component", 3.5),
        ("e.csv", "Length,U,V\n2.5,0,1\n", (2, 1), "float64 (columns U, V, Length)", ONE, 2.5),
        ("e.csv", "source,target\n0,1\n", (2, 1), "int32 (columns source, target; no weights: all 1)", ONE, 1),
        ("e.mtx", PATTERN, (2, 2), "int32 (no weights: all 1)", ONE, 1),
        ("e.csv", SUMS, (4, 3), "int64 (columns 0, 1, 2)", "3 edges in 1 component", 2**63 + 1),
        ("e.csv", "0,1,46567600.25\n", (2, 1), "float64 (columns 0, 1, 2)", ONE, 46567600.25),
        ("e.gr", "p sp 0 0\n", (0, 0), "int32", "0 edges in 0 components", 0),
    ],
)
def test_what_is_said_of_a_graph_and_its_forest(here, capsys, name, text, counts, kind, edges, total):
    """Sums of integers are exact, and floats are printed to the last digit."""
    (here / name).write_text(text)
    n, m = counts
    assert forest_of(name)["n_vertices"] == n
    entries = f"{m} {'entry' if m == 1 else 'entries'}"
    assert capsys.readouterr().out.startswith(f"{n} vertices, {entries}, {kind}\n{edges}, total weight {total}\n")


def test_a_forest_is_a_graph_whose_forest_is_itself(here):
    first = forest_of(FLORIDA)
    (here / "forest.npz").rename("again.npz")
    again = forest_of("again.npz")
    for name in ("source", "target", "weight", "n_vertices"):
        np.testing.assert_array_equal(again[name], first[name])


@pytest.mark.parametrize(
    "options",
    [
        ["--algorithm", "contraction"],
        ["--algorithm", "primitives"],
        ["--algorithm", "partial-prim"],
        ["--algorithm", "partial-prim", "--gamma", 3, "--variant", "sort"],
        ["--algorithm", "hybrid"],
        ["--algorithm", "hybrid", "--offload", 0.3],
    ],
)
def test_every_way_leads_to_the_same_forest(here, options):
    same_forest(forest_of(FLORIDA, *options), read_graph(FLORIDA))


def test_memory_is_kept_to(here, capsys):
    indptr, indices, weights = gnm(1000, 40_000)
    graph = sparse.csr_array((weights, indices, indptr), shape=(1000, 1000))
    sparse.save_npz("g.npz", graph)
    same_forest(forest_of("g.npz", "--max-device-bytes", "400K"), graph)
    assert "(1,024 bytes) may be used" in complaint(
        capsys, "forest", "g.npz", "-o", "f.npz", "--device", "cpu", "--max-device-bytes", "1K"
    )
    only(here, "g.npz", "forest.npz")


@pytest.mark.parametrize("name", ["e.csv", "e.npz"])
def test_ids_with_gaps_take_no_memory(here, capsys, name):
    (here / "e.csv").write_text("0,1999999,2\n")
    np.savez("e.npz", source=[0], target=[1999999])
    arrays = forest_of(name, "--max-device-bytes", "1M")
    assert arrays["nodes"].tolist() == [0, 1999999] and arrays["n_vertices"] == 2
    assert "; ids are numbered)" in capsys.readouterr().out
    np.savez("said.npz", source=[0], target=[1999999], n=2000000)
    line = complaint(capsys, "forest", "said.npz", "-o", "f.npz", "--device", "cpu", "--max-device-bytes", "1M")
    assert line.startswith("emst: said.npz: the forest of 2,000,000 vertices")


OSM = "from,to,km\n8123456789,17,2.5\n17,-4,0.5\n-4,8123456789,9\n5,5,1\n"
TOWNS = "from,to,km\nOslo,Rome,2.5\nRome,Bern,0.5\nBern,Oslo,9\nAlone,Alone,1\n"


@pytest.mark.parametrize(
    "text, nodes",
    [(OSM, [8123456789, 17, -4, 5]), (TOWNS, ["Oslo", "Rome", "Bern", "Alone"])],
    ids=["ids", "names"],
)
def test_what_vertices_are_called_is_written(here, capsys, text, nodes):
    a, b, c, alone = nodes
    (here / "roads.csv").write_text(text)
    assert main(["forest", "roads.csv", "-o", "forest.csv", "--device", "cpu"]) == 0
    assert "4 vertices, 4 entries, float64 (columns from, to, km; " in capsys.readouterr().out
    lines = (here / "forest.csv").read_text().splitlines()
    order = sorted if text is OSM else list
    ends = [order((a, b)), order((b, c))]
    assert lines == ["source,target,weight,edge_id", "{},{},2.5,0".format(*ends[0]), "{},{},0.5,1".format(*ends[1])]
    assert main(["forest", "roads.csv", "-o", "groups.csv", "--cut", "1", "--labels", "--device", "cpu"]) == 0
    lines = (here / "groups.csv").read_text().splitlines()
    labels = {vertex: (component, label) for vertex, component, label in (line.split(",") for line in lines[1:])}
    assert lines[0] == "vertex,component,label" and set(labels) == set(map(str, nodes))
    assert labels[str(b)] == labels[str(c)] and labels[str(a)] != labels[str(b)]
    assert labels[str(a)][0] == labels[str(b)][0] != labels[str(alone)][0]
    arrays = forest_of("roads.csv")
    assert sorted(arrays["nodes"].tolist()) == sorted(nodes)
    first = arrays["nodes"][[arrays["source"][0], arrays["target"][0]]].tolist()
    assert sorted(first) == sorted((a, b))


def test_errors_name_ids_as_the_file_does(here, capsys):
    (here / "roads.csv").write_text("8123456789,17,2.5\n17,8123456789,3\n")
    line = complaint(capsys, "forest", "roads.csv", "--device", "cpu")
    assert "first in line 1 (8123456789 to 17) weighs 2.5" in line


def test_options_arrive(here, monkeypatch):
    seen = {}

    def noted(graph, **options):
        seen.update(options)
        return graph_msf(graph, device="cpu")

    monkeypatch.setattr("emst.graph_msf", noted)
    options = ["--algorithm", "partial-prim", "--gamma", 3, "--variant", "min", "--symmetric", "min", "--labels"]
    forest_of(FLORIDA, *options, "--max-device-bytes", "3M")
    assert callable(seen.pop("report"))
    assert seen == {
        "algorithm": "partial-prim", "gamma": 3, "variant": "min", "symmetric": "min", "return_labels": True,
        "max_device_bytes": 3 << 20, "device": "cpu",
    }  # fmt: skip


def test_the_options_are_those_of_the_library():
    assert tuple(command.ALGORITHMS) == msf.ALGORITHMS
    for name, options in command.ALGORITHMS.items():
        function = importlib.import_module(f"emst.graph.algorithms.{name.replace('-', '_')}").forest
        known = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
        assert [option for option in known if option != "report"] == list(options)
        assert ("report" in known) is (name != "boruvka")


@pytest.mark.parametrize(
    "text, size",
    [
        ("1", 1),
        ("5k", 5 << 10),
        ("800M", 800 << 20),
        ("8G", 8 << 30),
        ("1.5G", 3 << 29),
        ("2t", 2 << 40),
        ("0.3k", 307),
    ],
)
def test_sizes(text, size):
    assert command._bytes(text) == size


@pytest.mark.parametrize("text", ["", "0", "-1", "0.5", "1.G", "8GB", "G"])
def test_no_sizes(here, capsys, text):
    with pytest.raises(SystemExit) as caught:
        main(["forest", str(FLORIDA), "-o", "f.npz", f"--max-device-bytes={text}"])
    assert caught.value.code == 2
    assert "is not a number of bytes like 800M or 1.5G" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name, text, place",
    [
        ("e.csv", "# of 2026\na,b,w\n0,1,5\n1,2,4\n\n1,0,3\n", "in line 3 (0 to 1)"),
        ("e.gr", "p sp 3 3\na 2 3 4\nc x\na 1 2 5\na 2 1 3\n", "in arc 2 (a 1 2)"),
        (
            "e.mtx",
            "%%MatrixMarket matrix coordinate integer general\n3 3 3\n2 3 4\n1 2 5\n2 1 3\n",
            "in entry 2 (1 2)",
        ),
        ("e.npz", None, "at position 1 (row 0, column 1)"),
    ],
)
def test_directions_that_differ(here, capsys, name, text, place):
    if text is None:
        np.savez(name, source=[1, 0, 1], target=[2, 1, 0], weight=[4, 5, 3])
    else:
        (here / name).write_text(text)
    line = complaint(capsys, "forest", name, "-o", "forest.npz", "--device", "cpu")
    assert line == (
        f"emst: {name}: weights must be the same in both directions; in 1 pair they are not, first {place} weighs 5 "
        "and its reverse 3. --symmetric min takes the lighter; also for parallel edges given in both directions\n"
    )
    only(here, name)
    same_forest(forest_of(name, "--symmetric", "min"), read_graph(name), symmetric="min")


def test_the_error_of_a_nan_weight_names_its_line(here, capsys):
    (here / "e.csv").write_text("a,b,w\n0,1,5\n1,2,nan\n")
    assert "first in line 3 (1 to 2)" in complaint(capsys, "forest", "e.csv", "-o", "forest.npz", "--device", "cpu")


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["absent.gr", "-o", "f.npz"], "absent.gr: no such file"),
        (["-", "-o", "f.npz"], "graphs are not read from standard input"),
        (["folder.npz", "-o", "f.npz"], "folder.npz is a folder; name a file"),
        (["g.npz", "--labels"], "--labels goes with -o, the file that gets them"),
        (["g.txt", "-o", "f.npz"], "g.txt: unknown suffix '.txt'; graphs are read from .gr"),
        (["g.gr", "-o", "f.npy"], "f.npy: the forest is written as .npz, .csv, .tsv, .parquet"),
        (["g.npz", "-o", "g.npz"], "g.npz holds the graph: write the forest to another file"),
        (["g.gr", "-o", "absent/f.npz"], "absent/f.npz: No such file"),
        (["g.gr", "-o", "folder.npz"], "is a directory"),
        (["g.gr", "-o", "f.npz"], "g.gr, line 2: 'a 1 3 4' names vertex 3"),
        (["g.gr", "-o", "f.npz", "--columns", "0,1"], "only a .csv, .tsv or .parquet has columns to choose"),
        (["g.csv", "-o", "f.npz"], "g.csv has columns 0 to 3, without names; --columns tells"),
        (["g.csv", "-o", "f.npz", "--columns", "0,1,2"], "g.csv: "),  # NaN
        (["g.csv", "-o", "f.npz", "--gamma", "3"], "--gamma is an option of --algorithm partial-prim"),
        (
            ["g.csv", "-o", "f.npz", "--algorithm", "hybrid", "--variant", "min"],
            "--variant is an option of --algorithm",
        ),
        (
            ["g.csv", "-o", "f.npz", "--algorithm", "primitives", "--offload", "1"],
            "--offload is an option of --algorithm",
        ),
        (["h.csv", "-o", "f.npz", "--algorithm", "partial-prim", "--gamma", "0"], "h.csv: gamma"),
        (["h.csv", "-o", "f.npz", "--algorithm", "hybrid", "--offload", "2"], "h.csv: offload"),
    ],
)
def test_what_goes_wrong_is_one_line(here, capsys, arguments, said):
    (here / "g.txt").write_text("")
    (here / "g.gr").write_text("p sp 2 1\na 1 3 4\n")
    (here / "g.csv").write_text("0,1,nan,4\n")
    (here / "h.csv").write_text("0,1,2\n")
    sparse.save_npz("g.npz", sparse.csr_array(np.eye(3)))
    (here / "folder.npz").mkdir()
    before = [path.name for path in here.iterdir()]
    assert said in complaint(capsys, "forest", *arguments, "--device", "cpu")
    only(here, *before)


def test_interrupted(here, capsys, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    (here / "forest.npz").write_text("old")
    monkeypatch.setattr("emst.graph_msf", interrupt)
    assert main(["forest", str(FLORIDA), "-o", "forest.npz"]) == 130
    assert capsys.readouterr().err == "emst: interrupted\n"
    only(here, "forest.npz")
    assert (here / "forest.npz").read_text() == "old"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("screen, shown", [(Terminal(), True), (io.StringIO(), False)])
def test_bars_on_a_terminal_only(here, monkeypatch, screen, shown):
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(dimacs, "BLOCK", 8000)
    monkeypatch.setattr("tqdm.tqdm.monitor_interval", 0)
    forest_of(FLORIDA, "--algorithm", "contraction")
    text = screen.getvalue()
    assert ("reading florida-2000.gr" in text) is shown
    assert ("round 1" in text) is shown
    if shown:
        assert text.endswith("\r")


def test_as_a_module(here):
    arguments = [sys.executable, "-m", "emst", "forest", str(FLORIDA), "-o", "forest.npz", "--device", "cpu"]
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=here, env=environment())
    assert done.returncode == 0 and done.stderr == ""
    assert "total weight 865069" in done.stdout
    help = subprocess.run([*arguments[:4], "--help"], capture_output=True, text=True, env=environment())
    assert "emst forest USA-road-d.NY.gr.gz -o forest.npz" in help.stdout


def environment():
    return os.environ | {"PYTHONPATH": str(pathlib.Path(__file__).resolve().parents[2])}
