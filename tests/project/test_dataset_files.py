"""Readers of published formats, on rows that we made up in these formats, and on files that are something else."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile

import numpy as np
import pytest

from datasets import graph_files, point_files
from datasets.graph_files import EARTH

NGSIM = """\
Vehicle_ID,Frame_ID,Total_Frames,Global_Time,Local_X,Local_Y,Global_X,Global_Y,v_length,v_Width,v_Class,v_Vel,v_Acc,\
Lane_ID,O_Zone,D_Zone,Int_ID,Section_ID,Direction,Movement,Preceding,Following,Space_Headway,Time_Headway,Location
7,11,300,1100000000100,41.5,470.25,6042800.5,2133500.125,14.5,6.5,2,26.5,-0.75,4,,,,,,,8,9,53.5,2.0,i-80
7,12,300,1100000000200,41.75,473.0,6042800.75,2133503.0,14.5,6.5,2,27.0,0.0,4,,,,,,,8,9,53.5,2.0,i-80
3,500,900,1110000000000,12.25,1.5,6452000.0,1873000.5,15.0,6.0,2,30.0,0.5,2,,,,,,,0,4,0.0,0.0,us-101
"""
PORTO = """\
"TRIP_ID","CALL_TYPE","ORIGIN_CALL","ORIGIN_STAND","TAXI_ID","TIMESTAMP","DAY_TYPE","MISSING_DATA","POLYLINE"
"1","C","","","20000001","1370000000","A","False","[[-8.61,41.14],[-8.62,41.15],[-8.63,41.16]]"
"2","B","","7","20000002","1370000001","A","False","[]"
"3","A","31508","","20000001","1370000002","A","True","[[-8.64,41.17]]"
"""
ROADS_3D = "144552912,9.3498486,56.7408757,17.0527715677876\n144552912,9.3501884,56.7406785,17.614840244389\n"
PLT = """\
Geolife trajectory
WGS 84
Altitude is in Feet
Reserved 3
0,2,255,My Track,0,0,2,8421376
0
39.5,116.25,0,492,39744.1,2008-10-23,02:53:04
39.75,116.5,0,-777,39744.2,2008-10-23,02:53:10
"""
SNAP = """\
# Undirected graph: made-up.txt
# A few edges
# Nodes: 5 Edges: 4
# FromNodeId\tToNodeId
0\t1
0\t2
3\t1
3\t3
"""


def written(path, content):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zipped(*members):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return raw.getvalue()


def same(found, expected):
    assert found.dtype == np.float64 and found.flags.c_contiguous
    np.testing.assert_array_equal(found, expected)


# Points


@pytest.mark.parametrize("before", ["", "\ufeff"])
def test_ngsim(tmp_path, before):
    path = written(tmp_path / "ngsim.csv", before + NGSIM)
    same(point_files.ngsim(path), [[6042800.5, 2133500.125], [6042800.75, 2133503.0], [6452000.0, 1873000.5]])
    same(point_files.ngsim(path, ["Local_X", "Local_Y"], "i-80"), [[41.5, 470.25], [41.75, 473.0]])
    same(point_files.ngsim(path, ["local_y"], "us-101"), [[1.5]])
    with pytest.raises(ValueError, match="has no points"):
        point_files.ngsim(path, location="nowhere")
    with pytest.raises(ValueError, match="has no column Local_Z"):
        point_files.ngsim(path, ["Local_Z"])


INSIDE = zipped(("train.csv", PORTO))


@pytest.mark.parametrize("content", [PORTO, INSIDE, zipped(("train.csv.zip", INSIDE))], ids=["csv", "zip", "zips"])
def test_porto(tmp_path, content):
    path = written(tmp_path / "porto", content)
    same(point_files.porto(path), [[41.14, -8.61], [41.15, -8.62], [41.16, -8.63], [41.17, -8.64]])
    same(point_files.porto(path, most=1), [[41.14, -8.61], [41.17, -8.64]])


@pytest.mark.parametrize("content", [ROADS_3D, zipped(("3D_spatial_network.txt", ROADS_3D))], ids=["txt", "zip"])
def test_road_network_3d(tmp_path, content):
    path = written(tmp_path / "roads", content)
    expected = [[56.7408757, 9.3498486, 17.0527715677876], [56.7406785, 9.3501884, 17.614840244389]]
    same(point_files.road_network_3d(path), expected)


def test_geolife(tmp_path):
    root = "Geolife Trajectories 1.3/"
    later = PLT.replace("39.5", "40.5").replace("\n", "\r\n")
    members = [("Data/001/Trajectory/20081024.plt", later), ("Data/000/Trajectory/20081023.plt", PLT)]
    members += [("User Guide-1.3.pdf", "%PDF"), ("Data/010/labels.txt", "Start Time\tEnd Time\tTransportation Mode\n")]
    members += [("Data/002/Trajectory/20090101.plt", "".join(PLT.splitlines(True)[:6]))]  # without points
    path = written(tmp_path / "geolife.zip", zipped(*((root + name, content) for name, content in members)))
    second = [39.75, 116.5, -777]
    same(point_files.geolife(path), [[39.5, 116.25, 492], second, [40.5, 116.25, 492], second])


BAD_POINTS = [
    (point_files.ngsim, "", "it has no column Global_X"),
    (point_files.ngsim, "<html>\n<body>", "it has no column Global_X"),
    (point_files.ngsim, NGSIM[:-60], "line 4 has "),
    (point_files.ngsim, NGSIM.replace("2133503.0", ""), "could not convert string to float"),
    (point_files.ngsim, b"PK\x03\x04\xff\xfe", "can't decode byte"),
    (point_files.porto, "", "it has no column POLYLINE"),
    (point_files.porto, PORTO[:-20], "line 4 has 8 fields and not 9"),
    (point_files.porto, PORTO.replace("41.17]]", "41.17]"), "Expecting"),
    (point_files.porto, PORTO.replace("[-8.64,41.17]", "[-8.64]"), "line 4 has something else than points"),
    (point_files.porto, PORTO.replace("[-8.64,41.17]", '[""x"",41.17]'), "line 4 has something else than points"),
    (point_files.porto, PORTO.replace("[[-8.64,41.17]]", "4"), "line 4 has something else than points"),
    (point_files.porto, PORTO.splitlines()[0], "it has no points"),
    (point_files.porto, zipped(("readme.md", "")), "it holds 0 files that end in .csv, and not one"),
    (point_files.porto, INSIDE[:-30], "can't decode byte"),
    (point_files.road_network_3d, "", "it has no points"),
    (point_files.road_network_3d, "<html>", "invalid column index"),
    (point_files.road_network_3d, "1,2,3,x\n", "could not convert string"),
    (point_files.road_network_3d, "1,2,3\n", "invalid column index"),
    (point_files.road_network_3d, ROADS_3D[:-35], "invalid column index"),
    (point_files.geolife, "<html>", "File is not a zip file"),
    (point_files.geolife, zipped(("a.txt", "")), "it has no .plt"),
    (point_files.geolife, zipped(("a.plt", "1,2,3")), "a.plt: it does not begin like a trajectory"),
    (point_files.geolife, zipped(("a.plt", PLT[:-45])), "a.plt: "),
]


@pytest.mark.parametrize(
    "read, content, said", BAD_POINTS, ids=[f"{i} {bad[0].__name__}" for i, bad in enumerate(BAD_POINTS)]
)
def test_other_files_are_one_sentence(tmp_path, read, content, said):
    path = written(tmp_path / "file", content)
    with pytest.raises(ValueError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path} is not ") and said in message and "\n" not in message


def test_a_damaged_archive(tmp_path):
    whole = bytearray(zipped(("Data/000/Trajectory/1.plt", PLT * 50)))
    whole[60:80] = bytes(20)
    with pytest.raises(ValueError, match="is not the archive of GeoLife"):
        point_files.geolife(written(tmp_path / "geolife.zip", bytes(whole)))


# Graphs


def test_snap(tmp_path):
    path = written(tmp_path / "g.txt.gz", gzip.compress(SNAP.encode()))
    n, source, target = graph_files.snap(path)
    assert n == 5  # vertex 4 has no edge
    np.testing.assert_array_equal([source, target], [[0, 0, 3, 3], [1, 2, 1, 3]])


@pytest.mark.parametrize("comment", ["", "# Nodes: 3 Edges: 3\r\n"])
def test_snap_with_numbers_that_leave_gaps(tmp_path, comment):
    path = written(tmp_path / "g.txt.gz", gzip.compress(f"{comment}5858241 3858241\r\n3858241 7\r\n7 5858241".encode()))
    n, source, target = graph_files.snap(path)
    assert n == 3
    np.testing.assert_array_equal([source, target], [[2, 1, 0], [1, 0, 2]])


BAD_SNAP = [
    ("<html>", "Not a gzipped file"),
    (gzip.compress(SNAP.encode())[:-20], "ended before the end-of-stream"),
    (gzip.compress(SNAP.encode()[:-4]), "it has 3 edges and not 4 as its comment says"),
    (gzip.compress(b"0 1\n2 x\n"), "could not convert string 'x' to int64"),
    (gzip.compress(b"0 1\n2 3 4\n"), "the number of columns changed from 2 to 3"),
    (gzip.compress(b"0 1 3\n"), "its lines hold 3 numbers and not two"),
    (gzip.compress(b"0 1 3\n2\n"), "the number of columns changed from 3 to 1"),
    (gzip.compress(b"0 -1\n"), "negative"),
]


@pytest.mark.parametrize("content, said", BAD_SNAP, ids=[said for _, said in BAD_SNAP])
def test_bad_snap(tmp_path, content, said):
    path = written(tmp_path / "g.txt.gz", content)
    with pytest.raises(ValueError) as caught:
        graph_files.snap(path)
    assert str(caught.value).startswith(f"{path} is not an edge list of SNAP (") and said in str(caught.value)


def shapefile(*records, kind=3):
    """As ESRI's description has it: every record is a list of parts, a part is a list of points."""
    body = b""
    for number, parts in enumerate(records, 1):
        points = np.array([point for part in parts for point in part], "<f8").reshape(-1, 2)
        begins = np.cumsum([0, *map(len, parts)])[: len(parts)].astype("<i4")
        box = np.zeros(4) if not len(points) else np.concatenate([points.min(axis=0), points.max(axis=0)])
        content = struct.pack("<i4d2i", kind, *box, len(parts), len(points)) + begins.tobytes() + points.tobytes()
        content = content if parts else struct.pack("<i", 0)  # a record without a shape
        body += struct.pack(">2i", number, len(content) // 2) + content
    header = struct.pack(">7i", 9994, 0, 0, 0, 0, 0, (100 + len(body)) // 2) + struct.pack(
        "<2i8d", 1000, kind, *[0.0] * 8
    )
    return header + body


CROSSING = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]  # degrees: longitude, latitude
DEGREE = np.pi / 180 * EARTH


