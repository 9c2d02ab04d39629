"""Every data set by name: what is in this repository, what can be downloaded, and what is generated."""

from __future__ import annotations

import difflib
from pathlib import Path

import numpy as np
from scipy import sparse

from datasets import graphs, synthetic
from datasets.dataset import Dataset
from datasets.downloads import DOWNLOADED


def _array(path: Path) -> np.ndarray:
    """The only array of an .npz; an .npy."""
    found = np.load(path)
    return found if isinstance(found, np.ndarray) else found[found.files[0]]


def _places(path: Path) -> np.ndarray:
    towns = _array(path)
    return np.stack([towns["latitude"], towns["longitude"]], axis=1)


# ---- in this repository --------------------------------------------------------------------------------------------

COMMITTED = [
    Dataset(
        "autzen",
        "Laser scan of a stadium",
        "points",
        "committed",
        "autzen/autzen.npz",
        _array,
        71_913,
        3,
        page="https://github.com/PDAL/data",
        licence="CC BY 4.0",
        citation="PDAL/data, the Autzen laser scan.",
        sha256="e9f906f66c2f1027dd683a4847115afc1bd3c5abcf7800f73d3dd4c8d275ca4b",
    ),
    Dataset(
        "places",
        "Places of at least 1,000 people",
        "points",
        "committed",
        "places/places.npz",
        _places,
        147_283,
        2,
        page="https://www.geonames.org/",
        licence="CC BY 4.0",
        citation="GeoNames, www.geonames.org.",
        sha256="494eecd9a670f8c74e9559a4cc3182a41944e3fa2692129b20f895324ddbefef",
    ),
    Dataset(
        "land",
        "Coasts of the world, 1:110 million",
        "lines",
        "committed",
        "../emst/plots/land.npz",  # pages need it where only emst is installed
        _array,
        5_246,
        2,
        page="https://www.naturalearthdata.com/",
        licence="public domain",
        citation="Made with Natural Earth.",
        sha256="11c8d42112dc8bbfed2f8345c9a84f97c9883b9e658983667fe553a666cb39a0",
    ),
]


# ---- generated -----------------------------------------------------------------------------------------------------

GENERATED = [
    *(
        Dataset(
            name,
            "Points from datasets/synthetic.py",
            "points",
            "generated",
            f"{name}.npy",
            _array,
            made.n,
            made.d,
            make=made,
        )
        for name, made in synthetic.SETS.items()
    ),
    *(
        Dataset(
            name,
            "Graph from datasets/graphs.py",
            "graph",
            "generated",
            f"{name}.npz",
            sparse.load_npz,
            made.n,
            forest=made.forest,
            make=made,
        )
        for name, made in graphs.SETS.items()
    ),
]

REGISTRY = {row.name: row for row in [*COMMITTED, *DOWNLOADED, *GENERATED]}


def find(name: str) -> Dataset:
    """The data set of this name; ValueError, with the most similar name, if there is none."""
    if name in REGISTRY:
        return REGISTRY[name]
    similar = difflib.get_close_matches(name, REGISTRY, 1)
    advice = f"; did you mean {similar[0]!r}?" if similar else ";"
    raise ValueError(f"there is no data set {name!r}{advice} `python -m datasets list` names all")
