"""`{plot}` in Markdown: matplotlib's directive writes reStructuredText, so its block becomes an `{eval-rst}` block.

The caption is reStructuredText then. Plain sentences and names in backticks are the same in both languages.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

QUOTED = r"^````.*?^````$"  # a block that shows Markdown
PLOT = re.compile(QUOTED + r"|^```\{plot\} (?P<script>\S+)\n(?P<rest>.*?)^```$", re.M | re.S)


def as_rst(block: re.Match[str]) -> str:
    """A block with the directive `plot` of reStructuredText; quoted blocks stay."""
    if block["script"] is None:
        return block[0]
    return f"```{{eval-rst}}\n.. plot:: {block['script']}\n{textwrap.indent(block['rest'], '   ')}```"


def of_a_page(app: Any, name: str, content: list[str]) -> None:
    """Blocks of a Markdown page."""
    if app.env.doc2path(name).suffix == ".md":
        content[0] = PLOT.sub(as_rst, content[0])


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", of_a_page)
    return {"parallel_read_safe": True}
