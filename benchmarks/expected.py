"""What other programs found on the same sets: total weights to agree with, and times to compare with.

Total weights are sums of float32 edge lengths, from the prototypes and ArborX, good to about 1e-8. Times are those of
GPU programs that cannot run beside ours in one process: one H200 (driver 580, CUDA 13.0), November 2026, input on the
device.
"""

from __future__ import annotations

from typing import Any

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
# stops: it has no condensed tree and no labels. Median after a warm-up.
ARBORX = {("halob3", 2): 74.5, ("halob3", 5): 78.8, ("halob3", 16): 137.2, ("uniform5", 6): 39.0}

# Milliseconds of cuML 26.10 to complete labels, min_cluster_size 50, best of two; its clusters and noise. Its
# min_samples is our k less one. Its tree is not exact, hence other counts.
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


def verdict(name: str, k: int, total: float) -> str:
    """How a total compares with the known one: "ok", the known one if it differs, or "-" if there is none."""
    known = TOTALS.get((name, k))
    if known is None:
        return "-"
    return "ok" if abs(total - known) <= TOLERANCE * known else f"expected {known:.10g}"


def recorded(record: dict[str, Any]) -> list[dict[str, Any]]:
    """What others took for the set of this record, on the H200."""
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
