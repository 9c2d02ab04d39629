"""Labels in texts: the lines are those of numpy's `savetxt`, whatever number of them is written by one call."""

import io

import numpy as np
import pytest

from emst.io import column_files, tables
from emst.io.tables import PLAIN, dialect_of


@pytest.mark.parametrize("n", [1, 6, 7])
@pytest.mark.parametrize(("suffix", "sep"), [(".csv", ","), (".tsv", "\t")])
def test_lines_are_those_of_savetxt(monkeypatch, suffix, sep, n):
    monkeypatch.setattr(column_files, "LINES", 3)
    label = np.array([0, -1, 12, -3, 2**40, 7, -2][:n])
    probability = np.array([1.0, 0.0, 1 / 3, np.nan, 1e-300, 0.1 + 0.2, 5e-324][:n])
    ours, theirs = io.BytesIO(), io.BytesIO()
    column_files.write_columns(ours, suffix, {"label": label, "probability": probability}, exact=False)
    table = np.rec.fromarrays([label, probability])
    np.savetxt(theirs, table, fmt=f"%d{sep}%.9g", header=f"label{sep}probability", comments="")
    assert ours.getvalue() == theirs.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        "x,y\n1,2\n\n3,4\n",
        "x,y\r\n1,2\r\n\r\n3,4",
        "x,y\r1,2\r\r3,4\r",
        "x,y\n 1 ,2\n  \n3,\n",
        "x,y\n1,\u00e9\n\u2028,4\n",
        'x,y\n1,"2\n3"\n4,5\n',
        "x,y\n1,2\n# 3,4\n5,6 # seven\n",
        "x,y\n",
    ],
)
@pytest.mark.parametrize("piece", [2, 1 << 20])
def test_lines_that_are_not_taken_apart_are_the_same_rows(text, piece, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "PIECE", piece)
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    for skip in (0, 1):
        rows = [row.text for row in tables.text_rows(path, skip, ",", PLAIN)]
        assert list(tables.row_texts(path, skip, ",", PLAIN)) == rows
    simple = '"' not in text and "#" not in text
    monkeypatch.setattr(tables, "text_rows", lambda *_: iter(()))
    assert (list(tables.row_texts(path, 0, ",", PLAIN)) != []) is simple


def test_rows_in_another_encoding(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes("x;y\n\u00e9;2\n".encode("latin-1"))
    assert list(tables.row_texts(path, 1, ";", dialect_of(None, ".", "latin-1"))) == ["\u00e9;2"]
