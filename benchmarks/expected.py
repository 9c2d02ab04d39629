"""Total weights that other programs and the prototypes found: sums of float32 edge lengths, good to about 1e-8."""

from __future__ import annotations

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


def verdict(name: str, k: int, total: float) -> str:
    """How a total compares with the known one: "ok", the known one if it differs, or "-" if there is none."""
    known = TOTALS.get((name, k))
    if known is None:
        return "-"
    return "ok" if abs(total - known) <= TOLERANCE * known else f"expected {known:.10g}"
