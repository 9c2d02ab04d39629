"""The command of the ICPP'22 figures runs, and its tables can be read and drawn from."""

import importlib
import json
import subprocess
import sys

import numpy as np
import pytest
from helpers import DEVICES, ROOT

from benchmarks.tables import tables


@pytest.fixture
def run(tmp_path):
    """Calls the command; gives its tables, and what it wrote to standard error."""

    def called(options, code=0):
        path = tmp_path / "x.md"
        command = [sys.executable, "benchmarks", "icpp22", *options.split(), "--markdown", str(path)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return (dict(tables(str(path))) if path.exists() else {}), done.stderr

    return called


@pytest.fixture
def point_lab():
    """The module; the folder of benchmarks is on the path while it is imported."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks")
        return importlib.import_module("papers.point_lab")


@pytest.mark.parametrize("device", DEVICES)
def test_every_figure(run, device, tmp_path):
    np.save(tmp_path / "mine.npy", np.random.default_rng(0).random((700, 3)))
    found = tmp_path / "x.json"
    (tmp_path / "road-network-3d.zip").write_text("no archive")
    sets = f"--data {tmp_path} --sets uniform2 mine={tmp_path}/mine.npy gone={tmp_path}/gone.npy road-network-3d"
    figures, errors = run(f"--device {device} --quick --runs 1 {sets} --json {found}")
    assert [title.partition(":")[0] for title in figures] == [f"Figure {i}" for i in (1, 5, 6, 7, 8, 9)]
    assert [table["name"] for table in json.loads(found.read_text())["tables"]] == [
        f"figure-{i}" for i in (1, 5, 6, 7, 8, 9)
    ]
    parallel, sequential, speedups, samples, stages, neighbours = figures.values()
    assert [row["set"] for row in parallel] == ["uniform2 3000", "mine"]
    assert [row["n x d"] for row in sequential] == ["1,000 x 2", "700 x 3"]
    assert speedups == []  # no peers were asked for
    assert [row["n x d"] for row in samples] == ["300 x 3", "1,000 x 3", "3,000 x 3"]
    totals = [float(row["total weight"]) for row in samples]
    assert 0 < totals[0] < totals[1] < totals[2]
    assert all(float(row["MFeatures/s"]) > 0 for row in parallel + sequential + samples)
    for row in stages:
        times = {stage: float(cell.split()[0]) for stage, cell in row.items() if "%" in cell}
        assert sum(times.values()) == pytest.approx(float(row["sum"]), rel=1e-3)
        assert (times["core distances"] > 0) == (row["k"] == "4")
        assert times["rounds"] > 0 and times["dendrogram"] > 0
    assert [(row["k"], row["ratio to k = 1"] == "1") for row in neighbours] == [("1", True), ("4", False)]
    assert float(neighbours[1]["total weight"]) > float(neighbours[0]["total weight"])
    lines = [line for line in errors.splitlines() if not line.startswith("emst compiles kernels")]
    assert [line.split()[0].partition("=")[0] for line in lines] == ["gone", "road-network-3d"]
    assert errors.count("is skipped") == 2  # each set once, with one sentence


def test_totals_that_differ_are_a_problem(point_lab):
    lab = point_lab.PointLab(None)
    first = {"set": "uniform3 9", "k": 1, "contestant": "emst", "dtype": "float64", "total": 10.0}
    for total, problems in ((10.0 + 1e-14, 0), (10.0 + 1e-9, 1), (float("nan"), 2)):
        lab._check(first | {"contestant": "other", "total": total}, first)
        assert len(lab.problems) == problems
    lab._check(first | {"set": "uniform3", "dtype": "float32"}, first | {"set": "uniform3", "dtype": "float32"})
    assert "expected 29993.2376" in lab.problems[-1]


def test_degrees_keep_their_digits_in_float32(point_lab):
    degrees = 116.3 + np.arange(1000).reshape(-1, 1) * 1e-6
    assert len(np.unique(degrees.astype(np.float32))) < 200
    assert len(np.unique(point_lab.rounded(degrees, "float32"))) == 1000
    assert point_lab.rounded(degrees, "float64") is degrees


def test_a_set_that_does_not_exist(run):
    sentence = "halo33 is neither a set of points of the registry nor TITLE=FILE.npy"
    assert sentence in run("--quick --sets halo33", code=2)[1]
