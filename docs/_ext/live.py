"""The page in the frame of guide/html_page.md: it is what the first Python block there writes."""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def write_page(app: Any, error: Exception | None) -> None:
    """Run the block in a folder that has `datasets/`, as the tests do, and keep its page beside the pictures."""
    if error is not None or app.builder.format != "html":
        return
    code = BLOCK.search((DOCS / "guide" / "html_page.md").read_text())[1]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("datasets").symlink_to(DOCS.parent / "datasets")
        exec(code, {"__name__": "page"})
        shutil.copy("clusters.html", Path(app.outdir) / "_static")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("build-finished", write_page)
    return {"parallel_read_safe": True}
