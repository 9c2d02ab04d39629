"""Graphs from files: what is read, entry by entry, and the errors of bad files; forests to files."""

from __future__ import annotations

import csv
import decimal
import gzip
import importlib
import io
import os
import pathlib
import re
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.io import mmwrite
from scipy.sparse.csgraph import minimum_spanning_tree

from emst import graph_msf
from emst.io import dimacs
from emst.io.graphs import read_file, read_graph, write_forest

FLORIDA = pathlib.Path(__file__).parents[1] / "data" / "roads" / "florida-2000.gr"
N, SOURCE, TARGET = (
    6,
    [0, 1, 1, 4, 1, 3, 0],
    [1, 0, 0, 2, 1, 4, 1],
)  # parallel arcs, both directions, a loop; 5 is alone
WEIGHT = [7, 7, -3, 0, 9, 0, 7]


def assert_entries(graph, source=SOURCE, target=TARGET, weight=WEIGHT, n=N, dtype=np.int32):
    """The graph has these entries in this order."""
    assert graph.format == "coo" and graph.shape == (n, n)
    for found, expected in zip((graph.row, graph.col, graph.data), (source, target, weight)):
        np.testing.assert_array_equal(found, expected)
    assert graph.data.dtype == dtype and graph.row.dtype == graph.col.dtype == np.int32


def written(path, text):
    """The file with this text, compressed if it is called so."""
    raw = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def refused(path, text, *said, **options):
    """Reading the file fails with one line that names it and says this."""
    written(path, text)
    with pytest.raises(ValueError) as caught:
        read_graph(path, **options)
    line = str(caught.value)
    assert line.startswith(str(path)) and "\n" not in line
    for words in said:
        assert words in line
    return line


# DIMACS


def gr(source=SOURCE, target=TARGET, weight=WEIGHT, n=N):
    arcs = [f"a {u + 1} {v + 1} {w}\n" for u, v, w in zip(source, target, weight)]
    return f"c a graph\nc\np sp {n} {len(arcs)}\nc more\n" + "".join(arcs)


@pytest.mark.parametrize("name", ["g.gr", "g.gr.gz", "G.GR"])
def test_dimacs(tmp_path, name):
    assert_entries(read_graph(written(tmp_path / name, gr())))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", " \n"),
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace(" ", "  "),
        lambda text: text.replace("a 5 3 0\n", "c between\n\n  a 5 3 +0\n"),
        lambda text: text.replace("\na", "\n a", 2),
        lambda text: text.replace("\na", "\n\ta"),
        lambda text: text.removesuffix("\n"),
        lambda text: text + "c the end\n\n",
    ],
    ids=[
        "windows",
        "trailing spaces",
        "tabs",
        "double spaces",
        "between",
        "indented",
        "all indented",
        "no last end",
        "after",
    ],
)
@pytest.mark.parametrize("block", [1, 40, dimacs.BLOCK])
def test_dimacs_with_other_spacing(tmp_path, monkeypatch, change, block):
    monkeypatch.setattr(dimacs, "BLOCK", block)
    assert_entries(read_graph(written(tmp_path / "g.gr", change(gr()))))


ODD = [
    b"a 1 2 3\na 4 5\n",
    b"a 1 2 3 4\na 5 6\n",
    b"a 1 2 3\nb 4 5 6\n",
    b"a 1 2 3\na  4 5\n",
    b"a 1 a 3\n4 5 6 7\n",
    b"a 1 2 3.5\n",
    b"a 1 2 x\n",
    b"a 1 2 \n",
    b"a 1 2 99999999999999999999\n",
    b"a 1 2 -99999999999999999999\n",
    b"\n",
    b"c\n",
    b"a 1 2 0x10\n",
    b"a 1 2 -\n",
    b"a 1 2 +3\n",
    b"a 1\r2 3 4\na 5 6 \r\n",
    b"a 1-2 3 4\na 5 6 \r\n",
]


def test_plain_arcs_take_the_fast_way_and_others_do_not():
    plain = b"a 1 2 3\na 40 50 -6\n"
    np.testing.assert_array_equal(dimacs._plain_arcs(plain), [[1, 2, 3], [40, 50, -6]])
    for block in ODD:
        assert dimacs._plain_arcs(block) is None, block


def test_blocks_make_no_difference(tmp_path, monkeypatch):
    whole = read_graph(FLORIDA)
    monkeypatch.setattr(dimacs, "BLOCK", 1000)
    seen = []
    parts = read_graph(FLORIDA, report=seen.append)
    assert_entries(parts, whole.row, whole.col, whole.data, 2000)
    assert len(seen) > 50 and seen == sorted(seen) and seen[-1] == FLORIDA.stat().st_size


def test_the_roads_of_florida():
    graph = read_graph(FLORIDA)
    assert graph.shape == (2000, 2000) and graph.nnz == 4570
    lines = [line.split() for line in FLORIDA.read_text().splitlines() if line.startswith("a")]
    np.testing.assert_array_equal(
        np.stack([graph.row + 1, graph.col + 1, graph.data], axis=1), np.array(lines)[:, 1:].astype(int)
    )
    np.testing.assert_array_equal(graph.data, 1 + (graph.row + 1) * (graph.col + 1) % 1000)
    forest = graph_msf(graph, device="cpu")
    tree = minimum_spanning_tree(graph.tocsr())
    assert (forest.total_weight, forest.n_components, tree.nnz) == (865_069, 1, 1999)
    assert tree.sum() == 865_069
    assert (forest.edge_id % 2 == 0).all()  # of the two directions of a road, which follow each other, the first


def test_weights_are_as_wide_as_they_must_be(tmp_path):
    wide = [7, 2**31, -(2**63) + 1, 2**63 - 1, 9, -(2**31) - 1, 2**31 - 1]
    assert_entries(read_graph(written(tmp_path / "g.gr", gr(weight=wide))), weight=wide, dtype=np.int64)
    narrow = [-(2**31), 2**31 - 1, 0, 0, 0, 0, 0]
    assert_entries(read_graph(written(tmp_path / "g.gr", gr(weight=narrow))), weight=narrow)


