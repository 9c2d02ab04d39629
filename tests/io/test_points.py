"""`emst.read_points`: texts in all notations, .las, .fits, and what it says about files that it cannot read."""

import pathlib
import sys

import numpy as np
import pytest

import emst
from emst.io.tables import PLAIN, dialect_of

POINTS = np.random.default_rng(5).normal(size=(50, 3)).round(4)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(text, name="points.csv", encoding="utf-8"):
    with open(name, "wb") as file:
        file.write(text.encode(encoding))
    return name


def read(text, name="points.csv", encoding_of_file="utf-8", **options):
    points, names = emst.read_points(written(text, name, encoding_of_file), return_names=True, **options)
    return points.tolist(), names


@pytest.mark.parametrize(
    "text, options, points, names",
    [
        ("x;y\n1,5;2\n3;4,25\n", {"decimal": ","}, [[1.5, 2], [3, 4.25]], ["x", "y"]),
        ("1,5;2\n3;4,25\n", {"decimal": ","}, [[1.5, 2], [3, 4.25]], None),
        ("1,5\t2\n3\t4,25\n", {"decimal": ","}, [[1.5, 2], [3, 4.25]], None),
        ("1,5 2\n3  4,25\n", {"decimal": ",", "sep": " "}, [[1.5, 2], [3, 4.25]], None),
        ('x;y\n"1,5";2\n', {"decimal": ",", "sep": ";"}, [[1.5, 2]], ["x", "y"]),
        ("# c\nx,y\n1,2 # a comment, too\n#\n3,4\n", {}, [[1, 2], [3, 4]], ["x", "y"]),
        ("5 # first\n6\n", {}, [[5], [6]], None),
        ("x y # names\n1 2 # behind\n\n  \n3 4\n", {"sep": " "}, [[1, 2], [3, 4]], ["x", "y"]),
        ('#1\nname #,x\na #1,2\n#b,3\n"#c\nd",4\n', {"columns": ["x"]}, [[2], [4]], ["x"]),
        ('name #,x\na #1,2\nb,3 # c\n"c # d",4#, e\n', {"columns": ["x"]}, [[2], [3], [4]], ["x"]),
        ("name;x\na #1;2,5\n", {"columns": ["x"], "decimal": ","}, [[2.5]], ["x"]),
        ("name;x\na.b;1,5\n", {"decimal": ",", "columns": ["x"]}, [[1.5]], ["x"]),
        ("x|y\n1|2\n", {"sep": "|"}, [[1, 2]], ["x", "y"]),
        ("x y\n1   2\n3 4\n", {"sep": " "}, [[1, 2], [3, 4]], ["x", "y"]),
        ("x y\n1   2\n3\t4\n", {"sep": r"\s+"}, [[1, 2], [3, 4]], ["x", "y"]),
        ("x\ty,z\n1\t2\n", {"sep": r"\t"}, [[1, 2]], ["x", "y,z"]),
        ("größe,x\n1,2\n", {"encoding": "latin-1", "encoding_of_file": "latin-1"}, [[1, 2]], ["größe", "x"]),
        ("größe,x\n1,2\n", {"encoding": "utf-16", "encoding_of_file": "utf-16"}, [[1, 2]], ["größe", "x"]),
        (",x,y\n0,1,2\n1,3,4\n", {}, [[1, 2], [3, 4]], ["x", "y"]),
        ("Unnamed: 0,x,y\na,1,2\nb,3,4\n", {}, [[1, 2], [3, 4]], ["x", "y"]),
        ('"","x","y"\n"1",1,2\n', {}, [[1, 2]], ["x", "y"]),
        (",x,y\n0,1,2\n", {"columns": [0, "y"]}, [[0, 2]], ["", "y"]),
        ("x,,y\n0,1,2\n", {}, [[0, 1, 2]], ["x", "", "y"]),
        ("x,y\n1,\n", {"gaps": True, "columns": "x"}, [[1]], ["x"]),
    ],
)
def test_notations(text, options, points, names):
    assert read(text, **options) == (points, names)


