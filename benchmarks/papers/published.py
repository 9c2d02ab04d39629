"""Figures that others published, in milliseconds, each with its source.

The tables of HPG'09, PPoPP'12 and PDP'15 are not freely available, so only what others quote of them is here.
"""

from __future__ import annotations

from typing import NamedTuple

# Vineet, Harish, Patidar, Narayanan, "Fast minimum spanning tree for large graphs on the GPU" (HPG'09), Tesla S1070.
VINEET = "Vineet et al. 2009, Tesla S1070"
# Nobari, Cao, Karras, Bressan, "Scalable parallel minimum spanning forest computation" (PPoPP'12), Tesla S1070.
PMA = "PMA 2012, Tesla S1070"
# Jain, Ejaz, Desai, CPU-GPU hybrid Borůvka, Tesla K20.
JAIN = "Jain et al., Tesla K20"
# Galois' lonestar GPU suite, code made by IrGL: its project page on minimum spanning trees, iss.oden.utexas.edu.
IRGL = "IrGL (Galois), GTX 1080"
# Fallin, Gonzalez, Seo, Burtscher, "A high-performance MST implementation for GPUs" (SC'23): entries per second
# read off the charts of its slides, to 5 million; kernels alone, up to a mask.
ECL = "ECL-MST 2023, RTX 3080 Ti"
UMINHO = "Sousa et al.'s code, RTX 3080 Ti (in SC'23)"
# The table of NVIDIA/raft#3118: float32, best of nine, labels and edge list.
RAFT = "RAFT #3118, H200"

ROADS = {
    "NY": {
        VINEET: 39.0,
        PMA: 18.0,
        JAIN: 34.0,
        UMINHO: 730_100 / 239e3,
        ECL: 730_100 / 1657e3,
        RAFT: 0.378,
    },
    "FLA": {IRGL: 35.0},
    "W": {VINEET: 412.0, IRGL: 138.0},
    "USA": {
        IRGL: 663.0,
        UMINHO: 57_708_624 / 1497e3,
        ECL: 57_708_624 / 3187e3,
        RAFT: 10.166,
    },
}
ROAD_SOURCES = [VINEET, PMA, JAIN, IRGL, UMINHO, ECL, RAFT]

# Prokopenko, Sao, Lebrun-Grandié, "A single-tree algorithm to compute the Euclidean minimum spanning tree on GPUs"
# (ICPP'22, arXiv 2207.00514). Its text and charts were not available. These numbers are in its abstract, in the
# research highlight of Oak Ridge National Laboratory ("90 million of 3D data a second using a single Nvidia A100",
# "60 million using a single AMD MI250X (single GCD)"), and in a comment of the first author in arborx/ArborX#825
# (2023-03-02, on Summit: 80,000,000 points of a set of 497 M, k = 1, 1.564 s). Rates are n d / t, in millions of
# features a second.
ABSTRACT, HIGHLIGHT, ISSUE = "abstract", "research highlight of ORNL", "arborx/ArborX#825"


class Quote(NamedTuple):
    """A published number: of what, the rate in millions of features a second, what the source says, the source."""

    label: str
    rate: float
    said: str
    source: str

    def __str__(self) -> str:
        return f"{self.label}: {self.said} {self.rate:.0f} MFeatures/s ({self.source})"


ICPP22_RATES = [
    Quote("ArborX, A100, cosmology, 37 M x 3", 37 * 3 / 0.5, "less than 0.5 s, that is more than", ABSTRACT),
    Quote("ArborX, A100, 3-D", 90.0 * 3, "90 M points a second,", HIGHLIGHT),
    Quote("ArborX, one GCD of an MI250X, 3-D", 60.0 * 3, "60 M points a second,", HIGHLIGHT),
]
ICPP22_SAMPLES = [Quote("ArborX, Summit, HACC, 80 M of 497 M x 3", 80 * 3 / 1.564, "1.564 s,", ISSUE)]
ICPP22_SPEEDUP = (4.0, 24.0)  # ArborX over the fastest multithreaded program (abstract)
