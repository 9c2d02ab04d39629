"""Columns of ids, row numbers and words are left out, and a note says so."""

import gzip

import numpy as np
import pytest
from cli_helpers import complaint

import emst
from emst.cli import main
from emst.io.columns import id_columns

RANDOM = np.random.default_rng(7)
XY = RANDOM.normal(size=(60, 2)) + 9 * RANDOM.integers(0, 2, (60, 1))
ROWS = np.arange(60)
SHUFFLED = RANDOM.permutation(60) * 7919 + 10**6


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(name, columns):
    """A file with these columns."""
    if name.endswith(".csv"):
        lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*(list(v) for v in columns.values())))]
        with open(name, "w") as file:
            file.write("\n".join(lines))
    elif name.endswith(".parquet"):
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.table({key: list(values) for key, values in columns.items()}), name)
    elif name.endswith(".fits"):
        pytest.importorskip("astropy.table").Table({key: list(values) for key, values in columns.items()}).write(name)
    else:
        kinds = [(key, np.asarray(values).dtype) for key, values in columns.items()]
        table = np.empty(60, kinds)
        for key, values in columns.items():
            table[key] = values
        np.save(name, table)


def labels_of(*arguments):
    assert main(["cluster", *arguments, "--min-samples", "4", "--device", "cpu", "-o", "labels.npy"]) == 0
    return np.load("labels.npy")


def expected(points):
    return emst.HDBSCANGPU(min_samples=4, device="cpu").fit(points).labels_


X, Y = XY.T
LEFT_OUT = {
    "id": {"id": ROWS, "x": X, "y": Y},
    "object_id": {"x": X, "y": Y, "object_id": SHUFFLED},
    "haloId": {"haloId": SHUFFLED, "u": X, "v": Y},
    "n": {"n": 3 * ROWS, "u": X, "v": Y},
}


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npy"])
@pytest.mark.parametrize("name", LEFT_OUT)
def test_ids_are_left_out(here, capsys, name, suffix):
    written(f"points{suffix}", LEFT_OUT[name])
    np.testing.assert_array_equal(labels_of(f"points{suffix}"), expected(XY))
    listed = ",".join(LEFT_OUT[name])
    kept = f"emst: note: column {name!r} numbers the rows and is left out; --columns {listed} keeps it\n"
    assert capsys.readouterr().err == kept
    table = np.stack([np.asarray(values, float) for values in LEFT_OUT[name].values()], axis=1)
    np.testing.assert_array_equal(labels_of(f"points{suffix}", "--columns", listed), expected(table))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "names, table, ids",
    [
        (["x", "y", "z"], np.c_[ROWS, XY], []),
        (["time", "a", "b"], np.c_[ROWS, XY], []),
        (["id", "a", "b"], np.c_[XY[:, :1], XY], []),  # no integers
        (["grid", "valid", "a"], np.c_[SHUFFLED, SHUFFLED[::-1], XY[:, 0]], []),
        (["count", "a", "b"], np.c_[SHUFFLED, XY], []),  # does not ascend
        (["n", "a"], np.c_[ROWS, XY[:, 0]], []),  # one column would be left
        (["id", "a"], np.c_[ROWS, XY[:, 0]], [0]),
        (["id"], ROWS[:, None], []),
        (["fid", "OBJECTID", "a", "b"], np.c_[ROWS, SHUFFLED, XY], [0, 1]),
        (None, np.c_[ROWS, XY], [0]),
        (None, np.c_[2 * ROWS, XY], []),
        (None, np.c_[ROWS, XY[:, 0]], []),
        (["n", "a", "b"], np.c_[ROWS[:2], XY[:2]], []),  # two rows ascend by chance
        (["id", "a", "b"], np.c_[np.where(ROWS == 3, np.nan, ROWS), XY], []),
        (["rank", "a", "b"], np.c_[ROWS, XY], [0]),
        (["description", "a", "b"], np.c_[ROWS, XY], [0]),
        (["ra", "dec", "b"], np.c_[ROWS, XY], []),
        (["uv_index", "a", "b"], np.c_[ROWS % 7, XY], []),
        (["index", "a", "b"], np.c_[ROWS % 7, XY], [0]),
    ],
)
def test_which_columns_are_ids(names, table, ids):
    assert id_columns(names, table) == ids


def test_a_matrix_of_distances_keeps_all_columns(here, capsys):
    points = np.arange(5.0)[:, None] ** 2
    np.savetxt("distances.csv", abs(points - points.T), delimiter=",", fmt="%d")
    assert main(["cluster", "distances.csv", "--metric", "precomputed", "--device", "cpu", "-o", "labels.npy"]) == 0
    assert "left out" not in capsys.readouterr().err


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_words_are_left_out(here, capsys, suffix):
    written(f"points{suffix}", {"name": [f"P {i}" for i in ROWS], "x": X, "y": Y})
    np.testing.assert_array_equal(labels_of(f"points{suffix}"), expected(XY))
    assert capsys.readouterr().err == "emst: note: column 'name' holds no numbers and is left out\n"