@pytest.mark.parametrize("n", [0, 3])
def test_dimacs_without_arcs(tmp_path, n):
    assert_entries(read_graph(written(tmp_path / "g.gr", f"p sp {n} 0\n")), [], [], [], n)


@pytest.mark.parametrize("block", [1, dimacs.BLOCK])
@pytest.mark.parametrize(
    "text, said",
    [
        ("", "there is no problem line 'p sp VERTICES ARCS'"),
        ("c only\n", "there is no problem line"),
        ("a 1 2 3\np sp 2 1\n", "line 1: 'a 1 2 3' comes before the problem line"),
        ("c x\np tw 2 1\n", "line 2: 'p tw 2 1' is not of the form 'p sp VERTICES ARCS'"),
        ("p sp 2\n", "line 1: 'p sp 2' is not of the form"),
        ("p sp 2 -1\n", "line 1: 'p sp 2 -1' is not of the form"),
        ("p sp 2147483648 1\na 1 2 3\n", "line 1: 'p sp 2147483648 1' has more vertices than 32-bit ids can number"),
        ("p sp 2 1\np sp 2 1\na 1 2 3\n", "line 2: 'p sp 2 1' is a second problem line"),
        ("p sp 2 1\na 1 2 3\np sp 2 1\n", "line 3: 'p sp 2 1' is a second problem line"),
        ("p sp 2 2\na 1 2 3\n", "the problem line announces 2 arcs, the file has 1"),
        ("p sp 2 1\na 1 2 3\n\na 2 1 3\n", "line 4: 'a 2 1 3' is one arc more than the 1 of the problem line"),
        ("p sp 2 2\na 1 2 3\na 0 1 3\n", "line 3: 'a 0 1 3' names vertex 0; they are numbered from 1 to 2"),
        ("p sp 2 2\na 1 2 3\na 2 3 3\n", "line 3: 'a 2 3 3' names vertex 3; they are numbered from 1 to 2"),
        ("p sp 2 2\na 1 2 3\na 2 99999999999999999999 3\n", "names vertex 99999999999999999999"),
        ("p sp 2 2\na 1 2 3\na 2 1 3.5\n", "line 3: 'a 2 1 3.5' is not of the form 'a FROM TO WEIGHT'"),
        ("p sp 2 2\na 1 2 3\na 2 1\n", "line 3: 'a 2 1' is not of the form"),
        ("p sp 2 2\na 1 2 3\na 2 1 3 4\n", "line 3: 'a 2 1 3 4' is not of the form"),
        ("p sp 9 2\na 1 2 3 4\na 5 6\n", "line 2: 'a 1 2 3 4' is not of the form"),
        ("p sp 2 2\na 1 2 3\na 1_0 1 3\n", "line 3: 'a 1_0 1 3' is not of the form"),
        ("p sp 2 2\na 1 2 3\na 2 1 9223372036854775808\n", "has a weight that no int64 can hold"),
        ("p sp 2 2\na 1 2 3\na 2 1 -9223372036854775809\n", "has a weight that no int64 can hold"),
        ("p sp 2 2\na 1 2 3\ne 2 1 3\n", "line 3: 'e 2 1 3' starts with neither 'a'"),
        ("p sp 2 2\na 1 2 3\na2 1 3\n", "line 3: 'a2 1 3' starts with neither 'a'"),
        ("p sp 2 2\na 1 2 3\n" + "x" * 500, "line 3: '" + "x" * 57 + "...' starts with neither"),
    ],
)  # fmt: skip
def test_faults_of_dimacs(tmp_path, monkeypatch, text, said, block):
    monkeypatch.setattr(dimacs, "BLOCK", block)
    refused(tmp_path / "g.gr", text, said)


def test_a_fault_far_down_is_named_by_its_line(tmp_path, monkeypatch):
    lines = FLORIDA.read_text().splitlines()
    lines[3000] = lines[3000].replace("a ", "a x")
    monkeypatch.setattr(dimacs, "BLOCK", 5000)
    refused(tmp_path / "g.gr.gz", "\n".join(lines), "line 3001: 'a x")


@pytest.mark.parametrize(
    "damage", [lambda raw: raw[:-300], lambda raw: b"plain" + raw, lambda raw: raw[:200] + raw[210:]]
)
@pytest.mark.parametrize("name", ["g.gr.gz", "g.mtx.gz"])
def test_damaged_compression(tmp_path, name, damage):
    raw = gzip.compress(
        FLORIDA.read_bytes()
        if name.startswith("g.gr")
        else mtx("integer general", [(i % N, 0, i * i) for i in range(5000)])
    )
    (tmp_path / name).write_bytes(damage(raw))
    with pytest.raises(ValueError, match=re.escape(str(tmp_path / name))):
        read_graph(tmp_path / name)


@pytest.mark.parametrize("ends", [("0,1", "1,2", "0,2"), ("a,b", "b,c", "a,c")], ids=["numbers", "names"])
@pytest.mark.parametrize(
    ("weights", "dtype"),
    [
        (["18446744073709551615", "18446744073709551614", '"+18446744073709551613"'], np.uint64),
        (["9007199254740993", "9007199254740992", "-9007199254740993"], np.int64),
        (["9007199254740992", "1e300", "0.5"], np.float64),
        (["9007199254740993.0", "1e300", "-1E17"], np.float64),
    ],
)
def test_integers_of_an_edge_table_are_not_rounded(tmp_path, ends, weights, dtype):
    lines = "\n# nothing\n\n".join(f"{end},{weight}" for end, weight in zip(ends, weights))
    lines += " # a comment" if ends[0] == "0,1" and '"' not in lines else ""
    found = read_file(written(tmp_path / "edges.csv", "source,target,weight\n# none\n" + lines)).graph
    values = [int(one.strip('"')) if dtype != np.float64 else float(one) for one in weights]
    assert found.data.dtype == dtype and found.data.tolist() == values


