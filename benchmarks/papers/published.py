"""Figures that others published, in milliseconds, each with its source.

Figures that are not here we could not read: the tables of HPG'09, PPoPP'12 and PDP'15 are not freely available, so only
what others quote of them is here.
"""

from __future__ import annotations

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
