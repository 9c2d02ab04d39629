"""Coasts behind a map: those of Natural Earth, in the public domain; `datasets/land/` has the source of land.npz."""

from __future__ import annotations

import math
from importlib.resources import as_file, files

import numpy as np

from emst.plots.plane import HALF_TURN

MOST_TURNS = 3  # longitudes of more turns are no map that anyone reads


def coasts(left: float, right: float, unit: str) -> np.ndarray:
    """Coasts of the whole world, at 1:110 million.

    Parameters
    ----------
    left, right : float
        The least and the greatest longitude that are shown. They may go on beyond 180 degrees, where the world begins
        again.
    unit : {"degrees", "radians"}

    Returns
    -------
    array of shape (k, 2)
        Longitude and latitude along the lines, in `unit`; a row of NaN ends each line.
    """
    with as_file(files("emst.plots").joinpath("land.npz")) as path, np.load(path) as land:
        outlines = land["outlines"] * (HALF_TURN[unit] / 180)
    half = HALF_TURN[unit]
    first = math.floor((left + half) / (2 * half))
    last = max(math.ceil((right + half) / (2 * half)), first + 1)
    turns = range(first, min(last, first + MOST_TURNS))
    return np.concatenate([outlines + [2 * half * turn, 0] for turn in turns])
