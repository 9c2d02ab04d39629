"""Thumbnails of the gallery without white margins: of each picture, the part with the most in it.

sphinx-gallery shrinks whole figures, with their margins and axes, so that little of what they show is left.
"""

import re
from pathlib import Path

import numpy as np
from PIL import Image

SIZE = (400, 280)
NUMBER = re.compile(r"sphinx_gallery_thumbnail_number = (\d+)")
WHITE = 245  # and lighter, of 255


def filled(picture):
    """A part of a picture, in the shape of a thumbnail: as large as it can be, where the fewest pixels are white."""
    ink = np.asarray(picture.convert("L")) < WHITE
    rows, columns = (np.flatnonzero(ink.any(axis=axis)) for axis in (1, 0))
    if len(rows) == 0:
        return picture.resize(SIZE)
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    scale = min((right - left) / SIZE[0], (bottom - top) / SIZE[1])
    wide, high = (int(scale * side) for side in SIZE)
    left = left + _fullest(ink[top:bottom, left:right].sum(axis=0), wide)
    top = top + _fullest(ink[top:bottom, left : left + wide].sum(axis=1), high)
    return picture.crop((left, top, left + wide, top + high)).resize(SIZE, Image.Resampling.LANCZOS)


def _fullest(ink, length):
    """Where the stretch of this length with the most ink begins."""
    total = np.concatenate([[0], np.cumsum(ink)])
    return int(np.argmax(total[length:] - total[: len(total) - length]))


def fill_all(app):
    """Replace the thumbnails that sphinx-gallery has made, from the figures that examples choose; else their first."""
    for example in Path(app.srcdir, "examples").rglob("plot_*.py"):
        images = Path(app.srcdir, "gallery", example.parent.name, "images")
        chosen = NUMBER.search(example.read_text(encoding="utf-8"))
        figure = images / f"sphx_glr_{example.stem}_{int(chosen[1]) if chosen else 1:03d}.png"
        if figure.exists():
            filled(Image.open(figure).convert("RGB")).save(images / "thumb" / f"sphx_glr_{example.stem}_thumb.png")


def setup(app):
    """Called by Sphinx."""
    app.connect("builder-inited", fill_all, priority=900)  # after sphinx-gallery
    return {"parallel_read_safe": True}
