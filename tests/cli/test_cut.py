"""`emst tree --cut`: friends of friends."""

import numpy as np
import pytest
from cli_helpers import complaint

import emst
from emst.cli import main

X = np.random.default_rng(5).normal(size=(80, 2))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("points.npy", X)
    return tmp_path


def tree(*arguments):
    assert main(["tree", "points.npy", *map(str, arguments), "--device", "cpu"]) == 0


@pytest.mark.parametrize("output", ["groups.csv", "groups.tsv", "groups.npy", "groups.parquet", "tree.npz"])
def test_labels_of_groups(here, capsys, output):
    if output.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    tree("--cut", 0.3, "-o", output)
    expected = emst.EMST(device="cpu").fit(X)
    labels = expected.cut(0.3)
    if output == "tree.npz":
        with np.load(output) as arrays:
            np.testing.assert_array_equal(arrays["edges"], expected.edges_)
            np.testing.assert_array_equal(arrays["labels"], labels)
    else:
        found = np.load(output) if output.endswith(".npy") else emst.read_points(output)[:, 0]
        np.testing.assert_array_equal(found, labels)
    groups, largest = labels.max() + 1, np.bincount(labels).max()
    assert f"{groups} groups, the largest of {largest} points at 0.3" in capsys.readouterr().out


@pytest.mark.parametrize("period, lengths", [("2", 2.0), ("2,0", [2, 0]), ("0.5,1e3", [0.5, 1000])])
def test_groups_in_a_periodic_box(here, period, lengths):
    tree("--cut", 0.1, "--period", period, "-o", "groups.npy")
    expected = emst.EMST(device="cpu", metric_params={"period": lengths}).fit(X)
    np.testing.assert_array_equal(np.load("groups.npy"), expected.cut(0.1))
    assert main(["cluster", "points.npy", "--period", period, "-o", "labels.npy", "--device", "cpu"]) == 0
    model = emst.HDBSCANGPU(device="cpu", metric_params={"period": lengths}).fit(X)
    np.testing.assert_array_equal(np.load("labels.npy"), model.labels_)


def test_small_groups(here, capsys):
    tree("--cut", 0.3, "--min-cluster-size", 4, "-o", "groups.npy")
    labels = np.load("groups.npy")
    np.testing.assert_array_equal(labels, emst.EMST(device="cpu").fit(X).cut(0.3, 4))
    left = (labels < 0).sum()
    assert left > 1 and f", {left} points in smaller ones at 0.3" in capsys.readouterr().out
    tree("--cut", 0, "--min-cluster-size", 2, "-o", "groups.npy")
    assert (np.load("groups.npy") == -1).all()
    assert "0 groups, 80 points in smaller ones at 0" in capsys.readouterr().out


def test_without_a_cut_nothing_has_changed(here):
    tree("-o", "tree.npz")
    with np.load("tree.npz") as arrays:
        assert sorted(arrays) == ["edges", "weights"]


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--period", "1,2,3"], "points.npy: period in metric_params has 3 lengths, but X has 2 columns"),
        (["--period", "-1"], "points.npy: period in metric_params must be a finite length"),
        (["--period", "1", "--metric", "cosine"], "metric='cosine' takes no period; these do: 'euclidean'"),
        (["-o", "groups.npy"], "groups.npy: the tree is written as .npz, .csv, .tsv, .parquet; --cut also writes"),
        (["-o", "groups.txt", "--cut", "1"], "groups.txt: unknown suffix '.txt'; labels are written to"),
        (["-o", "t.npz", "--cut", "-1"], "--cut is a length of at least 0; got -1"),
        (["-o", "t.npz", "--cut", "nan"], "--cut is a length of at least 0; got nan"),
        (["-o", "t.npz", "--min-cluster-size", "3"], "--min-cluster-size goes with --cut"),
        (["-o", "t.npz", "--cut", "1", "--min-cluster-size", "0"], "--min-cluster-size is at least 1; got 0"),
    ],
)
def test_faults(here, capsys, arguments, said):
    assert said in complaint(capsys, "tree", "points.npy", *arguments)
    assert sorted(path.name for path in here.iterdir()) == ["points.npy"]
