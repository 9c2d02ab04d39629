"""The benchmarks of points run, and their tables hold the expected rows and columns."""

import subprocess
import sys
import time

import numpy as np
import pytest
from helpers import DEVICES, ROOT, table_of

from emst import minimum_spanning_tree
from emst.cpu.runtime import parallel


@pytest.fixture
def drivers(monkeypatch):
    """The modules of benchmarks/ can be imported."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")


@pytest.mark.parametrize("device", DEVICES)
def test_trees(device, tmp_path):
    rows = table_of("trees", f"--device {device} --sets cpu-uniform2 --n 9000 --k 1 4 --runs 2 --stages", tmp_path)
    assert sum("emst" in row for row in rows) == 2
    rounds = {"cpu": "nearest_outgoing", "cuda": "join_rest"}[device]
    assert any(rounds in row and "components after each round" in row for row in rows)


@pytest.mark.parametrize("device", DEVICES)
def test_clusterings(device, tmp_path):
    options = f"--device {device} --sets blobs3 cpu-blobs2 --n 3000 --runs 2 --stages --no-memory"
    rows = table_of("labels", options, tmp_path)
    title, *races = [row for row in rows if "contestant" in row or "HDBSCANGPU" in row]
    assert [row[0] for row in races] == ["blobs3 3000", "cpu-blobs2 3000"]
    for row in races:
        named = dict(zip(title, row))
        assert 30 <= int(named["clusters"]) <= 50  # 50 blobs, some of which overlap
        assert 0 < int(named["noise"]) < 600
        assert float(named["total weight"]) > 0
    stages = next(row for row in rows if row[0] == "stages, ms")
    assert stages[2:7] == ["tree", "linkage", "condense", "select", "label_points"]


def test_clusterings_beside_peers(tmp_path):
    """The same tree as scikit-learn's, and nearly the same clusters: at equal heights the order of merges is free."""
    rows = table_of("labels", "--sets cpu-blobs2:2000 --runs 1 --peers scikit-learn --no-memory", tmp_path)
    title = next(row for row in rows if "contestant" in row)
    found = {row[4]: dict(zip(title, row)) for row in rows if row[0] == "cpu-blobs2 2000"}
    ours, theirs = found["HDBSCANGPU"], found["scikit-learn"]
    assert ours["total weight"] == theirs["total weight"]
    assert float(theirs["adjusted Rand index"]) > 0.95


