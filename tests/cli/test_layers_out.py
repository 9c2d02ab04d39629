"""`emst cluster --layers` and `--min-cluster-size auto`: columns, the summary, and errors."""

import csv

import numpy as np
import pytest
from cli_helpers import complaint, only

from emst import HDBSCANGPU
from emst.cli import main

G = np.random.default_rng(7)
POINTS = np.concatenate([G.normal(c, 1.0, (100, 2)) for c in (0, 8, 60, 68)])


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("points.npy", POINTS)
    return tmp_path


def cluster(*arguments):
    assert main(["cluster", *arguments, "--device", "cpu"]) == 0


@pytest.fixture(scope="module")
def layers():
    return HDBSCANGPU(min_samples=5, device="cpu").fit(POINTS).layers()


def test_layers_are_columns_beside_labels_and_probabilities(here, layers, capsys):
    cluster("points.npy", "--layers", "-o", "labels.npz")
    columns = np.load("labels.npz")
    assert list(columns) == ["label", "probability", *(f"layer{i}" for i in range(len(layers)))]
    for number, labels in enumerate(layers.labels):
        np.testing.assert_array_equal(columns[f"layer{number}"], labels)
    sizes = (f"{size} ({labels.max() + 1} clusters)" for size, labels in zip(layers.min_cluster_sizes, layers.labels))
    assert f"\nlayers of min_cluster_size {', '.join(sizes)}\n" in capsys.readouterr().out


def test_layers_are_appended_to_the_columns_of_the_points(here, layers):
    np.savetxt("points.csv", POINTS, delimiter=",", header="x,y", comments="")
    cluster("points.csv", "--layers", "--append", "-o", "all.csv")
    with open("all.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:4] == ["x", "y", "label", "probability"]
    assert [int(row["layer0"]) for row in rows] == layers.labels[0].tolist()


def test_auto_takes_the_best_layer_and_says_its_size(here, layers, capsys):
    cluster("points.npy", "--min-cluster-size", "auto", "-o", "labels.npy")
    np.testing.assert_array_equal(np.load("labels.npy"), layers.labels[layers.best])
    assert f", min_cluster_size {layers.min_cluster_sizes[layers.best]}, min_samples 5\n" in capsys.readouterr().out


def test_layers_that_are_left_out_are_counted(here, capsys):
    np.save("uniform.npy", G.random((3000, 2)))
    cluster("uniform.npy", "--min-samples", "2", "--layers", "-o", "labels.npz")
    peaks = HDBSCANGPU(min_samples=2, device="cpu").fit(np.load("uniform.npy")).layers().n_peaks
    assert len(np.load("labels.npz").files) == 12
    assert f", {peaks - 10} less persistent ones left out\n" in capsys.readouterr().out


def test_points_that_do_not_split_have_no_layers(here, capsys):
    np.save("line.npy", np.arange(20.0)[:, None])
    cluster("line.npy", "--min-samples", "2", "--layers", "-o", "labels.npz")
    assert np.load("labels.npz").files == ["label", "probability"]
    assert "\nno layers: nothing splits into clusters\n" in capsys.readouterr().out


def test_layers_need_a_file_that_can_hold_them(here, capsys):
    assert "--layers needs -o FILE" in complaint(capsys, "cluster", "points.npy", "--layers")
    (here / "old.npy").write_bytes(b"old")
    line = complaint(capsys, "cluster", "points.npy", "--layers", "-o", "old.npy")
    assert "old.npy: an .npy holds the labels only; --layers needs .npz" in line
    assert (here / "old.npy").read_bytes() == b"old"
    only(here, "points.npy", "old.npy")


def test_a_column_that_is_called_like_a_layer_is_named(here, capsys):
    np.savetxt("points.csv", POINTS, delimiter=",", header="x,layer0", comments="")
    arguments = ["cluster", "points.csv", "--append", "-o", "all.csv", "--device", "cpu"]
    assert "has a column 'layer0' already" in complaint(capsys, *arguments, "--layers")
    only(here, "points.npy", "points.csv")
    assert main(arguments) == 0


@pytest.mark.parametrize("size", ["automatic", "2.5", ""])
def test_a_size_that_is_neither_a_number_nor_auto(here, capsys, size):
    with pytest.raises(SystemExit):
        main(["cluster", "points.npy", "--min-cluster-size", size])
    assert f"argument --min-cluster-size: invalid int or auto value: {size!r}" in capsys.readouterr().err