def test_a_tsv_has_tabs_whatever_its_first_line_holds():
    assert read("a,b,c\tx\n1\t2\n", "points.tsv") == ([[1, 2]], ["a,b,c", "x"])


def test_a_text_of_any_suffix():
    assert read("x y\n1 2\n", "points.xyz", sep=" ") == ([[1, 2]], ["x", "y"])
    with pytest.raises(ValueError, match=r"unknown suffix '\.xyz'; .*sep=',' reads it as text"):
        emst.read_points("points.xyz")


def test_a_first_line_of_numbers_in_another_notation_is_not_lost():
    """Taken for names, 1,5 would be a point less."""
    with pytest.raises(ValueError, match=r"line 1, column 0: '1,5' is not a number; decimal=','"):
        read("1,5;2\n3;4\n", sep=";")


@pytest.mark.parametrize(
    "text, options, names",
    [
        (",0,1\n0,1.5,2.0\n1,3.5,4.0\n", {}, ["0", "1"]),  # DataFrame(X).to_csv(file)
        ("0,1\n1.5,2.0\n3.5,4.0\n", {}, ["0", "1"]),  # and without its index
        ("0;1\n1,5;2,0\n3,5;4,0\n", {"decimal": ","}, ["0", "1"]),
        (",2020,2021\n1,1.5,2\n2,3.5,4\n", {}, ["2020", "2021"]),
        ("0,1,kind\n1.5,2.0,7\n3.5,1e9,8\n", {}, ["0", "1", "kind"]),
        ("0,1\n1.5,2.0\n,4.0\n", {"gaps": True}, ["0", "1"]),
        ("0,1\n1.5,nan\n3.5,\n", {"gaps": True}, None),  # no number tells
        ("0,1\n1.5,2.0\n3,4.0\n", {}, None),  # the first edge or row: 3 is written as 0 and 1 are
        ("0,1\n1,2\n", {}, None),
        ("0,2\n1.5,2.0\n", {}, None),
        ("0\n1.5\n", {}, None),
        (",1\n5,1.5\n6,2.5\n", {"gaps": True}, None),  # a missing value
        (",1\n0,1.5\n", {"gaps": True}, None),
    ],
)
def test_numbers_as_names(text, options, names):
    points, found = read(text, **options)
    assert found == names
    lines = text.count("\n")
    assert len(points) == (lines if names is None else lines - 1)


