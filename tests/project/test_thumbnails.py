"""Thumbnails of the gallery show the part of a picture in which there is something to see."""

import runpy

import numpy as np
import pytest
from helpers import ROOT

Image = pytest.importorskip("PIL.Image")
filled = runpy.run_path(str(ROOT / "docs" / "_ext" / "thumbnails.py"))["filled"]


def picture(high, wide, *boxes):
    """A white picture with black boxes, each given by top, bottom, left and right."""
    pixels = np.full((high, wide, 3), 255, np.uint8)
    for top, bottom, left, right in boxes:
        pixels[top:bottom, left:right] = 0
    return Image.fromarray(pixels)


def darkness(image):
    assert image.size == (400, 280)
    return 1 - np.asarray(image.convert("L")).mean() / 255


def test_margins_are_cut_off():
    assert darkness(filled(picture(900, 1200, (300, 580, 300, 700)))) > 0.98


@pytest.mark.parametrize("turned", [False, True])
def test_of_a_long_picture_the_fullest_part_is_shown(turned):
    boxes = [(0, 300, 0, 20), (0, 300, 1500, 1900), (0, 300, 2900, 3000)]
    if turned:
        boxes = [(left, right, top, bottom) for top, bottom, left, right in boxes]
    found = filled(picture(*((3000, 300) if turned else (300, 3000)), *boxes))
    assert darkness(found) > 0.9


def test_an_empty_picture():
    assert darkness(filled(picture(50, 80))) == 0