@pytest.mark.parametrize("packed", [False, True])
def test_road_network(tmp_path, packed):
    content = shapefile([CROSSING, [(5.0, 5.0), (5.0, 7.0)]], [], [[(1.0, 0.0), (1.0, 3.0), (1.0, 4.0)]])
    members = [("roads.prj", "GEOGCS"), ("roads.shp", content)]
    path = written(tmp_path / "roads.zip", zipped(*members) if packed else content)
    places, graph = graph_files.road_network(path)
    # The middle of the first line is a crossing; the point (1, 3) is none.
    np.testing.assert_array_equal(places, [[0, 0], [0, 1], [4, 1], [0, 2], [5, 5], [7, 5]])
    lengths = {(0, 1): 1, (1, 3): 1, (1, 2): 4, (4, 5): 2}
    expected = np.zeros((6, 6))
    for (u, v), degrees in lengths.items():
        expected[u, v] = expected[v, u] = degrees * DEGREE
    np.testing.assert_allclose(graph.toarray(), expected, rtol=1e-12)
    assert (graph != graph.T).nnz == 0


def test_of_parallel_roads_the_shortest_is_kept_and_loops_are_not(tmp_path):
    detour = [(0.0, 0.0), (0.0, 1.0), (2.0, 0.0)]
    loop = [(2.0, 0.0), (3.0, 1.0), (2.0, 0.0)]
    path = written(tmp_path / "roads.shp", shapefile([detour], [[(2.0, 0.0), (0.0, 0.0)]], [loop], [[(2.0, 0.0)]]))
    places, graph = graph_files.road_network(path)
    np.testing.assert_array_equal(places, [[0, 0], [0, 2]])
    np.testing.assert_allclose(graph.toarray(), [[0, 2 * DEGREE], [2 * DEGREE, 0]])


BAD_SHAPES = [
    (b"", "it does not begin like one"),
    (b"<html>" * 50, "it does not begin like one"),
    (shapefile([CROSSING])[:-8], "it is not complete"),
    (shapefile([CROSSING], kind=5), "it holds shapes of kind 5"),
    (shapefile([]), "it holds no lines"),
    (zipped(("roads.dbf", "")), "it holds 0 files that end in .shp, and not one"),
]


@pytest.mark.parametrize("content, said", BAD_SHAPES, ids=range(len(BAD_SHAPES)))
def test_bad_shapefiles(tmp_path, content, said):
    path = written(tmp_path / "roads.zip", content)
    with pytest.raises(ValueError) as caught:
        graph_files.road_network(path)
    assert str(caught.value) == f"{path} is not a shapefile of lines ({said})"