@pytest.mark.parametrize(
    "text, options, said",
    [
        ("x;y\n1,5;2\n", {}, r"line 2, column 'x': '1,5' is not a number; decimal=',' may read it"),
        ('"x","y"\n"1,000","2"\n', {}, r"'1,000' is not a number; separators of thousands are not read"),
        ("x;y\n1.5;2\n", {"decimal": ","}, r"'1\.5' is not a number; decimal='\.' may read it"),
        ("x;y\n1.234,5;2\n", {"decimal": ","}, r"'1\.234,5' is not a number; columns= chooses"),
        ("1,5;2,5\n", {}, r"column 1: '5;2' is not a number; sep=';' may read it"),
        ("x,y\n1,2\n", {"sep": ";"}, r"'1,2' is not a number; sep=',' may read it"),
        ("x,y\n1,2\n", {"sep": ";", "columns": ["x"]}, r"it has x,y, a single column; sep=',' may separate it"),
        ("x y\n1 2\n", {}, r"not by spaces \(points: sep=' '\)"),
        ("x,y\n1,stone\n", {}, r"'stone' is not a number; columns= chooses which columns to read"),
        (",x,y\n0,1,stone\n", {}, r"'stone' is not a number; columns= chooses which columns to read"),
        ("größe,y\n1,2\n", {"encoding_of_file": "latin-1"}, r"is not UTF-8 text; encoding='latin-1' may read it"),
        ("x,y\n1,2\n3,ö\n", {"encoding_of_file": "latin-1"}, r"is not UTF-8 text; encoding='latin-1' may read it"),
        ("größe,y\n1,2\n", {"encoding_of_file": "utf-16"}, r"is not UTF-8 text; encoding='utf-16' may read it"),
        ("ö,y\n1,2\n", {"encoding": "ascii"}, r"is not ascii text; encoding='utf-8' may read it"),
        ("x,y\n1,2\n", {"encoding": "klingon"}, r"encoding='klingon' is not known"),
        ("x,y\n1,2\n", {"encoding": "base64"}, r"encoding='base64' is not known"),
        ("x,y\n1,2\n", {"sep": ";;"}, r"sep=';;': fields are separated by one character"),
        ("x,y\n1,2\n", {"decimal": "x"}, r"decimal='x': the decimal mark is"),
        ("x,y\n1,2\n", {"sep": ",", "decimal": ","}, r"sep=',' cannot be the decimal mark as well"),
        ("x,y\n1,2\n", {"array": "x"}, r"only \.npz and \.fits hold named arrays"),
        ("", {}, "holds no rows"),
        ("x,y,l\n0,1 # c,-1\n", {}, r"points\.csv, line 2, column 'y': '1 # c' is not a number; columns= chooses"),
        ("x,y\n0,1 # c\n2,3 # c, d\n4,stone\n", {}, r"line 4, column 'y': 'stone' is not a number"),
        ("x,y\n0,1\n0 # c,1\n", {}, r"line 3, column 'x': '0 # c' is not a number"),
        ("x,y\n0 # c\n", {}, r"line 2: 1 field where 2 are needed"),
    ],
)
def test_what_is_said(text, options, said):
    with pytest.raises(ValueError, match=said):
        read(text, **options)


def test_the_encoding_that_may_read_a_text():
    """Whatever else the dialect says."""
    pathlib.Path("p.csv").write_bytes("x;name\n1,5;\u00e9\n".encode("latin-1"))
    for options in ({}, {"decimal": ","}, {"sep": ";"}):
        with pytest.raises(ValueError, match="is not UTF-8 text; encoding='latin-1' may read it"):
            emst.read_points("p.csv", **options)


def test_a_geojson_is_no_table():
    pathlib.Path("p.geojson").write_text("{}")
    with pytest.raises(ValueError, match=r"unknown suffix '\.geojson'.*; write its points to a table"):
        emst.read_points("p.geojson")


def test_names_of_arrays():
    np.save("plain.npy", POINTS)
    points, names = emst.read_points("plain.npy", return_names=True)
    assert names is None and np.array_equal(points, POINTS)
    np.save("named.npy", np.array([(1, 2.5)], dtype=[("id", "i4"), ("x", "f8")]))
    assert emst.read_points("named.npy", [1], return_names=True)[1] == ["x"]


def test_the_index_of_a_parquet():
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"x": [1.0, 2.0, 3.0], "y": [4.0, 5.0, 6.0]}, index=[7, 4, 9])  # no range: it is stored
    frame.to_parquet("points.parquet")
    points, names = emst.read_points("points.parquet", return_names=True)
    assert (points.tolist(), names) == ([[1, 4], [2, 5], [3, 6]], ["x", "y"])
    frame[[]].to_parquet("index.parquet")  # it is all there is
    assert emst.read_points("index.parquet").tolist() == [[7], [4], [9]]


