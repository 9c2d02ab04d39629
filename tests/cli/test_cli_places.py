"""Places on the command line: --degrees and --radius, lengths in kilometres, and columns called lat and lon."""

import re

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
    ("name", "options", "params", "unit"),
    [
        ("places.csv", ["--degrees"], KM, " km\n"),
        ("places.csv", ["--degrees", "--radius", "1"], {"degrees": True}, "\n"),
        ("places.csv", ["--degrees", "--radius", "6371008.8"], {"degrees": True, "radius": 6371008.8}, "\n"),
        ("radians.npy", ["--radius", "6371.0088"], KM, "\n"),
    ],
)
def test_tree(here, capsys, name, options, params, unit):
    write("places.csv", "lat,lon")
    np.save("radians.npy", np.radians(PLACES))
    tree = tree_of(name, "--metric", "haversine", *options)
    expected = minimum_spanning_tree(PLACES, metric="haversine", metric_params=params, device="cpu")
    np.testing.assert_array_equal(tree["edges"], expected.edges)
    np.testing.assert_array_equal(tree["weights"], expected.weights)
    assert f"total weight {expected.total_weight:.9g}{unit}" in capsys.readouterr().out


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


PLANE = f"emst: note: --metric euclidean takes the columns lat and lon for lengths in a plane; {ADVICE}\n"
RADIANS = "emst: warning: metric='haversine' has degrees=True, but X has no latitude"


@pytest.mark.parametrize(("command", "to"), [("cluster", "labels.npy"), ("tree", "tree.npz")])
def test_what_looks_like_other_units_is_noted(here, capsys, command, to):
    write("places.csv", "lat,lon")
    np.save("radians.npy", np.radians(PLACES))
    for arguments, said in (["places.csv"], PLANE), (["radians.npy", "--metric", "haversine", "--degrees"], RADIANS):
        assert main([command, *arguments, "-o", to, "--device", "cpu"]) == 0
        err = capsys.readouterr().err
        assert err.startswith(said) and err.count("\n") == 1


def test_other_columns_are_not_noted(here, capsys):
    write("points.csv", "x,y")
    labels_of("points.csv")
    write("more.csv", "lat,lon,height", np.column_stack([PLACES, PLACES[:, 0]]))
    labels_of("more.csv")
    write("bare.csv", "")
    labels_of("bare.csv", "--metric", "haversine", "--degrees")
    assert capsys.readouterr().err == ""


HAVERSINE = "--metric haversine"
FAULTS = [
    ("places.csv", HAVERSINE, r"places.csv: metric='haversine' takes radians.*320 rows beyond.*in row 0.*--degrees\)"),
    (
        "swapped.csv",
        f"{HAVERSINE} --degrees",
        "if longitude comes first, turn the columns round: latitude must be column 0",
    ),
    ("swapped.csv", "--degrees", "--degrees goes with --metric haversine, not with --metric euclidean"),
    ("swapped.csv", "--radius 0 --metric cosine", "--radius goes with --metric haversine, not with --metric cosine"),
    (
        "places.csv",
        f"{HAVERSINE} --degrees --radius 0",
        r"radius of metric='haversine' must be a finite number greater than 0; got 0\.0",
    ),
    ("places.csv", f"{HAVERSINE} --p 3", "takes the parameters 'degrees' and 'radius'; got 'p'"),
]


@pytest.mark.parametrize(("command", "to"), [("cluster", "old.npy"), ("tree", "old.npz")])
@pytest.mark.parametrize(("name", "options", "said"), FAULTS)
def test_faults_are_one_line(here, capsys, command, to, name, options, said):
    write("places.csv", "lat,lon")
    write("swapped.csv", "x,y", PLACES[:, ::-1])
    (here / to).write_bytes(b"what was there")
    assert re.search(said, complaint(capsys, command, name, "-o", to, "--device", "cpu", *options.split()))
    assert (here / to).read_bytes() == b"what was there"
    only(here, "places.csv", "swapped.csv", to)