@pytest.mark.parametrize("field", ["1_0", "2,5", "2024-01-01", "-"])
def test_what_may_be_a_number_is_an_error(here, capsys, field):
    name = "x" if field == "-" else "a"
    with open("points.csv", "w") as file:
        file.write(f"{name};b\n" + f"{field};1\n" * 9)
    assert main(["cluster", "points.csv", "--device", "cpu", "-o", "labels.npy"]) == 2
    assert "is not a number" in capsys.readouterr().err


@pytest.mark.parametrize("words", ["Nancy", "infantry", "P 1"])
@pytest.mark.parametrize("name", ["name", "description", "rating"])
def test_words_that_begin_like_numbers(here, capsys, name, words):
    written("points.csv", {name: [words] * 60, "x": X, "y": Y})
    np.testing.assert_array_equal(labels_of("points.csv"), expected(XY))
    assert capsys.readouterr().err == f"emst: note: column {name!r} holds no numbers and is left out\n"


def test_append_keeps_what_is_left_out(here):
    """Of an array, whose columns are written again."""
    written("points.npy", LEFT_OUT["object_id"])
    assert main(["cluster", "points.npy", "--device", "cpu", "--append", "-o", "out.csv"]) == 0
    points, names = emst.read_points("out.csv", return_names=True)
    assert names == ["x", "y", "object_id", "label", "probability"]
    np.testing.assert_array_equal(points[:, 2], SHUFFLED)
    np.testing.assert_array_equal(points[:, 3], emst.HDBSCANGPU(device="cpu").fit(XY).labels_)


def test_a_name_that_occurs_twice_is_advised_by_its_number(here, capsys):
    with open("points.csv", "w") as file:
        file.write("id,u,u\n" + "\n".join(f"{i},{u},{v}" for i, (u, v) in enumerate(XY)))
    labels_of("points.csv")
    assert "--columns id,1,2 keeps it" in capsys.readouterr().err


def test_right_ascension_and_declination(here, capsys):
    written("stars.fits", {"RA": X, "DEC": Y, "mag": X})
    labels = labels_of("stars.fits", "--metric", "haversine", "--degrees")
    params = {"degrees": True, "radius": 6371.0088}
    model = emst.HDBSCANGPU(min_samples=4, metric="haversine", metric_params=params, device="cpu").fit(np.c_[Y, X])
    np.testing.assert_array_equal(labels, model.labels_)
    assert "takes the columns DEC,RA, in this order" in capsys.readouterr().err
    labels_of("stars.fits")
    assert "for distances on the earth" in capsys.readouterr().err


def test_positions_of_a_fits(here, capsys):
    written("stars.fits", {"ID": SHUFFLED, "mag": X, "Y": Y, "X": X, "name": ["star"] * 60})
    np.testing.assert_array_equal(labels_of("stars.fits"), expected(XY))
    assert capsys.readouterr().err == (
        "emst: note: the columns X, Y are taken; --columns chooses others, of which the table has 3\n"
    )
    points, names = emst.read_points("stars.fits", return_names=True)
    assert names == ["X", "Y"]
    np.testing.assert_array_equal(points, XY)
    written("catalogue.fits", {"RA": X, "DEC": Y, "z": X})
    assert emst.read_points("catalogue.fits", return_names=True)[1] == ["RA", "DEC"]


@pytest.mark.parametrize(
    "names", [("lat_deg", "lon_deg"), ("Latitude (WGS84)", "Longitude (WGS84)"), ("STOP_LAT", "STOP_LON")]
)
def test_names_of_places(here, capsys, names):
    written("places.csv", {"id": ROWS, names[1]: X, names[0]: Y})
    places = np.c_[Y, X]
    labels = labels_of("places.csv", "--metric", "haversine", "--degrees")
    params = {"degrees": True, "radius": 6371.0088}
    model = emst.HDBSCANGPU(min_samples=4, metric="haversine", metric_params=params, device="cpu").fit(places)
    np.testing.assert_array_equal(labels, model.labels_)
    order = f"emst: note: --metric haversine takes the columns {','.join(names)}, in this order\n"
    assert capsys.readouterr().err == order
    labels_of("places.csv")
    assert "for distances on the earth add --metric haversine --degrees" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["cluster", "tree"])
@pytest.mark.parametrize(
    "head, row, note",
    [
        ("x,y,\n", "{},{},", "column 2, which has no name, holds no value and is left out"),
        ("", "{},{},,", "column 2, which has no name, holds no value and is left out"),
        ("x,z,y\n", "{},,{}", "column 'z' holds no value and is left out"),
        ("name,x,z,y\n", "A,{}, ,{}", "column 'z' holds no value and is left out"),
    ],
)
def test_columns_without_a_value_are_left_out(here, capsys, command, head, row, note):
    (here / "points.csv").write_text(head + "".join(row.format(x, y) + "\n" for x, y in XY))
    options = ["--min-samples", "4", "--device", "cpu", "-o", "out.npz"]
    assert main([command, "points.csv", *options]) == 0
    assert f"emst: note: {note}\n" in capsys.readouterr().err
    with np.load("out.npz") as found:
        if command == "cluster":
            np.testing.assert_array_equal(found["label"], expected(XY))
        else:
            tree = emst.minimum_spanning_tree(XY, min_samples=4, device="cpu")
            np.testing.assert_array_equal(found["edges"], tree.edges)


