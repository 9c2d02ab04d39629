"""Results of other programs on the same sets: total weights that ours must equal, and times to compare with.

Total weights of points are sums of float32 edge lengths, from the prototypes and ArborX, good to about 1e-8. Times are
of GPU programs that cannot run in the same process as ours: one H200 (driver 580, CUDA 13.0), November 2026, input
on the device.
"""

from __future__ import annotations

from typing import Any

from datasets import REGISTRY

TOLERANCE = 3e-8
TOTALS = {
    ("uniform3", 1): 29993.2376,
    ("halo3", 1): 3353589.86,
    ("normal3", 1): 137631.551,
    ("visualvar3", 1): 216377566,
    ("traj3", 1): 16256.1765,
    ("uniform2", 1): 2046.40853,
    ("visualvar2", 1): 40599665.6,
    ("normal2", 1): 4568.6014,
    ("uniform 100000000", 1): 139081.719,
    ("uniform 1000000000", 1): 645288.429,
    ("halob3", 2): 1383311.75,
    ("halob3", 5): 2083927.45,
    ("halob3", 16): 3252409.43,
    ("uniform3", 5): 45238.8752,
    ("uniform3", 16): 70862.0255,
    ("uniform5", 6): 63381.2999,
}

# Milliseconds of ArborX 2.1.99 (Kokkos 4.6.01, nvcc 13, -O3, sm_90) to the dendrogram, parents and heights, where it
# ends: it has no condensed tree and no labels. Median after a warm-up.
ARBORX = {("halob3", 2): 74.5, ("halob3", 5): 78.8, ("halob3", 16): 137.2, ("uniform5", 6): 39.0}

# Milliseconds of cuML 26.10 to complete labels, min_cluster_size 50, best of two; its numbers of clusters and noise
# points. Its min_samples is our k minus one. Its tree is not exact, so its counts differ from ours.
CUML = {
    ("blobs3 10000", 6): (17, 50, 426),
    ("blobs3 100000", 6): (167, 52, 4909),
    ("blobs5 100000", 16): (159, 50, 4628),
    ("blobs10 100000", 16): (166, 50, 4734),
    ("blobs50 100000", 16): (253, 50, 4885),
    ("blobs384 50000", 16): (262, 50, 2417),
    ("blobs5 300000", 16): (1_168, 51, 14_168),
    ("blobs3 1000000", 6): (12_056, 264, 85_916),
    ("blobs5 1000000", 16): (11_814, 54, 48_581),
    ("blobs3 2000000", 6): (47_222, 584, 189_527),
}

# Graphs. Total weight of the minimum spanning forest: exact, whatever the type of the weights.
FORESTS = {row.name: row.forest for row in REGISTRY.values() if row.forest is not None}

# Milliseconds of the ECL-MST port proposed in NVIDIA/raft#3118, by weights of 4 bytes (measured with int32) and of 8
# (float64): solving alone, and with labels and edge list, which is what `graph_msf` returns. Median after a warm-up.
RAFT = {
    "USA-road-d.NY": {4: (0.341, 0.390), 8: (0.447, 0.503)},
    "grid1024": {4: (0.977, 1.135), 8: (1.216, 1.381)},
    "grid4096": {4: (10.07, 12.36), 8: (14.18, 16.59)},
    "rmat22": {4: (5.52, 6.83), 8: (7.29, 8.65)},
    "gnm22": {4: (5.05, 5.89), 8: (5.67, 6.53)},
    "gnm1M": {4: (3.62, 4.16), 8: (4.10, 4.65)},
}

# Milliseconds of ECL-MST itself (SC'23), int32, up to a mask over the entries: no edge list, no labels.
ECL_MST = {"USA-road-d.NY": 0.448, "grid1024": 2.01, "grid4096": 26.98, "rmat22": 7.90, "gnm22": 6.57, "gnm1M": 3.64}


def verdict(name: str, k: int, total: float) -> str:
    """ "ok" if a total agrees with the known one; the known one if it does not; "-" if none is known."""
    known = TOTALS.get((name, k))
    if known is None:
        return "-"
    return "ok" if abs(total - known) <= TOLERANCE * known else f"expected {known:.10g}"


def recorded(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Records of other programs on the set of this record, on the H200."""
    case = record["set"], record["k"]
    common = {name: record[name] for name in ("set", "n", "d", "dtype", "k")} | {"checksum": None}
    others = []
    if case in ARBORX:
        others.append({"contestant": "ArborX, dendrogram only (recorded)", "seconds": [ARBORX[case] / 1000]})
    if case in CUML:
        ms, clusters, noise = CUML[case]
        found = {"seconds": [ms / 1000], "clusters": clusters, "noise": noise}
        others.append({"contestant": "cuML (recorded)"} | found)
    return [common | other for other in others]


def forest_verdict(record: dict[str, Any]) -> str:
    """ "ok" if the total of this record is the known one; the known one if it differs; "-" if none is known."""
    known = FORESTS.get(record["set"])
    if known is None or "total" not in record:
        return "-"
    return "ok" if record["total"] == known else f"expected {known}"


def recorded_forests(common: dict[str, Any]) -> list[dict[str, Any]]:
    """Records of other programs on this graph with weights of this size, on the H200."""
    name, wide = common["set"], common["dtype"].endswith("64")
    others = []
    if name in RAFT:
        solving, complete = RAFT[name][8 if wide else 4]
        others = [("RAFT, labels and edge list (recorded)", complete), ("RAFT, solving alone (recorded)", solving)]
    if name in ECL_MST and not wide:
        others.append(("ECL-MST, mask alone (recorded)", ECL_MST[name]))
    return [common | {"contestant": who, "seconds": [ms / 1000], "checksum": None} for who, ms in others]
