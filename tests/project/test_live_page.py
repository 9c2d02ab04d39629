"""The live page of the documentation."""

import pathlib
import re
import runpy
import sys
import types

import pytest
from pages import opened_page

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
pytest.importorskip("bokeh", reason="Bokeh (the extra html) is not installed")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the documentation is built with Python 3.11 or later")
def test_the_frame_shows_what_the_code_writes(tmp_path):
    write_page = runpy.run_path(str(DOCS / "_ext" / "live.py"))["write_page"]
    (tmp_path / "_static").mkdir()
    app = types.SimpleNamespace(builder=types.SimpleNamespace(format="latex"), outdir=tmp_path)
    write_page(app, None)
    app.builder.format = "html"
    write_page(app, RuntimeError("the build failed"))
    assert not list((tmp_path / "_static").iterdir())
    write_page(app, None)
    (frame,) = re.findall(r'<iframe src="([^"]*)"', (DOCS / "guide" / "html_page.md").read_text())
    file = (tmp_path / "guide" / frame).resolve()
    text = file.read_text(encoding="utf-8")
    assert "27,394 points; coasts from Natural Earth" in opened_page(text) and len(text) < 1_100_000