@pytest.mark.parametrize("device", DEVICES)
def test_many_dimensions(device, tmp_path):
    options = f"--device {device} --sets embeddings768:700 intrinsic384:600 --runs 2 --no-memory --peers --peer-runs 1"
    title, *races = [row for row in table_of("dimensions", options, tmp_path) if row[0] != "---"]
    named = [dict(zip(title, row)) for row in races]
    ours = [row for row in named if row["contestant"] == "HDBSCANGPU"]
    assert [row["set"] for row in ours] == ["embeddings768 700", "intrinsic384 600"]
    assert all(len(row["labels"]) == 16 for row in ours)
    if device == "cpu":
        assert [row["contestant"] for row in named[1:3]] == ["scikit-learn brute", "hdbscan"]
        for row in named[1:]:
            mine = next(one for one in ours if one["set"] == row["set"])
            assert float(row["total weight"]) == pytest.approx(float(mine["total weight"]), rel=1e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_predictions(device, tmp_path):
    options = f"--device {device} --sets cpu-tracks3 --n 5000 --queries 700 --runs 2"
    title, row = [row for row in table_of("predictions", options, tmp_path) if row[0] != "---"]
    named = dict(zip(title, row))
    assert (named["n x d"], named["queries"]) == ("5,000 x 3", "700")
    assert int(named["clusters"]) > 1 and 0 < int(named["noise"]) < 350


@pytest.mark.parametrize("device", DEVICES)
def test_trees_over_workers(device, tmp_path):
    options = f"weak --device {device} --sets halos --points-per-worker 3000 --workers 2 --runs 1 --check 500"
    rows = table_of("workers", f"{options} --tasks --operations --whole", tmp_path, process=True)
    title, row = rows[0], next(row for row in rows if row[0] == "halos")
    named = dict(zip(title, row))
    assert (named["points"], named["workers"]) == ("6,000", "2")
    assert named["one device on all"].endswith("s, the same total")
    assert {"ask", "answer", "join", "local_tree"} <= {row[0] for row in rows}
    assert any("nearest_outgoing" in row[-1] for row in rows if row[0] == "local_tree")


def test_clusterings_over_workers(tmp_path):
    options = "labels --sets blobs --k 5 --points-per-worker 3000 --workers 2 --runs 1 --check 500 --tasks"
    assert "hierarchy" in {row[0] for row in table_of("workers", options, tmp_path, process=True)}


def test_threads_beside_processes(tmp_path):
    options = "cpu --sets uniform --points 4000 --workers 2 --runs 1 --check 500"
    title, *rows = [row for row in table_of("workers", options, tmp_path, process=True) if row[0] != "---"]
    assert [row[3] for row in rows] == ["one process, 2 threads", "2 workers, threads", "2 workers, processes"]
    assert len({dict(zip(title, row))["total weight"] for row in rows}) == 1


def test_what_others_took_is_found(drivers):
    from commands.points import COMMANDS
    from expected import ARBORX, CUML, recorded

    titles = {(name.replace(":", " "), k) for name, ks in COMMANDS["labels"].cases["cuda"] for k in ks}
    assert ARBORX.keys() | CUML.keys() <= titles
    record = {"set": "blobs3 1000000", "n": 10**6, "d": 3, "dtype": "float32", "k": 6, "labels": None}
    assert [other["seconds"] for other in recorded(record)] == [[12.056]]
    assert recorded(record | {"k": 7}) == []


def test_a_first_call(drivers):
    """The process finds the same edges; its cache is that of the tests, so it need not compile."""
    from commands.first_call import CASES, CODE, process
    from contestants import ours

    contestant, d, dtype, k = CASES[0]
    found = process(CODE.format(contestant=contestant, n=500, d=d, dtype=dtype, k=k), str(ROOT / ".numba_cache"))
    points = np.random.default_rng(0).random((500, d)).astype(dtype)
    assert found == ours("cpu")["emst"].figures(minimum_spanning_tree(points, min_samples=k))["checksum"]


def test_sections_of_one_file(tmp_path):
    """A file is the results of one machine: commands append to it, and the machine is named once."""
    for title in ("Few", "Fewer"):
        options = f"--sets cpu-uniform2 --n 500 --runs 1 --no-memory --title {title}"
        table_of("trees", options, tmp_path)
    lines = (tmp_path / "x.md").read_text().splitlines()
    assert sum(line.startswith("# emst ") for line in lines) == 1
    assert [line for line in lines if line.startswith("## ")] == ["## Few", "## Fewer"]
    commands = [line for line in lines if line.startswith("`python benchmarks trees --sets cpu-uniform2")]
    assert len(commands) == 2


@pytest.mark.gpu
def test_products_and_boxes_find_the_same_edges(tmp_path):
    options = "--n 5000 --d 16 --k 1 --runs 1"
    rows = [row for row in table_of("crossing", options, tmp_path) if row[0] == "uniform"]
    assert [row[4] for row in rows] == ["hierarchy", "products", "chosen"]


def test_periodic_boxes_beside_open_ones(tmp_path):
    rows = table_of("periodic", "--n 500 --pairs 300 --runs 1 --k 1", tmp_path)[1:]
    assert [row[4] for row in rows] == ["open box", "periodic box", *["emst", "SciPy"] * 2]
    assert rows[2][-1] == rows[3][-1] and rows[4][-1] == rows[5][-1]


def test_a_command_that_does_not_exist():
    done = subprocess.run([sys.executable, "benchmarks", "tree"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "trees         minimum spanning trees" in done.stdout


@pytest.mark.gpu
def test_what_the_sanitizer_runs():
    subprocess.run([sys.executable, "benchmarks/sanitize.py", "--n", "301"], cwd=ROOT, check=True)


def test_threads(drivers, tmp_path, monkeypatch):
    """The same result on both numbers of threads; the time in which one thread works alone is a part of all."""
    from commands import scaling

    monkeypatch.setattr(scaling, "slower", lambda records: [])  # 3,000 points are few
    rows = table_of("scaling", "--works tree --n 3000 --threads 1 2 --runs 1", tmp_path)
    title, *races = [row for row in rows if len(row) == 6]
    found = [dict(zip(title, row)) for row in races]
    assert [row["threads"] for row in found] == ["1", "2"]
    assert len({row["checksum"] for row in found}) == 1
    assert all(float(row["alone ms"]) > 0 for row in found)


def test_more_threads_must_not_be_slower(drivers):
    from commands import scaling

    one, two = {"work": "tree", "threads": 1, "seconds": [3.0, 2.0]}, {"work": "tree", "threads": 2, "seconds": [2.1]}
    assert scaling.slower([one, two]) == []
    two["seconds"] = [2.3]
    assert scaling.slower([one, two]) == ["tree is slower on 2 threads than on 1"]


def test_the_time_of_one_thread_alone(drivers):
    """Not that of loops of several chunks."""
    from alone import seconds_alone

    def loop(chunks):
        parallel.for_chunks(lambda begin, end: time.sleep(0.2), chunks, 1)

    assert 0.1 <= seconds_alone(lambda: (time.sleep(0.1), loop(2))) < 0.2
    assert 0.3 <= seconds_alone(lambda: (time.sleep(0.1), loop(1)))