def test_numbers_as_names_of_a_parquet():
    """Places of columns are not taken for their names."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    for names in (["2", "0", "1"], ["1", "2"], ["1", "0"]):
        frame = pandas.DataFrame([range(len(names))] * 2, columns=names).astype(float)
        frame.to_parquet("points.parquet")
        points, found = emst.read_points("points.parquet", return_names=True)
        assert found == names and points.tolist() == frame.to_numpy().tolist()
        assert emst.read_points("points.parquet", [0, 1]).tolist() == frame.iloc[:, :2].to_numpy().tolist()
        assert emst.read_points("points.parquet", ["1"]).tolist() == frame[["1"]].to_numpy().tolist()


def test_an_index_of_coordinates_is_read():
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"lat": [1.0, 2.0], "lon": [4.0, 5.0], "depth": [0.5, 1.5]}).set_index(["lat", "lon"])
    frame.to_parquet("points.parquet")
    assert emst.read_points("points.parquet", return_names=True)[1] == ["depth", "lat", "lon"]


@pytest.mark.parametrize("description", [b"{", b'{"index_columns": null}'])
def test_a_description_of_a_data_frame_that_cannot_be_read(description):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"x": [1.0], "y": [2.0]}).replace_schema_metadata({b"pandas": description})
    parquet.write_table(table, "points.parquet")
    assert emst.read_points("points.parquet").tolist() == [[1, 2]]


def test_an_index_with_a_name():
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"x": [1.0, 2.0], "y": [4.0, 5.0]}, index=pandas.Index([7, 4], name="station"))
    frame.to_parquet("points.parquet")
    assert emst.read_points("points.parquet", return_names=True)[1] == ["x", "y"]
    assert emst.read_points("points.parquet", ["station"]).tolist() == [[7], [4]]


def test_indices_of_pandas_and_dask():
    """They would be coordinates otherwise, and row numbers are the greatest of all."""
    pandas = pytest.importorskip("pandas")
    parquet = pytest.importorskip("pyarrow.parquet")
    index = pandas.MultiIndex.from_product([[7, 4], [1, 2]])
    frame = pandas.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [4.0, 5.0, 6.0, 7.0]}, index=index)
    frame.to_parquet("levels.parquet")
    frame.to_csv("levels.csv")
    named = frame.reset_index(drop=True).rename_axis("__null_dask_index__")
    named.set_index(named.index[::-1].rename("__null_dask_index__")).to_parquet("dask.parquet")
    pandas.read_csv("levels.csv").to_csv("again.csv", index=False)
    undescribed = parquet.read_table("levels.parquet").replace_schema_metadata(None)
    parquet.write_table(undescribed, "undescribed.parquet")
    for path in ("levels.parquet", "undescribed.parquet", "levels.csv", "dask.parquet", "again.csv"):
        points, names = emst.read_points(path, return_names=True)
        assert names == ["x", "y"] and points.tolist() == frame.to_numpy().tolist(), path


def test_dialects():
    assert dialect_of() == PLAIN
    assert dialect_of("\\t") == dialect_of("\t")


# Laser scans


@pytest.fixture(params=[".las", ".laz"])
def scan(request):
    laspy = pytest.importorskip("laspy")
    header = laspy.LasHeader(point_format=3, version="1.2")
    header.scales, header.offsets = [0.01] * 3, [100, 0, 0]
    made = laspy.LasData(header)
    made.x, made.y, made.z = (POINTS * 10 + [100, 0, 0]).T
    made.intensity = np.arange(len(POINTS))
    name = f"scan{request.param}"
    made.write(name)
    return name


def test_a_scan(scan):
    points, names = emst.read_points(scan, return_names=True)
    np.testing.assert_allclose(points, POINTS * 10 + [100, 0, 0], atol=0.0051)
    assert names == ["x", "y", "z"]
    points, names = emst.read_points(scan, ["intensity", 1], return_names=True)
    assert names == ["intensity", "y"] and points[:, 0].tolist() == list(range(len(POINTS)))


def refused_in_part(name, sizes):
    """A file of which only the beginning is left, or none, or other bytes, is no file of its kind."""
    with open(name, "rb") as file:
        whole = file.read()
    for part in (b"", b"x" * 3000, *(whole[:size] for size in sizes)):
        written(part.decode("latin-1"), name, "latin-1")
        with pytest.raises(ValueError, match=rf"{name} is not a readable \.\w+ file"):
            emst.read_points(name)


def test_bad_scans(scan):
    with pytest.raises(ValueError, match="no column 'q'; it has x, y, z, X, "):
        emst.read_points(scan, ["q"])
    refused_in_part(scan, (50, -30))


@pytest.mark.parametrize("suffix, module, extra", [(".laz", "laspy", "las"), (".fits", "astropy", "fits")])
def test_a_missing_extra_is_named(suffix, module, extra, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    written("x", f"points{suffix}")
    with pytest.raises(ValueError, match=rf"reading \{suffix} needs {module}: pip install 'emst\[{extra}\]'"):
        emst.read_points(f"points{suffix}")


# Tables of astronomy, and files that hold no points


def stars(**columns):
    pytest.importorskip("astropy.table").Table(columns).write("stars.fits")


def two_tables():
    table = pytest.importorskip("astropy.table").Table
    from astropy.io import fits

    tables = [fits.BinTableHDU(table({"x": [1.0 + i, 2.0]}), name=name) for i, name in enumerate(("FIRST", "SECOND"))]
    fits.HDUList([fits.PrimaryHDU(), *tables]).writeto("stars.fits")


def image():
    pytest.importorskip("astropy.io.fits").PrimaryHDU(np.zeros((5, 5))).writeto("stars.fits")


def catalogue():
    stars(ra=POINTS[:, 0], dec=POINTS[:, 1].astype(np.float32), name=["star"] * len(POINTS))


def with_missing_values():
    masked = pytest.importorskip("astropy.table").MaskedColumn
    stars(x=masked([1, 2, 3], mask=[False, True, False], fill_value=-99), y=[1.0, 2.0, np.nan])


def test_a_catalogue():
    catalogue()
    points, names = emst.read_points("stars.fits", ["ra", "dec"], return_names=True)
    assert names == ["ra", "dec"] and points.dtype == np.float64 and points.dtype.isnative
    np.testing.assert_array_equal(points[:, 0], POINTS[:, 0])


def test_several_tables():
    two_tables()
    for array in (2, "2", "second"):
        assert emst.read_points("stars.fits", array=array).tolist() == [[2], [2]]


def test_missing_values_of_a_catalogue():
    with_missing_values()
    np.testing.assert_array_equal(emst.read_points("stars.fits", gaps=True), [[1, 1], [np.nan, 2], [3, np.nan]])


@pytest.mark.parametrize(
    "make, name, options, said",
    [
        (lambda: np.save("p.npy", POINTS), "p.npy", {"decimal": ","}, "only texts such as"),
        (lambda: np.save("p.npy", POINTS * 1j), "p.npy", {}, r"p\.npy: points must be real .* has dtype complex128"),
        (catalogue, "stars.fits", {"columns": ["name"]}, "column 'name' holds text, not numbers; choose others with"),
        (catalogue, "stars.fits", {"columns": ["q"]}, "no column 'q'; it has ra, dec, name"),
        (two_tables, "stars.fits", {}, r"several tables, 1 \(FIRST\), 2 \(SECOND\): choose one with array="),
        (two_tables, "stars.fits", {"array": "third"}, "no table 'third'"),
        (with_missing_values, "stars.fits", {}, "column 'x' has no value in row 1"),
        (lambda: stars(v=np.zeros((5, 3))), "stars.fits", {}, r"column 'v' holds arrays of shape \(3,\)"),
        (image, "stars.fits", {}, "holds no table"),
    ],
)
def test_no_points(make, name, options, said):
    make()
    with pytest.raises(ValueError, match=said):
        emst.read_points(name, **options)


def test_bad_catalogues():
    stars(x=np.arange(2000.0), y=np.arange(2000.0))
    refused_in_part("stars.fits", (100, 15000))
