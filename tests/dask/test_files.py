"""Points in files: the same values in pieces of any size, and one sentence for what is no file of points."""

import os
import sys

import numpy as np
import pandas as pd
import pytest

from emst import read_points
from emst.dask.engine import DaskEngine
from emst.dask.files import cuts, files_of, read_piece
from emst.dask.inputs import chunks_of

zarr = pytest.importorskip("zarr", reason="reads and writes zarr arrays")

N = 1000
POINTS = np.random.default_rng(3).standard_normal((N, 3)).astype(np.float32)


@pytest.fixture
def cluster(client):
    return DaskEngine(client, "cpu")


def save_npy(path, X, **options):
    np.save(path, X)


def save_npz(path, X):
    np.savez_compressed(path, X=X)


def save_parquet(path, X, group=None):
    pd.DataFrame(X, columns=list("xyzuvw")[: X.shape[1]]).to_parquet(path, row_group_size=group or max(1, len(X)))


def save_fits(path, X):
    pytest.importorskip("astropy", reason="writes .fits")
    from astropy.table import Table

    Table({name: X[:, i] for i, name in enumerate("xyzuvw"[: X.shape[1]])}).write(path, overwrite=True)


def save_zarr(path, X):
    zarr.create_array(path, data=X, chunks=(70, 2))


def save_old_zarr(path, X):
    zarr.create_array(path, data=X, chunks=(70, 2), zarr_format=2)


SAVE = {".npy": save_npy, ".npz": save_npz, ".parquet": save_parquet, ".fits": save_fits, ".zarr": save_zarr}


def values(chunks, cluster):
    return np.concatenate(cluster.gather(chunks.futures))


@pytest.mark.parametrize("suffix", SAVE)
def test_one_file(cluster, tmp_path, suffix):
    path = tmp_path / f"points{suffix}"
    SAVE[suffix](path, POINTS)
    for given in (path, str(path), [path], (str(path),), os.path.relpath(path)):
        chunks = chunks_of(given, cluster)
        assert chunks.dtype == np.float32 and chunks.sizes == [N]
        assert np.array_equal(values(chunks, cluster), POINTS)
    assert chunks.header.shape == (0, 3)
    assert getattr(chunks.header, "column_names", None) == (["x", "y", "z"] if suffix == ".parquet" else None)
    assert chunks.where(7) == f"row 7 (chunk 0 from {path}, row 7 of it)"


@pytest.mark.parametrize("suffix", SAVE)
def test_many_files(cluster, tmp_path, suffix):
    sizes, numbers = [400, 0, 250, 150, 200], (1, 2, 3, 10, 20)  # one without rows
    for number, rows in zip(numbers, np.split(POINTS, np.cumsum(sizes)[:-1])):
        SAVE[suffix](tmp_path / f"part.{number}{suffix}", rows)
    for name in ("_metadata", ".hidden.npy", "notes.txt"):
        (tmp_path / name).write_text("no points")
    listed = [tmp_path / f"part.{number}{suffix}" for number in numbers]
    for given in (tmp_path, tmp_path / f"part.*{suffix}", listed):
        chunks = chunks_of(given, cluster)
        assert np.array_equal(values(chunks, cluster), POINTS)
        assert [size for size in chunks.sizes if size] == [400, 250, 150, 200]
    turned = cluster.gather(chunks_of(listed[::-1], cluster).futures)
    assert [len(one) for one in turned if len(one)] == [200, 150, 250, 400]


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_large_npy_is_cut(cluster, tmp_path, monkeypatch, order):
    monkeypatch.setattr("emst.dask.files.PIECE_BYTES", 300 * 3 * 4)
    np.save(tmp_path / "points.npy", np.asarray(POINTS, order=order))
    chunks = chunks_of(tmp_path / "points.npy", cluster)
    assert chunks.sizes == [300, 300, 300, 100]
    assert np.array_equal(values(chunks, cluster), POINTS)
    assert not any(isinstance(one, np.memmap) for one in cluster.gather(chunks.futures))


