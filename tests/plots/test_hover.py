"""Columns beside the pointer: their texts, and what is refused."""

import datetime
import io

import numpy as np
import pandas as pd
import polars as pl
import pytest

from emst import HDBSCANGPU
from emst.plots.hover import hover_texts, numbered

ALL = np.arange(3)


@pytest.mark.parametrize("values, texts", [
    (["a", None, "None"], ["a", "", "None"]),
    (np.array(["nan", "", "ä"]), ["nan", "", "ä"]),
    (np.array([b"a", b"\xc3\xa4", b"\xff"]), ["a", "ä", "\ufffd"]),
    (np.array([0.1, np.nan, np.inf], np.float32), ["0.1", "", "inf"]),
    (np.array([0.1, 1e-7, 123456789.5]), ["0.1", "1e-07", "123456789.5"]),
    (np.array([2**63 - 1, -5, 0]), ["9223372036854775807", "-5", "0"]),
    ([True, False, True], ["True", "False", "True"]),
    (np.array(["2024-05-01", "NaT", "1969-01-01"], "M8[D]"), ["2024-05-01", "", "1969-01-01"]),
    ([1, "b", 2.5], ["1", "b", "2.5"]),
    ([datetime.date(2024, 5, 1), None, 3], ["2024-05-01", "", "3"]),
    (pd.Series([1, None, 2**60 + 1], dtype="Int64"), ["1", "", "1152921504606846977"]),
    (np.array(["2024-05-01T12:00", "NaT", "2024-05-01"], "M8[us]"), ["2024-05-01T12:00", "", "2024-05-01"]),
    (pd.Series(["a", None, "a"], dtype="category"), ["a", "", "a"]),
    (pd.Series(["a", None, "b"], dtype="string"), ["a", "", "b"]),
    (pl.Series(["a", None, "b"]), ["a", "", "b"]),
    (pl.Series([1, None, 2**60 + 1]), ["1", "", "1152921504606846977"]),
])  # fmt: skip
def test_values_as_texts(values, texts):
    assert hover_texts({"one": values}, 3, ALL) == {"one": texts}
    assert hover_texts({"one": values}, 3, np.array([2, 0])) == {"one": [texts[2], texts[0]]}


@pytest.mark.parametrize("library", [pd, pl])
def test_a_data_frame(library):
    frame = library.DataFrame({"name": ["a", "b", "c"], "people": [1, 2, 3]})
    assert hover_texts(frame, 3, ALL) == {"name": ["a", "b", "c"], "people": ["1", "2", "3"]}
    assert hover_texts(None, 3, ALL) == {}


def test_each_text_is_kept_once():
    texts, numbers = numbered(["b", "a", "b", "", "a"])
    assert texts == ["b", "a", ""] and numbers.tolist() == [0, 1, 0, 2, 1]


@pytest.mark.parametrize("hover, kind, said", [
    ({"name": ["a", "b"]}, ValueError, r"hover\['name'\] must hold one value for each of 6 points; .*\(2,\)"),
    ({"name": np.zeros((6, 2))}, ValueError, r"its shape is \(6, 2\)"),
    ({"name": "abcdef"}, ValueError, r"its shape is \(\)"),
    (["name"], TypeError, "hover must be a mapping of names to values, or a data frame; got list"),
])  # fmt: skip
def test_columns_that_are_refused(tmp_path, hover, kind, said):
    pytest.importorskip("bokeh")
    points = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [9.0, 9.0], [9.0, 8.0], [8.0, 9.0]]
    model = HDBSCANGPU(min_cluster_size=3, min_samples=2, device="cpu").fit(points)
    (tmp_path / "page.html").write_text("an earlier page")
    with pytest.raises(kind, match=said):
        model.save_html(tmp_path / "page.html", hover=hover)
    assert (tmp_path / "page.html").read_text() == "an earlier page"
    model.save_html(io.BytesIO(), hover={"name": list("abcdef")})


def test_a_table_of_pyarrow():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"name": ["a", "b", None], "size": [1, 2, 3]})
    assert hover_texts(table, 3, np.array([0, 2])) == {"name": ["a", ""], "size": ["1", "3"]}


def test_columns_of_one_name():
    frame = pd.DataFrame(np.eye(3), columns=["a", "b", "a"])
    with pytest.raises(ValueError, match="hover has several columns called 'a'"):
        hover_texts(frame, 3, np.arange(3))
