"""Texts that pyarrow reads: the numbers, and the errors, are those that numpy gives for the same file."""

import random
import struct
import subprocess
import sys

import numpy as np
import pytest

from emst import read_points
from emst.io import arrow, tables
from emst.io.tables import read_csv

pytest.importorskip("pyarrow")

FIELDS = [
    "1", "+1", "-0", ".5", "5.", "1e5", "1E+5", "1e", "e5", "inf", "-INF", "Infinity", "+inf", "nan", "-NaN", "nan(1)",
    "1e400", "-1e400", "1e-400", "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
    "2.2250738585072011e-308", "1.7976931348623159e308", "9007199254740993", "9007199254740992." + "9" * 30, "0x10",
    "1_000", "1d5", "1,5", " 1", "1 ", "\t1", " ", "", "\x0b1", "1\x00", "true", "NULL", "N/A", "#N/A", "1#c", "# 1",
    '"1"', '"1', "'1'", "1 2", "--1", "1-", "0012", "-", "1.5.5", "1f", "1" * 400, "0." + "0" * 400 + "1", "1\u00a0",
    "9223372036854775807", "9223372036854775808", "0X1f",
]  # fmt: skip
TEXTS = [
    "x,y\n1,2\n\n3,4\n\n", "x,y\n1,2\n   \n3,4\n", "x\n1\n\n2\n", "x,y\n1,2,3\n4,5\n", "x,y\n1\n", "x,y\n", "x,y",
    "1,2", "x,y\n1,2\n3,4,\n", "x,y,\n1,2,\n3,4,\n",
    "a,x\nfoo,1\nbar,2\n", "# c\nx,y\n1,2\n", '"x","y"\n1,2\n', "x;y\n1;2\n",
    "x,y\r1,2\r3,4\r", "1,2\r3,4", "1,2\r\r\n3,4\n", "x\r,y\n1,2\n", "\ufeffx,y\n1,2\n", "\ufeff1,2\n3,4\n", "1,\n,2\n",
    ",\n1,2\n", "1,2\n,\n3,4\n", 'a,x\n"p\n3,q",4\n', "a,x\n#,1\n2,3\n", "a,x\n\u00e9,1\n2,3\n", "a,x\n(,1\n2,3\n",
    "a,x\r#,1\n2,3\n",
]  # fmt: skip


@pytest.fixture
def read_twice(tmp_path, monkeypatch):
    """Reads a text with pyarrow where that can be, and with numpy alone; both must agree. Returns whether pyarrow read
    it."""
    path, calls = tmp_path / "points.csv", []
    read_plain = arrow.read_plain

    def spied(*args, **options):
        calls.append(read_plain(*args, **options))
        return calls[-1]

    def read(text, *args):
        path.write_bytes(text.encode(errors="surrogateescape"))
        results = []
        for least in (0, 1 << 60):
            monkeypatch.setattr(arrow, "LEAST_BYTES", least)
            try:
                results.append(read_csv(path, *args))
            except ValueError as error:
                results.append(str(error))
        ours, numpys = results
        if isinstance(numpys, str):
            assert ours == numpys
        else:
            assert ours.dtype == numpys.dtype
            np.testing.assert_array_equal(ours, numpys)
            np.testing.assert_array_equal(np.signbit(ours[ours == 0]), np.signbit(numpys[numpys == 0]))
        taken = any(table is not None for table in calls)
        calls.clear()
        return taken

    monkeypatch.setattr(tables, "read_plain", spied)
    return read


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("gaps", [False, True])
def test_pyarrow_reads_the_numbers_of_numpy(read_twice, gaps, whole):
    for field in FIELDS:
        read_twice(f"x,y\n1,2\n{field},3\n4,5\n", None, gaps, whole)
        read_twice(f"1\n{field}\n2\n", None, gaps, whole)
        read_twice(f"x,y,name\n1,2,a\n3,4,{field}\n", ["y", "x"], gaps, whole)
    for text in TEXTS:
        for columns in (None, ["x"], ["1"], ["x", "x"]):
            read_twice(text, columns, gaps, whole)
            read_twice(text.replace("\n", "\r\n"), columns, gaps, whole)


def test_random_floats(read_twice):
    g = random.Random(0)
    floats = [struct.unpack("d", g.randbytes(8))[0] for _ in range(20_000)]
    digits = [f"{g.randrange(10**30)}.{g.randrange(10**30)}e{g.randint(-380, 340)}" for _ in range(5000)]
    fields = [*map(repr, floats), *(f"{x:.{g.randrange(40)}e}" for x in floats), *digits]
    assert read_twice("x\n" + "\n".join(fields) + "\n", None, False)


def test_what_pyarrow_reads(read_twice):
    assert read_twice("name,x\nA,1.5\nB,2\n", ["x"], False)
    assert read_twice("1,2\n3,\n", None, True)
    assert read_twice("u,v\n1,2\n", ["u", "v"], False, True)
    assert not read_twice('name,x\n"A",1.5\n', ["x"], False)
    assert not read_twice("x,y\n1 2,3\n", None, False)
    assert not read_twice("name,x\n" + "A,1.5\n" * 5000 + "\udce9,2\n", ["x"], False)  # no UTF-8


def test_it_is_not_needed(tmp_path, monkeypatch):
    monkeypatch.setattr(arrow, "LEAST_BYTES", 0)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    path = tmp_path / "points.csv"
    path.write_text("x,y\n1,2\n")
    assert read_points(path).tolist() == [[1.0, 2.0]]


def test_an_interrupt_while_a_file_is_read_ends_the_reading(tmp_path, monkeypatch):
    """pyarrow takes Ctrl-C for itself, and raises its own error."""
    import pyarrow
    from pyarrow import csv

    def cancelled(*_):
        raise pyarrow.lib.ArrowCancelled("Operation cancelled")

    path = tmp_path / "x.csv"
    path.write_text("x,y\n1,2\n")
    monkeypatch.setattr(arrow, "LEAST_BYTES", 0)
    monkeypatch.setattr(csv, "read_csv", cancelled)
    with pytest.raises(KeyboardInterrupt):
        read_points(path)


def test_numbers_do_not_need_pandas(tmp_path):
    """pyarrow's `to_numpy` imports it, and an interrupt that comes meanwhile is lost."""
    pytest.importorskip("pyarrow")
    (tmp_path / "points.csv").write_text("1,2\n3,\n5,6\n")
    code = """
import sys
import numpy as np
from pathlib import Path
from emst.io import arrow
arrow.LEAST_BYTES = 0
found = arrow.read_plain(Path(sys.argv[1]), [1, 0], 2, ",", 0, gaps=True)
np.testing.assert_array_equal(found, [[2, 1], [np.nan, 3], [6, 5]])
assert "pandas" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "points.csv")], check=True)