@pytest.mark.parametrize("save", [save_zarr, save_old_zarr])
def test_a_large_zarr_array_is_cut_between_its_chunks(cluster, tmp_path, monkeypatch, save):
    monkeypatch.setattr("emst.dask.files.PIECE_BYTES", 300 * 3 * 4)
    save(tmp_path / "points", POINTS)
    chunks = chunks_of(tmp_path / "points", cluster)
    assert chunks.sizes == [280, 280, 280, 160]
    assert np.array_equal(values(chunks, cluster), POINTS)


def test_a_large_parquet_is_cut_between_its_row_groups(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("emst.dask.files.PIECE_BYTES", 300 * 3 * 8)
    save_parquet(tmp_path / "points.parquet", POINTS, group=130)
    chunks = chunks_of(tmp_path / "points.parquet", cluster)
    assert chunks.sizes == [390, 390, 220]
    assert np.array_equal(values(chunks, cluster), POINTS)


@pytest.mark.parametrize("n", [0, 1, 7, 100])
@pytest.mark.parametrize("unit", [1, 3, 1000])
def test_cuts_are_the_whole(monkeypatch, n, unit):
    monkeypatch.setattr("emst.dask.files.PIECE_BYTES", 80)
    found = cuts(n, 8, unit)
    assert [row for begin, end in found for row in range(begin, end)] == list(range(n))
    assert all(begin % unit == 0 and begin < end for begin, end in found)
    assert all(end - begin <= max(10, unit) for begin, end in found)


def test_a_large_fits_is_cut(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("emst.dask.files.PIECE_BYTES", 300 * 3 * 8)
    save_fits(tmp_path / "points.FITS", POINTS)
    chunks = chunks_of(tmp_path, cluster)
    assert chunks.sizes == [300, 300, 300, 100] and chunks.dtype == np.float32
    assert np.array_equal(values(chunks, cluster), POINTS)


def save_las(path, X):
    laspy = pytest.importorskip("laspy", reason="writes .las")
    header = laspy.LasHeader(point_format=3, version="1.2")
    header.scales = np.full(3, 0.001)
    scan = laspy.LasData(header)
    scan.x, scan.y, scan.z = np.asarray(X, np.float64).T
    scan.intensity = np.arange(len(X))
    scan.write(path)


@pytest.mark.parametrize("suffix", [".las", ".laz"])
def test_scans(cluster, tmp_path, monkeypatch, suffix):
    """Places come in the units of the file, in ranges of rows that number through all files."""
    monkeypatch.setattr("emst.dask.files.PIECE_BYTES", 300 * 3 * 8)
    for number, rows in ((2, POINTS[:700]), (10, POINTS[700:])):
        save_las(tmp_path / f"scan.{number}{suffix}", rows)
    chunks = chunks_of(tmp_path, cluster)
    assert chunks.sizes == [300, 300, 100, 300] and chunks.dtype == np.float64
    wanted = [read_points(tmp_path / f"scan.{number}{suffix}") for number in (2, 10)]
    assert np.array_equal(values(chunks, cluster), np.concatenate(wanted))
    np.testing.assert_allclose(np.concatenate(wanted), POINTS, atol=0.00051)


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_texts(cluster, tmp_path, suffix):
    """A file is a chunk; a column of row numbers is left out, as in `read_points`."""
    table = pd.DataFrame(POINTS.astype(np.float64), columns=list("xyz"))
    for number, rows in ((2, table[:700]), (10, table[700:])):
        rows.to_csv(tmp_path / f"part.{number}{suffix}", sep="," if suffix == ".csv" else "\t")
    chunks = chunks_of(tmp_path / f"part.*{suffix}", cluster)
    assert chunks.sizes == [700, 300] and chunks.dtype == np.float64
    assert np.array_equal(values(chunks, cluster), POINTS)


def test_an_index_in_a_parquet_is_no_coordinate(cluster, tmp_path):
    """As in `read_points`."""
    pd.DataFrame(POINTS, columns=list("xyz"), index=np.arange(N)[::-1]).to_parquet(tmp_path / "points.parquet")
    chunks = chunks_of(tmp_path / "points.parquet", cluster)
    assert chunks.header.column_names == ["x", "y", "z"]
    assert np.array_equal(values(chunks, cluster), read_points(tmp_path / "points.parquet"))


def test_files_of_several_formats(cluster, tmp_path):
    """If the columns have the same names; an .npy has none."""
    save_parquet(tmp_path / "a.parquet", POINTS[:500])
    save_fits(tmp_path / "b.fits", POINTS[500:800])
    np.save(tmp_path / "c.npy", POINTS[800:])
    chunks = chunks_of(tmp_path, cluster)
    assert np.array_equal(values(chunks, cluster), POINTS)
    assert chunks.header.column_names == ["x", "y", "z"]


def test_a_structured_npy(cluster, tmp_path):
    table = np.zeros(5, [("x", np.float32), ("y", np.float32)])
    table["y"] = np.arange(5)
    np.save(tmp_path / "table.npy", table)
    assert values(chunks_of(tmp_path / "table.npy", cluster), cluster).tolist() == [[0, i] for i in range(5)]


def test_missing_numbers_of_a_parquet_are_nan(cluster, tmp_path):
    pd.DataFrame({"x": pd.array([1, None, 3], "Int32"), "y": [1.0, 2.0, 3.0]}).to_parquet(tmp_path / "points.parquet")
    found = values(chunks_of(tmp_path / "points.parquet", cluster), cluster)
    assert np.array_equal(found, [[1, 1], [np.nan, 2], [3, 3]], equal_nan=True)


def text_parquet(path):
    pd.DataFrame({"x": [1.0, 2.0], "city": ["a", "b"]}).to_parquet(path)


def damaged(save, size):
    """A file that is cut off."""
    return lambda path: (save(path, POINTS), os.truncate(path, size))


def missing_value(path):
    from astropy.table import MaskedColumn, Table

    Table({"x": MaskedColumn(range(9), mask=[False] * 7 + [True, False]), "y": range(9)}).write(path)


def two_arrays(path):
    np.savez(path, a=POINTS, b=POINTS)


def group(path):
    zarr.open_group(path, mode="w")


BAD = {
    "1-D": ("a.npy", lambda path: np.save(path, POINTS[0]), r"a\.npy: points are a table .* has shape \(3,\)"),
    "complex": ("a.npy", lambda path: np.save(path, POINTS * 1j), r"a\.npy: X must hold real numbers; got .*complex64"),
    "objects": ("a.npy", lambda path: np.save(path, [[None]]), r"a\.npy: the array holds Python objects"),
    "text": ("a.npy", lambda path: path.write_text("hello"), r"a\.npy is not a readable \.npy file"),
    "nothing": ("a.npy", lambda path: path.write_text(""), r"a\.npy is not a readable \.npy file \(it is empty\)"),
    "cut off": ("a.npy", lambda path: (np.save(path, POINTS), os.truncate(path, 500)), r"a\.npy is not a readable"),
    "no zip": ("a.npz", lambda path: path.write_text("hello"), r"a\.npz is not a readable \.npz file"),
    "two arrays": ("a.npz", two_arrays, r"a\.npz holds 2 arrays; points are read from an \.npz with one"),
    "3-D": ("a.npz", lambda path: np.savez(path, POINTS[None]), r"a\.npz: points are a table .* \(1, 1000, 3\)"),
    "no parquet": ("a.parquet", lambda path: path.write_text("hello"), r"a\.parquet is not a readable \.parquet file"),
    "text column": ("a.parquet", text_parquet, r"a\.parquet: column 'city' does not hold numbers"),
    "zarr group": ("a.zarr", group, r"a\.zarr is not a readable zarr array"),
    "1-D zarr": ("a.zarr", lambda path: zarr.create_array(path, data=POINTS[0]), r"a\.zarr: points are a table"),
    "no las": ("a.las", lambda path: path.write_text("hello"), r"a\.las is not a readable \.las file"),
    "las cut off": ("a.las", damaged(save_las, 9000), r"a\.las (is not a readable \.las file|has changed since)"),
    "no fits": ("a.fits", lambda path: path.write_text("hello"), r"a\.fits is not a readable \.fits file"),
    "fits cut off": ("a.fits", damaged(save_fits, 9000), r"a\.fits is not a readable \.fits file"),
    "a gap": ("a.fits", missing_value, r"a\.fits: column 'x' has no value in row 7"),
    "no text": ("a.csv", lambda path: path.write_text(""), r"a\.csv holds no rows"),
    "words": ("a.csv", lambda path: path.write_text("name,x\nA,1\n"), r"a\.csv.* pass blocks: X = \[dask\.delayed"),
    "empty field": (
        "a.csv",
        lambda path: path.write_text("x,y\n1,2\n3,\n"),
        r"a\.csv.* line 3.* no value.* pass blocks",
    ),
    "format": ("a.xyz", lambda path: path.write_text("1 2 3"), r"a\.xyz: points are read from \.npy, \.npz, \.csv, "),
    "no rows": ("a.npy", lambda path: np.save(path, POINTS[:0]), "X has no rows"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_files(cluster, tmp_path, kind):
    name, save, message = BAD[kind]
    save(tmp_path / name)
    with pytest.raises(ValueError, match=message) as caught:
        chunks_of(tmp_path / name, cluster)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["none.npy", "none-*.npy", "folder"])
def test_files_that_do_not_exist(cluster, tmp_path, name):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileNotFoundError, match=name.replace("*", r"\*")):
        chunks_of([tmp_path / name], cluster)


def no_work(*args):
    raise AssertionError("read")


@pytest.mark.parametrize("suffix", [".npy", ".parquet", ".zarr"])
def test_unequal_files_are_found_before_any_is_read(cluster, tmp_path, monkeypatch, suffix):
    monkeypatch.setattr("emst.dask.inputs.read_piece", no_work)
    SAVE[suffix](tmp_path / f"a{suffix}", POINTS)
    SAVE[suffix](tmp_path / f"b{suffix}", POINTS[:, :2])
    with pytest.raises(ValueError, match=rf"b\{suffix} has 2 columns, but .*a\{suffix} has 3"):
        chunks_of(tmp_path, cluster)


def test_unequal_dtypes(cluster, tmp_path):
    np.save(tmp_path / "a.npy", POINTS)
    np.save(tmp_path / "b.npy", POINTS.astype(np.float64))
    with pytest.raises(ValueError, match=r"b\.npy is float64, but .*a\.npy is float32; choose one with dtype="):
        chunks_of(tmp_path, cluster)
    assert chunks_of(tmp_path, cluster, np.float32).sizes == [N, N]


def test_unequal_names_of_columns(cluster, tmp_path):
    for name, columns in (("a", "xyz"), ("b", "xzy")):
        pd.DataFrame(POINTS, columns=list(columns)).to_parquet(tmp_path / f"{name}.parquet")
    with pytest.raises(ValueError, match=r"b\.parquet has the columns x, z, y, but .*a\.parquet has x, y, z"):
        chunks_of(tmp_path, cluster)


@pytest.mark.parametrize("suffix", SAVE)
def test_a_file_that_vanishes(tmp_path, suffix):
    path = tmp_path / f"points{suffix}"
    SAVE[suffix](path, POINTS)
    piece = files_of(None, [str(path)])[0].pieces[0]
    path.rename(tmp_path / "elsewhere")
    with pytest.raises(FileNotFoundError, match=rf"points\{suffix} has vanished since its size was read"):
        read_piece(piece)


@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
def test_a_file_that_shrinks(tmp_path, suffix):
    path = tmp_path / f"points{suffix}"
    SAVE[suffix](path, POINTS)
    piece = files_of(None, [str(path)])[0].pieces[0]
    SAVE[suffix](path, POINTS[:10])
    with pytest.raises(ValueError, match=rf"points\{suffix} has changed since its size was read"):
        read_piece(piece)


def test_zarr_that_is_not_installed(tmp_path, monkeypatch):
    save_zarr(tmp_path / "points", POINTS)
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(ValueError, match="reading zarr arrays needs zarr: pip install zarr"):
        files_of(None, [str(tmp_path / "points")])
