"""Short files for pages: points in the order of a curve, integers as planes of bytes, and all of it compressed.

Neighbours along the curve differ in few bits and are often of one cluster, so little is left of them after compression.
`page.js` undoes `packed`, and the script in `page.html` undoes `compressed`.
"""

from __future__ import annotations

import base64
import gzip
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from emst.plots.colours import packed_colours
from emst.plots.hover import numbered

BITS = 23  # of a coordinate; with 24, half a million uniform points would take 5.9 MB
HALVES = ((16, 0x0000FFFF0000FFFF), (8, 0x00FF00FF00FF00FF), (4, 0x0F0F0F0F0F0F0F0F), (2, 0x3333333333333333),
          (1, 0x5555555555555555))  # fmt: skip


def packed(given: dict[str, Any]) -> dict[str, Any]:
    """What the page gets, with the points in the order of the curve and arrays as planes of bytes.

    Coordinates x and y are rounded to one of 2**23 steps between their least and their greatest value.
    """
    places = np.column_stack([given["x"], given["y"]])
    cells, low, step = cells_of(places)
    codes = codes_of(cells)
    order = np.argsort(codes, kind="stable")
    palette, colours = np.unique(given["colours"], return_inverse=True)
    tree = {}
    if "tree" in given:
        tree = {"tree": packed_tree(given["tree"]), "left": byte_planes(given["left"][order])}
    return (
        given
        | tree
        | {
            "curve": byte_planes(np.diff(codes[order], prepend=np.uint64(0))),
            "x": None,
            "y": None,
            "low": low.tolist(),
            "step": step.tolist(),
            "row": byte_planes(given["row"][order]),
            "group": byte_planes(given["group"][order]),
            "groups": given["labels"].shape[1],
            "labels": byte_planes(given["labels"].reshape(-1) + 1),  # noise, -1, becomes 0
            "palette": palette.tolist(),
            "colours": byte_planes(colours.reshape(-1)),
            "hover": [_packed_column(name, [texts[i] for i in order]) for name, texts in given["hover"].items()],
        }
    )


def packed_tree(tree: dict[str, Any]) -> dict[str, Any]:
    """The condensed tree with the arrays that have an entry for every cluster, or every group, as planes of bytes."""
    names = ("parent", "born", "died", "size", "label", "colour", "own")
    colours = packed_colours()
    return tree | {name: byte_planes(tree[name]) for name in names} | {"palette": colours.tolist()}


def _packed_column(name: str, texts: list[str]) -> dict[str, Any]:
    """A column of texts, each kept once, and for each point the number of its text."""
    found, numbers = numbered(texts)
    return {"name": name, "texts": found, "numbers": byte_planes(numbers)}


def cells_of(places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number of the step that each coordinate is rounded to, uint64[m, 2]; the coordinates of the step 0, and the
    length of a step, both float64[2]."""
    if len(places) == 0:
        return np.zeros((0, 2), np.uint64), np.zeros(2), np.ones(2)
    last = 2**BITS - 1
    low = places.min(axis=0)
    step = (places.max(axis=0) - low) / last
    step[step <= 0] = 1.0
    return np.minimum(np.rint((places - low) / step), last).astype(np.uint64), low, step


def codes_of(cells: np.ndarray) -> np.ndarray:
    """Position of each cell along the Z-order curve (Morton, 1966): the bits of x and y in turn, uint64[m]."""
    spread = cells.copy()
    for shift, mask in HALVES:
        spread = (spread | spread << np.uint64(shift)) & np.uint64(mask)
    return spread[:, 0] | spread[:, 1] << np.uint64(1)


def byte_planes(values: np.ndarray) -> np.ndarray:
    """Integers of at least 0 as bytes, uint8[k, m]: all lowest bytes first, then all next ones, as many as needed."""
    count = max((int(values.max(initial=0)).bit_length() + 7) // 8, 1)
    return np.ascontiguousarray(values.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :count].T)


def detached(given: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """`packed` values with the place of every array among all bytes, and its shape, instead of the array; and these
    bytes. In the text of a page they would be in base 64, which compresses less well."""
    parts: list[bytes] = []

    def moved(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            parts.append(value.tobytes())
            return {"at": sum(map(len, parts[:-1])), "shape": list(value.shape)}
        if isinstance(value, dict):
            return {name: moved(one) for name, one in value.items()}
        return (
            [moved(one) for one in value] if isinstance(value, list) and value and isinstance(value[0], dict) else value
        )

    return moved(given), b"".join(parts)


def compressed(html: str, data: bytes, title: str, bokeh: str) -> str:
    """A page that holds another page, and its data, in compressed form and shows it. `bokeh` is the version in it.

    Five signs hold four bytes: base 85 as Python writes it, with a comma for "<", which could begin a tag.
    """
    text = html.encode("utf-8")
    inner = base64.b85encode(gzip.compress(text + data, 9, mtime=0)).decode("ascii").replace("<", ",")
    shell = Template(files("emst.plots").joinpath("page.html").read_text(encoding="utf-8"))
    return shell.substitute(title=escape(title), bokeh=bokeh, page=inner, length=len(text))
