"""Makes land.npz from land-110m.json of the package world-atlas 2.0.2: `python make.py land-110m.json`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np


def outlines(topology: dict) -> np.ndarray:
    """Longitude and latitude in degrees along the coasts: float32[n, 2], a row of NaN after each line.

    Lines end where they cross the meridian of 180 degrees.
    """
    scale, shift = np.array(topology["transform"]["scale"]), np.array(topology["transform"]["translate"])
    arcs = [np.cumsum(arc, axis=0) * scale + shift for arc in topology["arcs"]]  # TopoJSON keeps differences
    lines = []
    for geometry in topology["objects"]["land"]["geometries"]:
        polygons = geometry["arcs"] if geometry["type"] == "MultiPolygon" else [geometry["arcs"]]
        for ring in (ring for polygon in polygons for ring in polygon):
            parts = [arcs[i] if i >= 0 else arcs[~i][::-1] for i in ring]  # ~i: the arc i backwards
            joined = np.concatenate([parts[0], *(part[1:] for part in parts[1:])])
            jumps = np.flatnonzero(np.abs(np.diff(joined[:, 0])) > 180) + 1
            for line in np.split(joined, jumps):
                lines += [line, np.full((1, 2), np.nan)] if len(line) > 1 else []
    return np.concatenate(lines).astype(np.float32).round(3)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        found = outlines(json.load(file))
    np.savez_compressed(Path(__file__).parents[2] / "emst" / "plots" / "land.npz", outlines=found)
    print(f"{np.isnan(found[:, 0]).sum()} lines, {len(found):,} rows")