def test_a_column_with_a_late_value_is_kept(here, capsys):
    """Behind the rows that are looked at for words."""
    rows = ["1,2,"] * 1100 + ["1,2,3"]
    (here / "points.csv").write_text("x,y,z\n" + "\n".join(rows) + "\n")
    assert main(["cluster", "points.csv", "--device", "cpu", "-o", "labels.npy"]) == 0
    assert "left out" not in capsys.readouterr().err
    assert (np.load("labels.npy") == -3).sum() == 1100


@pytest.mark.parametrize("command", ["cluster", "tree"])
@pytest.mark.parametrize(
    "text, options, said",
    [
        ("x,y,c\n1,2,nan\n3,4,nan\n", [], "points.csv: no row can be used: column 'c' has no finite value; --columns"),
        ("x,y\n1,nan\ninf,2\n", [], "no row can be used: each has an empty field, a NaN or an infinite value"),
        ("1,nan,2\n3,nan,4\n", [], "no row can be used: column '1' has no finite value"),
        ("x,y,c\n1,2,\n3,4,\n", ["--columns", "x,c"], "column 'c'"),
    ],
)
def test_rows_of_which_none_is_finite(here, capsys, command, text, options, said):
    (here / "points.csv").write_text(text)
    assert main([command, "points.csv", *options, "--device", "cpu"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("columns, twice", [("x,x", "x"), ("x,y,1", "1")])
def test_a_column_is_not_taken_twice(here, capsys, columns, twice):
    written("points.csv", {"x": X, "y": Y})
    assert main(["cluster", "points.csv", "--columns", columns, "--device", "cpu"]) == 2
    assert capsys.readouterr().err == f"emst: points.csv: column '{twice}' is asked for twice\n"


@pytest.mark.parametrize(
    "head, row, advice",
    [
        ('x coord,"y, coord",id,w', "{0},{1},{2},{0}", "0,1,id,w"),
        ("name,id,u'1,-v", "A,{2},{0},{1}", "id,2,3"),
        (",id,u $,v", "R1,{2},{0},{1}", "id,2,v"),
    ],
)
def test_advice_on_columns_can_be_pasted(here, capsys, head, row, advice):
    lines = [row.format(x, y, i) for i, (x, y) in zip(SHUFFLED, XY)]
    (here / "points.csv").write_text("\n".join([head, *lines]) + "\n")
    labels_of("points.csv")
    assert f"; --columns {advice} keeps it\n" in capsys.readouterr().err
    labels_of("points.csv", "--columns", advice)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", ["cluster", "tree"])
@pytest.mark.parametrize(
    "name, options", [("points.csv.gz", []), ("points.csv.gz", ["--sep", ","]), ("points.csv", [])]
)
def test_a_compressed_text(here, capsys, command, name, options):
    (here / name).write_bytes(gzip.compress(b"x,y\n1,2\n3,4\n"))
    assert main([command, name, *options, "--device", "cpu"]) == 2
    assert capsys.readouterr().err == f"emst: {name} is compressed by gzip; unpack it first, with gunzip -c\n"


def test_lists_cannot_be_appended_to_in_a_text(here, capsys):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    x = np.random.default_rng(0).random(60)
    parquet.write_table(arrow.table({"x": x, "y": x[::-1], "l": [[1, 2]] * 60}), "p.parquet")
    found = complaint(capsys, "cluster", "p.parquet", "--columns", "x,y", "--append", "-o", "out.csv")
    assert "p.parquet: column 'l' holds list<" in found and "which only a .parquet can hold" in found
    assert main(["cluster", "p.parquet", "--columns", "x,y", "--append", "-o", "out.parquet"]) == 0


def test_names_of_columns_stay_in_messages(here, capsys):
    (here / "p.csv").write_text("sep=;\nx;y\n1;2\n")
    assert "--sep" not in complaint(capsys, "cluster", "p.csv")


@pytest.mark.parametrize("name", ["p.npy", "p.npz"])
def test_words_in_a_structured_array(here, capsys, name):
    table = np.zeros(60, [("x", float), ("kind", "U3"), ("y", np.float32)])
    table["x"], table["y"] = XY.T
    np.save(name, table) if name == "p.npy" else np.savez(name, table=table)
    assert main(["cluster", name]) == 0
    out, err = capsys.readouterr()
    assert "60 points in 2 dimensions (x, y)" in out
    assert err == "emst: note: column 'kind' holds no numbers and is left out\n"
    with pytest.raises(ValueError, match="column 'kind' holds text, not numbers"):
        emst.read_points(name)


def test_numbers_as_names_are_told(here, capsys):
    (here / "p.csv").write_text("0,1\n" + "".join(f"{x!r},{y!r}\n" for x, y in XY.tolist()))
    assert main(["cluster", "p.csv"]) == 0
    out, err = capsys.readouterr()
    assert "60 points in 2 dimensions (0, 1)" in out
    assert err == "emst: note: the first line is taken for names of columns: 0, 1\n"
