"""Coasts behind maps: where they lie, and how often the world is drawn."""

import numpy as np
import pytest

from emst.plots.coasts import MOST_TURNS, coasts


def on_land(lines, latitude, longitude):
    """Whether an even number of coasts lies between a place and the south pole, which is on land."""
    a, b = lines[:-1], lines[1:]
    between = (np.minimum(a[:, 0], b[:, 0]) <= longitude) & (longitude < np.maximum(a[:, 0], b[:, 0]))
    a, b = a[between], b[between]
    height = a[:, 1] + (longitude - a[:, 0]) / (b[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1])
    return (height < latitude).sum() % 2 == 0


@pytest.mark.parametrize("name, latitude, longitude, land", [
    ("Madrid", 40.4, -3.7, True), ("Nairobi", -1.3, 36.8, True), ("Denver", 39.7, -105.0, True),
    ("the Bay of Biscay", 45.0, -6.0, False), ("the Indian Ocean", -20.0, 80.0, False),
])  # fmt: skip
def test_land_and_sea(name, latitude, longitude, land):
    lines = coasts(-180, 180, "degrees")
    assert on_land(lines, latitude, longitude) == land, name
    assert on_land(np.degrees(coasts(-3, 3, "radians")), latitude, longitude) == land, name


@pytest.mark.parametrize("left, right, turns", [
    (-180, 180, [0]), (0, 350, [0, 1]), (179, 181, [0, 1]), (181, 190, [1]), (-190, -170, [-1, 0]), (7, 7, [0]),
    (180, 180, [1]), (0, 1e7, [0, 1, 2]),
])  # fmt: skip
def test_the_world_begins_again_beyond_180_degrees(left, right, turns):
    one = coasts(-180, 180, "degrees")
    found = coasts(left, right, "degrees")
    assert len(turns) <= MOST_TURNS
    np.testing.assert_allclose(found, np.concatenate([one + [360 * turn, 0] for turn in turns]))
