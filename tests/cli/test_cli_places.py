"""Places on the command line: --degrees and --radius, lengths in kilometres, and columns called lat and lon."""

import numpy as np
import pytest
from cli_helpers import complaint, only

from emst import HDBSCANGPU, minimum_spanning_tree
from emst.cli import main

KM = {"degrees": True, "radius": 6371.0088}
G = np.random.default_rng(3)
CENTRES = np.array([[48.2, 16.37], [48.2, 17.1], [40.7, -74.0], [-18.1, 178.4]])
PLACES = np.concatenate([town + G.normal(0, 0.02, (80, 2)) for town in CENTRES]).round(6)
ADVICE = "for distances on the earth add --metric haversine --degrees"


def write(path, header, table=PLACES):
    np.savetxt(path, table, delimiter=",", header=header, comments="", fmt="%.6f")


def labels_of(*arguments):
    """Run `emst cluster` on the CPU and return the labels that it wrote."""
    options = ("--min-cluster-size", "20", "--min-samples", "20", "-o", "labels.npy", "--device", "cpu")
    assert main(["cluster", *arguments, *options]) == 0
    return np.load("labels.npy")


def clusters(**options):
    return HDBSCANGPU(min_cluster_size=20, metric="haversine", metric_params=KM, device="cpu", **options).fit(PLACES)


def tree_of(*arguments):
    assert main(["tree", *arguments, "-o", "tree.npz", "--device", "cpu"]) == 0
    with np.load("tree.npz") as tree:
        return dict(tree)


def test_degrees_are_clustered_in_kilometres(here, capsys):
    write("places.csv", "lat,lon")
    labels = labels_of("places.csv", "--metric", "haversine", "--degrees")
    np.testing.assert_array_equal(labels, clusters().labels_)
    assert labels.max() == 3
    assert capsys.readouterr().err == ""


def test_epsilon_is_in_kilometres(here):
    """Vienna and Bratislava are 54 km apart."""
    write("places.csv", "lat,lon")
    options = ("places.csv", "--metric", "haversine", "--degrees", "--epsilon")
    assert labels_of(*options, "20").max() == 3
    labels = labels_of(*options, "60")
    assert labels.max() == 2
    np.testing.assert_array_equal(labels, clusters(cluster_selection_epsilon=60.0).labels_)


@pytest.mark.parametrize(
    ("options", "params", "unit"),
    [
        (["--degrees"], KM, " km\n"),
        (["--degrees", "--radius", "1"], {"degrees": True}, "\n"),
        (["--degrees", "--radius", "6371008.8"], {"degrees": True, "radius": 6371008.8}, "\n"),
    ],
)
def test_tree(here, capsys, options, params, unit):
    write("places.csv", "lat,lon")
    tree = tree_of("places.csv", "--metric", "haversine", *options)
    expected = minimum_spanning_tree(PLACES, metric="haversine", metric_params=params, device="cpu")
    np.testing.assert_array_equal(tree["edges"], expected.edges)
    np.testing.assert_array_equal(tree["weights"], expected.weights)
    assert f"total weight {expected.total_weight:.9g}{unit}" in capsys.readouterr().out


def test_radians_with_a_radius(here):
    np.save("places.npy", np.radians(PLACES))
    tree = tree_of("places.npy", "--metric", "haversine", "--radius", "6371.0088")
    expected = minimum_spanning_tree(PLACES, metric="haversine", metric_params=KM, device="cpu")
    np.testing.assert_array_equal(tree["weights"], expected.weights)


