"""`emst cluster --append` of laser scans: .las and .laz with ClusterID."""

import datetime
import sys

import numpy as np
import pytest
from cli_helpers import complaint, only

import emst
from emst.cli import main

laspy = pytest.importorskip("laspy")

BLOBS = [np.random.default_rng(i).normal((9 * i, 0, 0), 1, (60, 3)) for i in range(3)]
PLACES = np.concatenate([[(-60, 40, 0)], *BLOBS, [(0, 90, 0)]])  # noise is the first point and the last
FIXED = (
    "version",
    "uuid",
    "system_identifier",
    "generating_software",
    "creation_date",
    "file_source_id",
    "point_count",
)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_scan(name, version="1.4", point_format=6, **extra):
    """A scan with an own extra dimension, a VLR and a header that nobody would guess."""
    header = laspy.LasHeader(point_format=point_format, version=version)
    header.scales, header.offsets = [0.01, 0.02, 0.001], [100, -5, 7]
    header.system_identifier, header.creation_date = "a drone", datetime.date(2019, 2, 3)
    header.vlrs.append(laspy.VLR("somebody", 77, "of theirs", b"\x01\x02\x03"))
    for dimension, dtype in ({"Amplitude": np.float32} | extra).items():
        header.add_extra_dim(laspy.ExtraBytesParams(dimension, dtype))
    scan = laspy.LasData(header)
    scan.x, scan.y, scan.z = PLACES.T
    scan.intensity, scan["Amplitude"] = np.arange(len(PLACES)), np.linspace(0, 1, len(PLACES))
    scan.return_number[:], scan.gps_time = 1, np.linspace(5, 6, len(PLACES))
    scan.write(name)
    return laspy.read(name)


def cluster(*arguments):
    assert main(["cluster", *arguments, "--append", "--device", "cpu"]) == 0


@pytest.mark.parametrize("version, point_format", [("1.4", 6), ("1.2", 3)])
@pytest.mark.parametrize(
    "source, output", [("a.las", "b.las"), ("a.laz", "b.laz"), ("a.las", "b.laz"), ("a.laz", "b.las")]
)
def test_a_scan_keeps_all_and_gets_clusters(here, source, output, version, point_format):
    before = write_scan(source, version, point_format)
    cluster(source, "-o", output)
    after = laspy.read(output)
    with laspy.open(output) as opened:
        assert opened.header.are_points_compressed is output.endswith(".laz")
    model = emst.HDBSCANGPU(device="cpu").fit(emst.read_points(source))
    assert {-1, 0, 1} <= set(model.labels_.tolist())
    assert after["ClusterID"].dtype == np.int64 and after["probability"].dtype == np.float64
    np.testing.assert_array_equal(after["ClusterID"], model.labels_)
    np.testing.assert_array_equal(after["probability"], model.probabilities_)
    names = list(before.point_format.dimension_names)
    assert list(after.point_format.dimension_names) == [*names, "ClusterID", "probability"]
    for name in names:
        np.testing.assert_array_equal(after[name], before[name], name)
    for name in FIXED:
        assert getattr(after.header, name) == getattr(before.header, name), name
    for name in ("scales", "offsets", "mins", "maxs", "number_of_points_by_return"):
        np.testing.assert_array_equal(getattr(after.header, name), getattr(before.header, name), name)
    vlr = next(vlr for vlr in after.header.vlrs if vlr.user_id == "somebody")
    assert (vlr.record_id, vlr.description, vlr.record_data) == (77, "of theirs", b"\x01\x02\x03")
    only(here, source, output)


def test_chosen_dimensions_are_clustered_and_all_are_kept(here):
    before = write_scan("a.laz")
    cluster("a.laz", "--columns", "x,y", "-o", "b.laz")
    after = laspy.read("b.laz")
    np.testing.assert_array_equal(after.Z, before.Z)
    model = emst.HDBSCANGPU(device="cpu").fit(emst.read_points("a.laz", ["x", "y"]))
    np.testing.assert_array_equal(after["ClusterID"], model.labels_)


def test_a_scan_can_still_become_a_table(here):
    write_scan("a.laz")
    cluster("a.laz", "-o", "b.csv")
    assert emst.read_points("b.csv", return_names=True)[1] == ["x", "y", "z", "label", "probability"]


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["taken.las", "-o", "b.las", "--append"], "taken.las has a column 'ClusterID' already: rename it"),
        (
            ["points.npy", "-o", "b.laz", "--append"],
            "points.npy is no scan: only one of .las or .laz can be written as",
        ),
        (["a.laz", "-o", "b.laz"], "b.laz: unknown suffix '.laz'; labels are written to .npy, .npz, .csv, .tsv, .parq"),
        (["a.laz", "-o", "b.las"], "; --append writes a scan with its clusters"),
        (["a.laz", "-o", "a.laz", "--append"], "a.laz holds the points: write the labels to another file"),
    ],
)
def test_what_is_refused(here, capsys, monkeypatch, arguments, said):
    def not_yet(*_, **__):
        raise AssertionError("computed although the arguments are bad")

    monkeypatch.setattr("emst.hdbscan.HDBSCANGPU.fit", not_yet)
    write_scan("a.laz")
    write_scan("taken.las", ClusterID=np.uint64)
    np.save("points.npy", PLACES)
    before = [path.name for path in here.iterdir()]
    assert said in complaint(capsys, "cluster", *arguments, "--device", "cpu")
    only(here, *before)


def test_laz_without_lazrs(here, capsys, monkeypatch):
    write_scan("a.las")
    monkeypatch.setitem(sys.modules, "lazrs", None)
    monkeypatch.setattr(laspy.LazBackend, "detect_available", classmethod(lambda _: ()))
    line = complaint(capsys, "cluster", "a.las", "-o", "b.laz", "--append", "--device", "cpu")
    assert "writing .laz needs lazrs: pip install 'emst[las]'" in line
    only(here, "a.las")