@pytest.mark.parametrize("ends", [("0,1", "1,2", "0,2"), ("a,b", "b,c", "a,c")], ids=["numbers", "names"])
@pytest.mark.parametrize(
    "weights",
    [["0.5", "9007199254740993", "1"], ["-1", "18446744073709551615", "1"], ["1", "18446744073709551616", "1"]],
)
def test_integers_of_an_edge_table_that_would_be_rounded_are_refused(tmp_path, ends, weights):
    """They were rounded, so that a heavier edge could be chosen."""
    lines = "".join(f"{end},{weight}\n" for end, weight in zip(ends, weights))
    said = f"line 3: no type of 64 bits holds the weight {weights[1]} and the others exactly"
    refused(tmp_path / "edges.csv", "source,target,weight\n" + lines, said)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_the_fast_way_and_the_slow_one_agree(tmp_path, data):
    """On a valid file, and on the same file with bytes removed, added or changed."""
    text = bytearray(gr().encode())
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        end = at + data.draw(st.integers(0, 2))
        text[at:end] = data.draw(
            st.sampled_from([b"", b" ", b"\n", b"a", b"\na 1 2 3", b"0", b"-", b".", b"\t", b"\r", b"c", b"9" * 20])
        )
    path, block = written(tmp_path / "g.gr", bytes(text)), data.draw(st.sampled_from([1, 30, dimacs.BLOCK]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dimacs, "BLOCK", block)
        fast = outcome(path)
        patch.setattr(dimacs, "_plain_arcs", lambda block: None)
        assert outcome(path) == fast


def outcome(path):
    """The content of the file, or the error."""
    try:
        n, *arcs = dimacs.read_arcs(path)
    except ValueError as error:
        return str(error)
    return n, [(values.dtype, values.tolist()) for values in arcs]


# MatrixMarket


def entries():
    return list(zip(SOURCE, TARGET, WEIGHT))


def mtx(kind, entries, n=N, columns=None):
    lines = [" ".join(str(x + 1 if i < 2 else x) for i, x in enumerate(entry)) for entry in entries]
    head = f"%%MatrixMarket matrix coordinate {kind}\n% a graph\n{n} {columns or n} {len(lines)}\n"
    return ("\n".join([head.rstrip(), *lines]) + "\n").encode()


@pytest.mark.parametrize("name", ["g.mtx", "g.mtx.gz"])
@pytest.mark.parametrize("field, dtype", [("integer", np.int32), ("real", np.float64)])
def test_matrix_market_keeps_every_entry(tmp_path, name, field, dtype):
    graph = read_graph(written(tmp_path / name, mtx(f"{field} general", entries())))
    assert_entries(graph, dtype=dtype)


def test_a_symmetric_matrix_has_every_edge_once(tmp_path):
    g = np.random.default_rng(0)
    ends = np.sort(g.integers(0, 500, (2, 20_000)), axis=0)
    weight = g.integers(0, 3, 20_000)
    below = list(zip(ends[1].tolist(), ends[0].tolist(), weight.tolist()))
    assert_entries(
        read_graph(written(tmp_path / "g.mtx", mtx("integer symmetric", below, 500))), ends[1], ends[0], weight, 500
    )


def test_a_pattern_has_unit_weights(tmp_path):
    entries = [(1, 0), (2, 0), (1, 0)]
    for symmetry in ("general", "symmetric"):
        graph = read_graph(written(tmp_path / "g.mtx", mtx(f"pattern {symmetry}", entries, 3)))
        assert_entries(graph, [1, 2, 1], [0, 0, 0], [1, 1, 1], 3)


def test_wide_integers_of_a_matrix(tmp_path):
    graph = read_graph(written(tmp_path / "g.mtx", mtx("integer general", [(0, 1, 2**53 + 1)], 2)))
    assert_entries(graph, [0], [1], [2**53 + 1], 2, np.int64)


@pytest.mark.parametrize(
    "weight", ["7", "-7.5", "+7", ".5", "7.", "7e-3", "-7.25E+3", "inf", "nan", "7 ", "7\t", "7\r"]
)
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_weights_in_every_notation(tmp_path, weight, end):
    """SciPy 1.17 itself crashes where a blank comes last, and reads no sign +."""
    text = f"%%MatrixMarket matrix coordinate real general\n%\n2 2 1\n1 2 {weight}{end}"
    if weight.startswith("+"):
        refused(tmp_path / "g.mtx", text.encode(), "Invalid floating-point value")
    else:
        np.testing.assert_array_equal(read_graph(written(tmp_path / "g.mtx", text.encode())).data, [float(weight)])


def test_the_least_and_the_greatest_weight_of_dimacs(tmp_path):
    text = b"p sp 2 2\na 1 2 -9223372036854775808\na 2 1 9223372036854775807\n"
    assert read_graph(written(tmp_path / "g.gr", text)).data.tolist() == [-(2**63), 2**63 - 1]


def test_a_pipe_is_refused(tmp_path):
    """Files are opened several times."""
    os.mkfifo(tmp_path / "g.gr")
    with pytest.raises(ValueError, match="is a pipe, which can be read once"):
        read_graph(tmp_path / "g.gr")


def test_what_scipy_writes(tmp_path):
    matrix = sparse.random(50, 50, density=0.2, random_state=0)
    mmwrite(tmp_path / "g.mtx", matrix, precision=17)
    np.testing.assert_array_equal(read_graph(tmp_path / "g.mtx").toarray(), matrix.toarray())


@pytest.mark.parametrize(
    "text, said",
    [
        (b"", "is not a readable MatrixMarket file"),
        (b"1,2,3\n", "is not a readable MatrixMarket file"),
        (b"%%MatrixMarket matrix array real general\n2 2\n1\n2\n2\n1\n", "holds a dense matrix"),
        (mtx("real skew-symmetric", [(1, 0, 3.5)]), "holds a real skew-symmetric matrix"),
        (mtx("complex general", [(1, 0, 3.5, 1)]), "holds a complex general matrix"),
        (mtx("real general", [(1, 0, 3.5)], 2, 3), "a graph is a square matrix, not one of 2 x 3"),
        (mtx("real general", [(1, 0, 3.5), (1, 6, 2)]), "Line 5"),
        (mtx("real general", [(1, 0, "x")]), "line 4: '2 1 x' is not two numbers of vertices and a weight"),
        *(
            (mtx("real general", [(0, 1, 3), (1, 0, weight)]), f"line 5: '2 1 {weight}' is not two numbers")
            for weight in ("1,5", "1d3", "0x10", "1_000", "1-2", "1.2.3", "1 2", "1e", "5 km")
        ),
        *((mtx("integer general", [(1, 0, weight)]), f"'2 1 {weight}' is not") for weight in ("1.9", "1e3", "1,200")),
        (mtx("pattern general", [(1, 0, 4)]), "line 4: '2 1 4' is not two numbers of vertices"),
        (
            mtx("integer general", [(1, 0, 2**63)]),
            "is not a readable MatrixMarket file (Line 4: Integer out of range.)",
        ),
        (mtx("real general", [(1, 0, 1), (2, 0, 1)])[:-6], "is not a readable MatrixMarket file"),
    ],
)
def test_faults_of_matrix_market(tmp_path, text, said):
    refused(tmp_path / "g.mtx", text, said)


# Tables


def rows(*columns):
    return "".join(",".join(map(str, row)) + "\n" for row in zip(*columns))


@pytest.mark.parametrize(
    "header",
    ["", "source,target,weight\n", "src,dst,weights\n", "from,to,cost\n", "a,b,c\n", "a,b,Length\n", "U,V,w\n"],
)
def test_csv(tmp_path, header):
    text = header + rows(SOURCE, TARGET, WEIGHT)
    assert_entries(read_graph(written(tmp_path / "g.csv", text)), n=5)


def test_columns_are_found_by_name_or_asked_for(tmp_path):
    text = "weight,toll,target,source\n" + rows(WEIGHT, [0.5] * 7, TARGET, SOURCE)
    path = written(tmp_path / "g.csv", text)
    assert_entries(read_graph(path), n=5)
    assert_entries(read_graph(path, ["source", "target", "toll"]), weight=[0.5] * 7, n=5, dtype=np.float64)
    assert_entries(read_graph(path, ["3", "2"]), weight=[1] * 7, n=5)
    plain = written(tmp_path / "plain.csv", rows([9] * 7, SOURCE, TARGET, WEIGHT))
    assert_entries(read_graph(plain, ["1", "2", "3"]), n=5)
    refused(
        tmp_path / "plain.csv", rows([9] * 7, SOURCE, TARGET, WEIGHT), "columns 0 to 3, without names; --columns tells"
    )


EDGES = {"source": SOURCE, "target": TARGET, "length": WEIGHT}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
@pytest.mark.parametrize("names", ["source,target,length", "SRC,Dst,x", "u,v,Length", " from , to ,toll"])
def test_the_only_other_column_of_numbers_is_the_weight(tmp_path, names, order):
    table = list(zip(names.split(","), EDGES.values()))
    shuffled = [table[i] for i in order] + [("name", ["x"] * 7), ("Id", range(7))]
    text = ",".join(name for name, _ in shuffled) + "\n" + rows(*(column for _, column in shuffled))
    found = read_file(written(tmp_path / "g.csv", text))
    assert_entries(found.graph, n=5)
    assert found.read == "columns " + ", ".join(name.strip() for name in names.split(","))


def test_the_only_other_column_or_array_is_the_weight(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    def write(columns, **more):
        parquet.write_table(pa.table(columns | {"name": ["x"] * 7}), tmp_path / "g.parquet")
        np.savez(tmp_path / "g.npz", **columns, **more)

    write({name: np.array(values) for name, values in EDGES.items()}, names=np.array(["x"] * 7, object), far=[1, 2])
    for name, what in (("g.parquet", "columns"), ("g.npz", "arrays")):
        found = read_file(tmp_path / name)
        assert_entries(found.graph, n=5, dtype=np.int64)
        assert found.read == f"{what} source, target, length"
    write({"Target": TARGET, "Source": SOURCE, "edge_id": range(7), "__index_level_0__": range(7)})
    for name, read in (("g.parquet", "columns Source, Target"), ("g.npz", "arrays source, target")):
        found = read_file(tmp_path / name)
        assert_entries(found.graph, weight=[1] * 7, n=5)
        assert found.read == f"{read}; no weights: all 1"
    write(EDGES | {"lanes": [1.0] * 7})
    for name in ("g.parquet", "g.npz"):
        with pytest.raises(ValueError, match="length, lanes could all be the weight"):
            read_graph(tmp_path / name)


def test_saved_rows_take_their_only_other_array(tmp_path):
    np.savez(tmp_path / "g.npz", indptr=[0, 1, 2], indices=[1, 0], length=[2.5, 2.5])
    found = read_file(tmp_path / "g.npz")
    assert found.graph.data.tolist() == [2.5, 2.5] and found.read == "arrays indptr, indices, length"


FLOATS = io.StringIO()
np.savetxt(FLOATS, np.stack([SOURCE, TARGET, WEIGHT], axis=1), delimiter=",")  # vertices with a point and an exponent


@pytest.mark.parametrize(
    "text, weight, dtype",
    [
        (rows(SOURCE, TARGET), [1] * 7, np.int32),
        ("source,target\n" + rows(SOURCE, TARGET), [1] * 7, np.int32),
        (FLOATS.getvalue(), WEIGHT, np.float64),
        (rows(SOURCE, TARGET, [*WEIGHT[:-1], "7.5"]), [*WEIGHT[:-1], 7.5], np.float64),
        (rows(SOURCE, TARGET, [*WEIGHT[:-1], 2**53 + 1]), [*WEIGHT[:-1], 2**53 + 1], np.int64),
    ],
    ids=["no weights", "no weights, names", "as numpy writes", "one float", "wide integers"],
)
def test_weights_of_a_csv(tmp_path, text, weight, dtype):
    assert_entries(read_graph(written(tmp_path / "g.csv", text)), weight=weight, n=5, dtype=dtype)


@pytest.mark.parametrize("weight", [np.int64, np.int32, np.float32, np.float64])
@pytest.mark.parametrize("ends", [np.int64, np.uint32, np.float64])
def test_parquet(tmp_path, ends, weight):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    table = {"weight": np.array(WEIGHT, weight), "target": np.array(TARGET, ends), "source": np.array(SOURCE, ends)}
    parquet.write_table(pa.table(table | {"name": ["x"] * 7}), tmp_path / "g.parquet")
    assert_entries(read_graph(tmp_path / "g.parquet"), n=5, dtype=weight)
    assert_entries(read_graph(tmp_path / "g.parquet", ["2", "1", "0"]), n=5, dtype=weight)
    with pytest.raises(ValueError, match="column 'name' holds object, not numbers"):
        read_graph(tmp_path / "g.parquet", ["source", "target", "name"])
    kind = parquet.read_schema(tmp_path / "g.parquet").field("source").type
    with pytest.raises(ValueError, match=f"column source holds {kind}; both ends of an edge are numbers, or both are"):
        read_graph(tmp_path / "g.parquet", ["source", "name"])
    parquet.write_table(pa.table({"source": [0.0, 1.5], "target": [1.0, 2.0]}), tmp_path / "bad.parquet")
    with pytest.raises(ValueError, match=r"bad\.parquet, row 1, column source: 1\.5 is no vertex"):
        read_graph(tmp_path / "bad.parquet")


def test_decimal_weights_of_a_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow, which is not installed")
    weight = pyarrow.array([decimal.Decimal("5.5"), decimal.Decimal("7.25")])
    table = pyarrow.table({"source": [0, 1], "target": [1, 2], "km": weight})
    importlib.import_module("pyarrow.parquet").write_table(table, tmp_path / "g.parquet")
    np.testing.assert_array_equal(read_graph(tmp_path / "g.parquet").data, [5.5, 7.25])
    table = table.set_column(2, "cost", pyarrow.array(["5.5", "7.25"]))
    importlib.import_module("pyarrow.parquet").write_table(table, tmp_path / "g.parquet")
    with pytest.raises(ValueError, match="cost may be the weight, but it holds no numbers"):
        read_graph(tmp_path / "g.parquet")


@pytest.mark.parametrize(
    "text, options, said",
    [
        ("", {}, "holds no rows"),
        ("source,target,weight\n", {}, "holds no rows"),
        ("source,target,weight\n0,1,2\n\n# c\n0,1.5,2\n", {}, "line 5, column target: 1.5 is no vertex"),
        (
            "0,nan,2\n",
            {},
            "line 1, column 1: nan is no vertex; they are whole numbers, as floats below 9,007",
        ),
        ("0,1.5,2\n1,2,3\n1,0.5,3\n", {}, "line 1, column 1: 1.5 is no vertex"),
        ("0,1.5,2\n1,2,3\n1,0.5,3\n", {}, "(2 such rows)"),
        ("0,inf,2\n", {}, "column 1: inf is no vertex"),
        ("0,,2\n", {}, "line 1, column 1: there is no value"),
        ("from,to,km\nA,B,2\n\n# c\nA,,2\n", {}, "line 5, column to: there is no vertex"),
        ("from,to,km\nA,B,2\nC,D\n", {}, "line 3: 2 fields where 3 are needed"),
        ("from,to,km\nA,B,x\n", {"columns": ["from", "to", "km"]}, "line 2, column 'km': 'x' is not a number"),
        ("from,to\n" + "0,1\n" * 1000 + "0,x\n", {}, "line 1002, column 'to': 'x' is not a number"),
        ("from,to\n0,8123456789\n", {}, "its vertices have ids or names, which a matrix does not keep: return_nodes"),
        ("from,to\nA,B\n", {}, "its vertices have ids or names"),
        ("0,1\n0\n", {}, "line 2: 1 field where 2 are needed"),
        ("a,b,w\n0,1,2\n0,2,3,4\n", {}, "line 3: 4 fields where 3 are needed"),
        ("w,v,u\n0,1,2\n0,2,3,4\n", {}, "line 3: 4 fields where 3 are needed"),
        ("a,b,w\n0,1,2,5\n0,2,3,5\n", {}, "line 2: 4 fields where 3 are needed"),
        ("a,b,w\n0,1,2,5\n0,2,3.5,5\n", {}, "line 2: 4 fields where 3 are needed"),
        ("a,b,c,w\n0,1,2\n", {"columns": ["a", "w"]}, "line 2: 3 fields where 4 are needed"),
        ("0 1 2.5\n", {}, "fields must be separated by commas, semicolons or tabs, not by spaces"),
        ("# c\nsource target weight\n0 1 2.5\n", {}, "not by spaces"),
        ("0\n1\n", {}, "--columns tells which"),
        ("a,b,c,d\n0,1,2,3\n", {}, "has a, b, c, d; --columns tells which are source, target and weight"),
        ("weight,a,b\n0,1,2\n", {}, "has weight, a, b; --columns tells which are source, target and weight"),
        ("a,b,source\n0,1,2\n", {}, "has a, b, source; --columns tells"),
        ("Cost,a,b\n0,1,2\n", {}, "has Cost, a, b; --columns tells"),
        (",a,b\n0,1,2\n", {}, "has , a, b; --columns tells"),
        ("source,target,a,b\n0,1,2,3\n", {}, "a, b could all be the weight; --columns tells"),
        ("source,target,a,b\n0,1,,x\n0,1,2,3\n", {}, "a, b could all be the weight; --columns tells"),
        ("source,target,weight,Weight\n0,1,2,3\n", {}, "weight, Weight could all be the weight"),
        ("u,v,km\n0,1,5 km\n1,2,7 km\n", {}, "km may be the weight, but '5 km' is no number; --columns tells"),
        ('u,v,km\n0,1,"1,200"\n1,2,"3,400"\n', {}, "km may be the weight, but '1,200' is no number"),
        ("u;v;a\n0;1;5,5\n1;2;7,5\n", {}, "a may be the weight, but '5,5' is no number"),
        ("u,v,length\n0,1,short\n1,2,long\n", {}, "length may be the weight, but 'short' is no number"),
        ("source,target,from,to\n0,1,2,3\n", {}, "source, target and from, to could all be the ends"),
        ("0,1,2\n", {"columns": ["0", "3"]}, "no column '3'"),
        ("0,1,2\n", {"columns": ["0"]}, "an edge has columns source, target and perhaps weight"),
        ("0,1,2\n", {"columns": ["0", "1", "2", "0"]}, "an edge has columns"),
        ("0,1,2\n", {"columns": ["0", "0"]}, "an edge has columns"),
    ],
)
def test_faults_of_tables(tmp_path, text, options, said):
    line = refused(tmp_path / "g.csv", text, said.removesuffix("$"), **options)
    assert not said.endswith("$") or line.endswith(said[:-1])


@pytest.mark.parametrize("name", ["w", "km", "weight"])
def test_a_comment_behind_every_weight(tmp_path, name):
    (tmp_path / "g.csv").write_text(f"u,v,{name}\n0,1,5 # x\n1,2,7 # y\n0,2,1.5 # z\n")
    np.testing.assert_array_equal(read_graph(tmp_path / "g.csv").data, [5, 7, 1.5])


@pytest.mark.parametrize("fields", [["2024-01-01"] * 2, ["12 Main St", "7 Oak St"], ["7a", "9b"], ["12:30", "13:30"]])
def test_texts_that_begin_with_digits_are_no_weights(tmp_path, fields):
    (tmp_path / "g.csv").write_text("u,v,note\n" + "".join(f"{i},{i + 1},{field}\n" for i, field in enumerate(fields)))
    np.testing.assert_array_equal(read_graph(tmp_path / "g.csv").data, [1, 1])


# Arrays


@pytest.mark.parametrize("dtype", ["f2", ">f4", ">f8", ">i4", ">i8"])
def test_weights_of_types_that_scipy_does_not_hold(tmp_path, dtype):
    np.savez(tmp_path / "g.npz", source=SOURCE, target=TARGET, weight=np.array(WEIGHT, dtype))
    graph = read_graph(tmp_path / "g.npz")
    np.testing.assert_array_equal(graph.data, WEIGHT)
    assert graph.dtype.isnative and graph.dtype.itemsize >= 4


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("form", ["array", "matrix"])
def test_what_scipy_saves(tmp_path, kind, form):
    made = getattr(sparse, f"coo_{form}")((np.array(WEIGHT, np.float32), (SOURCE, TARGET)), shape=(N, N))
    matrix = made if kind == "coo" else made.asformat(kind)
    sparse.save_npz(tmp_path / "g.npz", matrix)
    graph = read_graph(tmp_path / "g.npz")
    assert graph.format == kind and graph.dtype == np.float32 and isinstance(graph, sparse.sparray)
    np.testing.assert_array_equal(graph.data, matrix.data)
    np.testing.assert_array_equal(graph.toarray(), matrix.toarray())


def test_repeated_entries_and_zeros_of_saved_rows_remain(tmp_path):
    indptr, indices, data = [0, 3, 3, 4], [1, 1, 2, 0], [5, 0, 7, 5]
    matrix = sparse.csr_array((data, indices, indptr), shape=(3, 3))
    sparse.save_npz(tmp_path / "saved.npz", matrix)
    np.savez(tmp_path / "plain.npz", indptr=indptr, indices=indices, data=data)
    np.savez(tmp_path / "none.npz", indptr=indptr, indices=indices)
    for name, weight in (("saved", data), ("plain", data), ("none", [1] * 4)):
        graph = read_graph(tmp_path / f"{name}.npz")
        for found, expected in zip((graph.indptr, graph.indices, graph.data), (indptr, indices, weight)):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("names", [("source", "target", "weight"), ("src", "dst", "weights"), ("src", "dst", "data")])
@pytest.mark.parametrize("count", [{}, {"n": 6}, {"n_vertices": 6}])
def test_arrays_of_edges(tmp_path, names, count):
    np.savez(tmp_path / "g.npz", **dict(zip(names, map(np.array, (SOURCE, TARGET, WEIGHT)))), **count, other="text")
    assert_entries(read_graph(tmp_path / "g.npz"), n=6 if count else 5, dtype=np.int64)


def test_arrays_without_weights(tmp_path):
    np.savez(tmp_path / "g.npz", source=SOURCE, target=TARGET, n=6)
    assert_entries(read_graph(tmp_path / "g.npz"), weight=[1] * 7)
    np.savez(tmp_path / "g.npz", source=np.empty(0, int), target=np.empty(0, int))
    assert_entries(read_graph(tmp_path / "g.npz"), [], [], [], 0)


@pytest.mark.parametrize(
    "arrays, said",
    [
        ({"x": [1]}, "holds arrays x: a graph needs `indptr` and `indices`, or `source` and `target`"),
        ({"source": [0], "target": [1], "a": [1], "b": [2]}, "a, b could all be the weight"),
        ({"source": [0], "target": [1], "weight": [1], "data": [2]}, "weight, data could all be the weight"),
        ({"source": [0], "target": [1], "u": [1], "v": [2]}, "source, target and u, v could all be the ends"),
        ({"source": [0], "target": [1], "Source": [1]}, "differ only in case"),
        ({"indptr": [0, 1], "indices": [0], "a": [1.0], "b": [1.0]}, "a, b could all be the weight"),
        ({"source": [0, 1], "target": [1, 2], "a": [[5.0], [7.0]]}, "a may be the weight, but it has the shape (2, 1)"),
        ({"source": [0, 1], "target": [1, 2], "cost": [5.0]}, "cost may be the weight, but it has the shape (1,)"),
        ({"source": [0, 1], "target": [1, 2], "w": ["5", "7"]}, "w may be the weight, but it has the shape (2,) and"),
        ({"source": [0, 1], "target": [1]}, "as long as each other, not of shapes (2,), (1,)"),
        ({"source": [0, 1], "target": [1, 2], "weight": [3]}, "as long as each other"),
        ({"source": [[0, 1]], "target": [[1, 2]]}, "not of shapes (1, 2)"),
        (
            {"source": [0, 1], "target": [1, 3], "n": 3},
            "entry 1, target: 3 is no vertex; they are whole numbers from 0 to 2",
        ),
        (
            {"source": [0, -1], "target": [1, 2], "n": 3},
            "entry 1, source: -1 is no vertex; they are whole",
        ),
        ({"source": ["a"], "target": ["b"], "n": 3}, "source must hold whole numbers; it holds <U1"),
        ({"source": ["a"], "target": [1]}, "source must hold whole numbers; it holds <U1"),
        ({"source": [0, 0.5], "target": [1, 2]}, "entry 1, source: 0.5 is no vertex"),
        ({"source": [0, -1], "target": [1, 2]}, "its vertices have ids or names"),
        ({"source": [0], "target": [1], "n": -1}, "number of vertices must be one from 0 to 2,147,483,647, not -1"),
        ({"source": [0], "target": [1], "n": 2**31}, "not 2147483648"),
        ({"source": [0], "target": [1], "n": [2]}, "not [2]"),
        ({"source": [0], "target": [1], "n": 2.5}, "not 2.5"),
        ({"source": 0, "target": 1}, "not of shapes (), () and ()"),
        ({"indptr": [0, 2], "indices": [0], "data": [1.0]}, "is not a readable .npz file"),
        ({"indptr": [0, 1], "indices": [0], "data": [1.0, 2]}, "is not a readable .npz file"),
        ({"format": b"csr", "data": [1]}, "is not a readable .npz file"),
    ],
)
def test_faults_of_arrays(tmp_path, arrays, said):
    file = io.BytesIO()
    np.savez(file, **arrays)
    refused(tmp_path / "g.npz", file.getvalue(), said)


def test_other_files(tmp_path):
    refused(tmp_path / "g.npz", b"nonsense", "is not a readable .npz file (it is no zip archive)")
    np.save(tmp_path / "g.npy", [0, 1])
    refused(tmp_path / "g.npz", (tmp_path / "g.npy").read_bytes(), "is not a readable .npz file (it is no zip archive)")
    refused(tmp_path / "g.txt", b"", "unknown suffix '.txt'; graphs are read from .gr, .gr.gz, .mtx, .mtx.gz, .csv")
    refused(tmp_path / "g.csv.gz", b"", "unknown suffix '.csv.gz'")
    refused(tmp_path / "g.gr", gr(), "only a .csv, .tsv or .parquet has columns to choose", columns=["0", "1"])
    sparse.save_npz(tmp_path / "d.npz", sparse.dia_array(np.eye(3)))
    with pytest.raises(ValueError, match="holds a dia matrix; graphs are read from csr, csc and coo"):
        read_graph(tmp_path / "d.npz")
    with pytest.raises(FileNotFoundError):
        read_graph(tmp_path / "absent.gr")


# Ids and names


FAR = 8_123_456_789 + np.array(SOURCE), 8_123_456_789 + np.array(TARGET)
ROUNDED = 2**60 + 1 + np.array(SOURCE), 2**60 + 1 + np.array(TARGET)  # a float64 holds none of them


def read_named(path, columns=None):
    """The edges in a file between what it calls its vertices, and these."""
    graph, nodes = read_graph(path, columns, return_nodes=True)
    assert graph.shape == (len(nodes),) * 2
    called = np.array(nodes)
    return called[graph.row].tolist(), called[graph.col].tolist(), graph.data.tolist(), called.tolist()


@pytest.mark.parametrize("weight", [WEIGHT, [w + 0.5 for w in WEIGHT]], ids=["whole", "halves"])
@pytest.mark.parametrize("source, target", [FAR, ROUNDED, (-np.array(SOURCE) - 1, np.array(TARGET))])
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz"])
def test_ids_of_edges(tmp_path, suffix, source, target, weight):
    path = tmp_path / f"g{suffix}"
    if suffix == ".csv":
        written(path, "from,to,km\n" + rows(source, target, weight))
    elif suffix == ".npz":
        np.savez(path, source=source, target=target, weight=weight)
    else:
        pa = pytest.importorskip("pyarrow")
        import pyarrow.parquet as parquet

        parquet.write_table(pa.table({"from": source, "to": target, "km": weight}), path)
    ids = np.unique([source, target]).tolist()
    assert read_named(path) == (source.tolist(), target.tolist(), weight, ids)
    assert read_file(path).read.endswith("; ids are numbered")


@pytest.mark.parametrize(
    "source, target",
    [
        (["Oslo", "Århus", "a,b"], ["a,b", "Oslo", '"x"']),
        (["7", "7b", "7b"], ["7b", "7a", "7"]),
        (["x", "y", "1e3"], ["y", "01", "1.0"]),
        ([str(2**63), "7", str(2**64)], ["7", str(2**70), "1"]),
        (["nan", "NA", "x"], ["x", "inf", "None"]),
    ],
)
@pytest.mark.parametrize("weight", [[1, 2, 3], [0.5, 1.5, 2.5], None])
def test_names_of_vertices_are_kept_as_they_are_written(tmp_path, source, target, weight):
    file = io.StringIO()
    table = [source, target] if weight is None else [source, target, weight]
    csv.writer(file).writerows([["from", "to", "km"][: len(table)], *zip(*table)])
    names = list(dict.fromkeys([*source, *target]))
    assert read_named(written(tmp_path / "g.csv", file.getvalue())) == (source, target, weight or [1] * 3, names)
    assert read_file(tmp_path / "g.csv").read.endswith("; names are numbered")
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    columns = dict(zip(("from", "to", "km"), table)) | {"to": pa.array(target).dictionary_encode()}
    parquet.write_table(pa.table(columns), tmp_path / "g.parquet")
    assert read_named(tmp_path / "g.parquet") == (source, target, weight or [1] * 3, names)
    np.savez(tmp_path / "g.npz", source=source, target=target, weight=weight or [1] * 3)
    assert read_named(tmp_path / "g.npz") == (source, target, weight or [1] * 3, names)


@pytest.mark.parametrize("field", ["3x", "N/A", "1;2"])
@pytest.mark.parametrize("row", [0, 1, 2000])
def test_a_few_words_among_numbers_are_faults(tmp_path, field, row):
    """And no vertices, wherever they are."""
    rows = [[str(i), str(i + 1), "1"] for i in range(3000)]
    rows[row][1] = field
    path = written(tmp_path / "g.csv", "from,to,weight\n" + "".join(",".join(one) + "\n" for one in rows))
    with pytest.raises(ValueError, match=rf"g\.csv, line {row + 2}, column 'to': '{field}' is not a number"):
        read_graph(path)


def test_names_that_are_missing(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    parquet.write_table(pa.table({"from": ["a", None], "to": ["b", "c"]}), tmp_path / "g.parquet")
    with pytest.raises(ValueError, match=r"g\.parquet: source must hold a vertex in every row; 1 row without"):
        read_graph(tmp_path / "g.parquet", return_nodes=True)
    parquet.write_table(pa.table({"from": [0, None], "to": [1, 2]}), tmp_path / "g.parquet")
    with pytest.raises(ValueError, match=r"g\.parquet, row 1, column from: nan is no vertex"):
        read_graph(tmp_path / "g.parquet", return_nodes=True)


def test_names_and_weights_of_different_rows_are_no_graph(tmp_path, monkeypatch):
    """As where numpy and the csv module take a file for other rows."""
    written(tmp_path / "g.csv", "from,to,km\nA,B,2\nB,C,3\n")
    monkeypatch.setattr("emst.io.edge_lists.read_names", lambda *_: [["A"], ["B"]])
    with pytest.raises(ValueError, match="has 1 rows of names and 2 of weights"):
        read_graph(tmp_path / "g.csv", return_nodes=True)


def test_other_files_have_no_names():
    assert read_graph(FLORIDA, return_nodes=True)[1] is None


@pytest.mark.parametrize("nodes", [np.zeros((3, 2)), np.array([0.5, 1, 2]), np.array([1, 2]), np.array([{}] * 3)])
def test_other_arrays_called_nodes_are_left_out(tmp_path, nodes):
    np.savez(tmp_path / "g.npz", source=[0, 1], target=[1, 2], n=3, nodes=nodes)
    graph, found = read_graph(tmp_path / "g.npz", return_nodes=True)
    assert found is None and graph.shape == (3, 3) and graph.data.tolist() == [1, 1]


# Forests


@pytest.mark.parametrize("labels", [False, True])
def test_a_forest_can_be_written_and_read_as_a_graph(tmp_path, labels):
    forest = graph_msf(
        sparse.coo_array((WEIGHT, (SOURCE, TARGET)), shape=(N, N)), symmetric="min", device="cpu", return_labels=labels
    )
    write_forest(tmp_path / "forest.npz", forest)
    with np.load(tmp_path / "forest.npz") as arrays:
        assert set(arrays) == {"source", "target", "weight", "edge_id", "n_vertices"} | (
            {"component_labels"} if labels else set()
        )
        for name in arrays:
            np.testing.assert_array_equal(arrays[name], getattr(forest, name))
    assert_entries(read_graph(tmp_path / "forest.npz"), forest.source, forest.target, forest.weight, dtype=np.int64)
    np.testing.assert_array_equal(np.array(WEIGHT)[forest.edge_id], forest.weight)


def test_a_forest_that_cannot_be_written_leaves_nothing(tmp_path):
    with pytest.raises(AttributeError):
        write_forest(tmp_path / "forest.npz", None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("nodes", [[10**10, -5, 7], ["a", "b", "c,d"]])
@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_a_forest_is_written_with_its_nodes(tmp_path, suffix, nodes):
    forest = graph_msf([nodes[0], nodes[1]], [nodes[1], nodes[2]], [2.5, 1.5], device="cpu")
    path = tmp_path / f"forest{suffix}"
    write_forest(path, forest)
    graph, found = read_graph(path, ["source", "target", "weight"] if suffix != ".npz" else None, return_nodes=True)
    again = replace(graph_msf(graph, device="cpu"), nodes=found)
    assert sorted(again.nodes) == sorted(nodes)
    edges = {(frozenset((u, v)), w) for u, v, w in forest.weighted_edge_list()}
    assert {(frozenset((u, v)), w) for u, v, w in again.weighted_edge_list()} == edges


@pytest.mark.parametrize("nodes", [["a", 1], [("a", 1), ("b", 2)], [2**70, 1], [None, "a"], [2**63, -1]])
def test_nodes_that_no_file_holds(tmp_path, nodes):
    """An .npz holds the numbers of the vertices in any case."""
    graph = nx.Graph()
    graph.add_edge(0, 1, weight=2)
    forest = replace(graph_msf(graph, device="cpu"), nodes=nodes)
    with pytest.raises(ValueError, match=r"all integers of at most 64 bits or all texts, not .*; forest\.to_pandas"):
        write_forest(tmp_path / "forest.csv", forest)
    assert list(tmp_path.iterdir()) == []
    write_forest(tmp_path / "forest.npz", forest)
    assert read_graph(tmp_path / "forest.npz").toarray().tolist() == [[0, 2], [0, 0]]


@pytest.mark.parametrize("text", ["a,b,w\n\u00e9,1,2\n".encode("latin-1"), b"a;b;w\n0;1;2,5\n"])
def test_a_table_in_another_notation(tmp_path, text):
    """No parameter of `read_graph` reads it."""
    refused(
        tmp_path / "g.csv", text, "tables of edges are UTF-8, with commas or semicolons between fields and a decimal"
    )


def test_a_table_with_tabs(tmp_path):
    forest = graph_msf(["a", "b"], ["b", "c"], [3, 4], device="cpu")
    write_forest(tmp_path / "forest.tsv", forest)
    graph, nodes = read_graph(tmp_path / "forest.tsv", ["source", "target", "weight"], return_nodes=True)
    assert (graph.row.tolist(), graph.col.tolist(), graph.data.tolist(), nodes) == ([0, 1], [1, 2], [3, 4], [*"abc"])


def test_a_forest_of_names_is_read_as_a_graph(tmp_path):
    write_forest(tmp_path / "forest.npz", graph_msf(["a", "b"], ["b", "c"], [3, 4], device="cpu"))
    matrix = read_graph(tmp_path / "forest.npz")
    again, nodes = read_graph(tmp_path / "forest.npz", return_nodes=True)
    assert matrix.toarray().tolist() == again.toarray().tolist() == [[0, 3, 0], [0, 0, 4], [0, 0, 0]]
    assert nodes.tolist() == ["a", "b", "c"]