@pytest.mark.parametrize(
    ("header", "columns", "read"),
    [
        ("lon,lat", [], "lat,lon"),
        ("id,Longitude,Latitude", [], "Latitude,Longitude"),
        ("id,lat,lng", [], "lat,lng"),
        ("id,long,lat", ["--columns", "long,lat"], "lat,long"),
        ("id,lon,lat", ["--columns", "1,2"], "lat,lon"),
    ],
)
def test_latitude_is_read_before_longitude(here, capsys, header, columns, read):
    parts = {"la": PLACES[:, 0], "lo": PLACES[:, 1], "ln": PLACES[:, 1], "id": np.arange(len(PLACES))}
    write("places.csv", header, np.stack([parts[name[:2].lower()] for name in header.split(",")], axis=1))
    labels = labels_of("places.csv", "--metric", "haversine", "--degrees", *columns)
    np.testing.assert_array_equal(labels, clusters().labels_)
    assert capsys.readouterr().err == f"emst: note: --metric haversine takes the columns {read}, in this order\n"


def test_parquet(here, capsys):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    parquet.write_table(pa.table({"lon": PLACES[:, 1], "lat": PLACES[:, 0], "name": ["x"] * 320}), "places.parquet")
    labels = labels_of("places.parquet", "--metric", "haversine", "--degrees")
    np.testing.assert_array_equal(labels, clusters().labels_)
    assert "takes the columns lat,lon, in this order" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["cluster", "tree"])
def test_a_plane_of_latitudes_and_longitudes_is_noted(here, capsys, command):
    write("places.csv", "lat,lon")
    name = "labels.npy" if command == "cluster" else "tree.npz"
    assert main([command, "places.csv", "-o", name, "--device", "cpu"]) == 0
    note = f"emst: note: --metric euclidean takes the columns lat and lon for lengths in a plane; {ADVICE}\n"
    assert capsys.readouterr().err == note


def test_other_columns_are_not_noted(here, capsys):
    write("points.csv", "x,y")
    labels_of("points.csv")
    write("more.csv", "lat,lon,height", np.column_stack([PLACES, PLACES[:, 0]]))
    labels_of("more.csv")
    write("bare.csv", "")
    labels_of("bare.csv", "--metric", "haversine", "--degrees")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", ["cluster", "tree"])
def test_radians_that_are_called_degrees(here, capsys, command):
    np.save("places.npy", np.radians(PLACES))
    name = "labels.npy" if command == "cluster" else "tree.npz"
    assert main([command, "places.npy", "-o", name, "--metric", "haversine", "--degrees", "--device", "cpu"]) == 0
    err = capsys.readouterr().err
    assert (
        err.startswith("emst: warning: metric='haversine' has degrees=True, but X has no latitude")
        and err.count("\n") == 1
    )


@pytest.mark.parametrize("command", ["cluster", "tree"])
def test_faults_are_one_line(here, capsys, command):
    write("places.csv", "lat,lon")
    write("swapped.csv", "x,y", PLACES[:, ::-1])
    name = "old.npy" if command == "cluster" else "old.npz"
    (here / name).write_bytes(b"what was there")

    def told(path, *options):
        return complaint(capsys, command, path, "-o", name, "--device", "cpu", *options)

    haversine = ("--metric", "haversine")
    found = told("places.csv", *haversine)
    assert "places.csv: metric='haversine' takes radians" in found and "(on the command line --degrees)" in found
    assert "320 rows beyond" in found and "in row 0" in found
    found = told("swapped.csv", *haversine, "--degrees")
    assert "if longitude comes first, turn the columns round: latitude must be column 0" in found
    assert "--degrees goes with --metric haversine, not with --metric euclidean" in told("swapped.csv", "--degrees")
    found = told("swapped.csv", "--radius", "0", "--metric", "cosine")
    assert "--radius goes with --metric haversine, not with --metric cosine" in found
    found = told("places.csv", *haversine, "--degrees", "--radius", "0")
    assert "radius of metric='haversine' must be a finite number greater than 0; got 0.0" in found
    assert "takes the parameters 'degrees' and 'radius'; got 'p'" in told("places.csv", *haversine, "--p", "3")
    assert (here / name).read_bytes() == b"what was there"
    only(here, "places.csv", "swapped.csv", name)
