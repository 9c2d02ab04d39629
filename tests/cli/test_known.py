"""`emst cluster --known`: labels of some points, in a column of the table."""

import numpy as np
import pytest
from cli_helpers import complaint

from emst import HDBSCANGPU
from emst.cli import main

G = np.random.default_rng(0)
POINTS = np.concatenate([G.normal(centre, 0.8, (40, 2)) for centre in [(0, 0), (5, 0), (30, 0), (35, 0)]])
KNOWN = np.where(np.arange(160) % 9 == 0, np.arange(160) // 80, -1)  # two groups of two, which "eom" keeps apart
SIZE = ["--min-cluster-size", "10", "--min-samples", "5", "--device", "cpu", "-o", "l.npy"]


def table(words):
    rows = zip(POINTS.tolist(), KNOWN.tolist())
    return "x,y,kind\n" + "".join(f"{x!r},{y!r},{words[label]}\n" for (x, y), label in rows)


@pytest.mark.parametrize(
    "words",
    [
        ["flint", "chert, grey".replace(",", ""), ""],
        ["7", "0", "-1"],
        ["7", "0", ""],
        ["7", "0", "NA"],
        ["a", "b", "null"],
    ],
)
def test_labels_of_some_points_select_the_clusters(here, capsys, words):
    (here / "p.csv").write_text(table(words))
    assert main(["cluster", "p.csv", "--columns", "x,y", "--known", "kind", *SIZE]) == 0
    model = HDBSCANGPU(min_cluster_size=10, min_samples=5, semi_supervised=True, device="cpu").fit(POINTS, KNOWN)
    np.testing.assert_array_equal(np.load("l.npy"), model.labels_)
    assert model.labels_.max() == 1
    assert "153 of 153 constraints on pairs of labelled points are satisfied" in capsys.readouterr().out


def test_an_array_of_numbers(here):
    np.save("p.npy", np.column_stack([POINTS, KNOWN]))
    assert main(["cluster", "p.npy", "--columns", "0,1", "--known", "2", *SIZE]) == 0
    assert np.load("l.npy").max() == 1


def test_labels_are_no_coordinates(here, capsys):
    (here / "p.csv").write_text(table(["7", "0", "-1"]))
    np.save("p.npy", np.column_stack([POINTS, KNOWN]))
    for file, column, options in [("p.csv", "kind", []), ("p.csv", "1", ["--columns", "x,y"]), ("p.npy", "2", [])]:
        found = complaint(capsys, "cluster", file, "--known", column, *options, *SIZE)
        assert "holds the labels of --known; name the coordinates with --columns" in found
    assert "no column 'kin'" in complaint(capsys, "cluster", "p.csv", "--columns", "x,y", "--known", "kin", *SIZE)
    found = complaint(capsys, "cluster", "p.csv", "--columns", "x,y", "--known", "kind", "--weights", "x", *SIZE)
    assert "--known takes no --weights" in found
    found = complaint(capsys, "cluster", "p.csv", "--columns", "x,y", "--known", "kind", "--method", "leaf", *SIZE)
    assert "cluster_selection_method must be 'eom' with labels or constraints" in found
