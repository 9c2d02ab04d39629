"""`emst cluster --weights` and `emst tree --weights`: weights of the points, in a column of the table."""

import numpy as np
import pytest
from cli_helpers import complaint, only

from emst import HDBSCANGPU, minimum_spanning_tree
from emst.cli import main

G = np.random.default_rng(0)
POINTS = np.concatenate([G.normal(centre, 0.8, (30, 2)) for centre in [(0, 0), (6, 0), (12, 3)]])
WEIGHTS = G.integers(0, 7, 90)
SIZE = ["--min-cluster-size", "12", "--min-samples", "8"]
ON_CPU = ["--device", "cpu"]


def table(weights, names="x,y,people"):
    rows = zip(POINTS.tolist(), weights)
    return f"{names}\n" + "".join(f"{x!r},{y!r},{weight}\n" for (x, y), weight in rows)


def labels_of(*arguments):
    assert main(["cluster", *arguments, *SIZE, *ON_CPU, "-o", "l.npy"]) == 0
    return np.load("l.npy")


def test_a_column_weighs_the_points_and_is_no_coordinate(here):
    (here / "p.csv").write_text(table(WEIGHTS.tolist()))
    np.save("p.npy", np.column_stack([WEIGHTS, POINTS]))
    model = HDBSCANGPU(min_cluster_size=12, min_samples=8, device="cpu").fit(POINTS, sample_weight=WEIGHTS)
    assert model.labels_.max() >= 1
    for file, column, options in [
        ("p.csv", "people", []),
        ("p.csv", "2", []),
        ("p.csv", "people", ["--columns", "x,y"]),
        ("p.npy", "0", []),
        ("p.npy", "0", ["--columns", "1,2"]),
    ]:
        np.testing.assert_array_equal(labels_of(file, "--weights", column, *options), model.labels_)


def test_weights_without_columns_may_look_like_numbers_of_rows(here, capsys):
    """The column is told apart before columns of ids are left out."""
    ascending = np.arange(1, 91)
    (here / "p.csv").write_text(table(ascending.tolist(), "x,y,id"))
    model = HDBSCANGPU(min_cluster_size=12, min_samples=8, device="cpu").fit(POINTS, sample_weight=ascending)
    np.testing.assert_array_equal(labels_of("p.csv", "--weights", "id"), model.labels_)


def test_append_keeps_the_column_of_weights(here):
    (here / "p.csv").write_text(table(WEIGHTS.tolist()))
    assert main(["cluster", "p.csv", "--weights", "people", "--append", *SIZE, *ON_CPU, "-o", "l.csv"]) == 0
    lines = (here / "l.csv").read_text().splitlines()
    assert lines[0] == "x,y,people,label,probability"
    assert [int(float(line.split(",")[2])) for line in lines[1:]] == WEIGHTS.tolist()


def test_a_tree_with_weights(here):
    weights = np.maximum(WEIGHTS, 1) / 4
    (here / "p.csv").write_text(table(weights.tolist()))
    assert main(["tree", "p.csv", "--weights", "people", "--min-samples", "3", *ON_CPU, "-o", "t.npz"]) == 0
    tree = minimum_spanning_tree(POINTS, min_samples=3, sample_weight=weights, device="cpu")
    found = np.load("t.npz")
    np.testing.assert_array_equal(found["edges"], tree.edges)
    np.testing.assert_array_equal(found["weights"], tree.weights)
    np.testing.assert_array_equal(found["core_distances"], tree.core_distances)


@pytest.mark.parametrize("command", ["cluster", "tree"])
def test_bad_weights_leave_an_existing_output(here, capsys, command):
    output = "l.npy" if command == "cluster" else "l.npz"
    (here / output).write_text("of yesterday")
    words = WEIGHTS.tolist()
    for column, weights, sentence in [
        ("men", words, "p.csv: no column 'men'"),
        ("7", words, "p.csv: "),
        ("people", [*words[:-1], -2], "p.csv: sample_weight must be finite and not negative; it is negative in 1 row"),
        ("people", [*words[:-1], ""], "it is NaN in 1 row" if command == "cluster" else "column 'people': there is no"),
        ("people", [*words[:-1], "many"], "p.csv, line 91, column 'people': 'many' is not a number"),
    ]:
        (here / "p.csv").write_text(table(weights))
        found = complaint(capsys, command, "p.csv", "--weights", column, "--min-samples", 3, *ON_CPU, "-o", output)
        assert sentence in found, found
    (here / "p.csv").write_text("people\n1\n2\n3\n")
    found = complaint(capsys, command, "p.csv", "--weights", "people", "--min-samples", 2, *ON_CPU, "-o", output)
    assert "there is no column of points besides that of the weights" in found
    only(here, "p.csv", output)
    assert (here / output).read_text() == "of yesterday"
