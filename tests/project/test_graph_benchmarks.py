"""The benchmarks of graphs run, and their tables hold the expected rows and columns."""

import json
import subprocess
import sys

import numpy as np
import pytest
from helpers import DEVICES, ROOT, table_of


@pytest.fixture
def roads(tmp_path):
    """A folder with a "network" of five vertices, one parallel arc and one loop; its tree weighs 7."""
    u, v, weight = [0, 1, 1, 2, 3, 4, 2], [1, 0, 2, 3, 4, 0, 2], [2, 1, 1, 2, 3, 9, 0]
    np.savez(tmp_path / "USA-road-d.NY.npz", n=5, src=np.int32(u), dst=np.int32(v), weight=np.int32(weight))
    return tmp_path


def named(rows):
    """Rows below a head as dicts."""
    head = next(row for row in rows if "contestant" in row)
    return [dict(zip(head, row)) for row in rows if len(row) == len(head) and row != head]


@pytest.mark.parametrize("device", DEVICES)
def test_forests(device, tmp_path):
    options = f"--device {device} --quick --runs 2 --weights int32 float64 --no-memory"
    rows = named(table_of("forests", options, tmp_path))
    ours = [row for row in rows if row["contestant"] == "emst"]
    assert [row["weights"] for row in ours] == ["int32", "float64"] * 3
    for whole, real in zip(ours[::2], ours[1::2]):
        assert float(whole["total weight"]) == float(real["total weight"]) > 0
        assert whole["edges, labels"] == real["edges, labels"]


@pytest.mark.parametrize("device", DEVICES)
def test_memory_of_a_forest(device, tmp_path):
    """On the CPU it is measured in a process of its own."""
    options = f"--device {device} --sets rmat:11:16 --weights float64 --runs 1"
    (row,) = named(table_of("forests", options, tmp_path, process=True))
    assert float(row["bytes/entry beyond input"]) >= 0


def test_forests_beside_peers(tmp_path):
    pytest.importorskip("scipy")
    options = "--sets grid:30 er:500:3 --runs 1 --peers scipy --no-memory"
    rows = named(table_of("forests", options, tmp_path))
    assert [row["contestant"] for row in rows] == ["emst", "scipy"] * 2
    for ours, theirs in zip(rows[::2], rows[1::2]):
        assert ours["total weight"] == theirs["total weight"]
        assert ours["components"] == theirs["components"]
    assert int(rows[2]["components"]) > 1  # a random graph of degree 3 leaves vertices out


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("form", ["list", "coo", "one-way"])
def test_forms_of_a_graph(form, device, tmp_path):
    """Every edge once, in any order; the forest is that of the symmetric matrix."""
    options = f"--device {device} --sets grid:30 --runs 1 --peers --no-memory"
    if form == "coo" and device == "cuda":  # CuPy's sparse matrices hold no integers
        options += " --weights float32"
    (tmp_path / "symmetric").mkdir()
    whole, *peers = named(table_of("forests", f"{options} --form {form}", tmp_path))
    symmetric, *_ = named(table_of("forests", f"{options} --peers scipy", tmp_path / "symmetric"))
    assert whole["entries"] == "1,740" and symmetric["entries"] == "3,480"
    names = {"list": ["scipy", "igraph", "rustworkx"]}.get(form, ["scipy"]) if device == "cpu" else []
    assert {peer["contestant"] for peer in peers} <= set(names)
    assert "scipy" not in names or peers
    assert {row["total weight"] for row in [whole, *peers]} == {symmetric["total weight"]}


def test_a_road_network(roads, tmp_path):
    """Parallel arcs count once, the lightest; loops do not; its known weight is another, and the command says so."""
    command = [sys.executable, "benchmarks", "forests", "--sets", "USA-road-d.NY", "--data", str(roads)]
    command += ["--runs", "1", "--no-memory"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "wrong total weight: emst on USA-road-d.NY" in done.stderr
    cells = next(line for line in done.stdout.splitlines() if line.startswith("| USA-road-d.NY")).split(" | ")
    assert cells[1:3] == ["5", "10"]
    assert cells[10:12] == ["7", "expected 261159288"]


@pytest.mark.parametrize("device", DEVICES)
def test_papers(device, tmp_path):
    found, plots = tmp_path / "x.json", tmp_path / "plots"
    options = f"--device {device} --quick --runs 1 --budget 0.01 --json {found} --plots {plots}"
    table_of("graph-papers", options, tmp_path)
    tables = {table["name"]: table for table in json.loads(found.read_text())["tables"]}
    assert {file.stem for file in plots.iterdir()} <= tables.keys()
    algorithms = ["boruvka", "contraction", "primitives", "partial-prim", "hybrid"]
    for name in ("roads", "side-by-side", "sizes", "degrees", "worst-cases"):
        head, rows = tables[name]["head"], tables[name]["rows"]
        assert rows
        first = head.index("boruvka")
        assert head[first : first + 5] == algorithms
        assert all(row[first + i] > 0 for row in rows for i in range(5))
    assert tables["roads"]["rows"][0][1] == "road-like, for NY"
    assert 39.0 in tables["roads"]["rows"][0]  # Vineet et al.
    assert [row[0] for row in tables["gamma"]["rows"]] == [2, 50]
    assert [row[0] for row in tables["offload"]["rows"]] == [0.0, 0.5]
    for _, _, rounds, rates, counts in tables["reduction"]["rows"]:
        assert len(counts.split()) == len(rates.split()) == rounds
        assert float(rates.split()[0]) >= 2


def test_recorded_times_are_found():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        from expected import ECL_MST, FORESTS, RAFT, recorded_forests
        from graph_sets import SETS
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
    assert RAFT.keys() == ECL_MST.keys() == set(SETS) <= FORESTS.keys()
    record = {"set": "USA-road-d.NY", "n": 264_346, "entries": 730_100, "dtype": "float32"}
    assert [1000 * other["seconds"][0] for other in recorded_forests(record)] == pytest.approx([0.390, 0.341, 0.448])
    assert len(recorded_forests(record | {"dtype": "int64"})) == 2  # not ECL-MST: it has 4 bytes
    assert recorded_forests(record | {"set": "grid:30"}) == []
