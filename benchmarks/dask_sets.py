"""Points for `benchmarks workers`, made where they are used: each chunk is a random sample of the whole set.

uniform   in the unit cube
halos     30 % diffuse; 70 % in halos with power-law masses and densities that fall like r^-2, around clustered centres
blobs     50 Gaussian blobs of varying size with 5 % background

The draws depend on the seed, the number of the chunk and the library (numpy or CuPy).
"""

from __future__ import annotations

from typing import Any

import numpy as np

KINDS = ["uniform", "halos", "blobs"]
SIDE = 100.0
BLOCK = 1 << 24  # rows that are drawn at once
BLOBS = 50


def make_chunk(ops: Any, kind: str, total: int, size: int, d: int, seed: int, part: int) -> Any:
    """Task: rows of chunk `part` of a set of `total` points, float32[size, d] on the worker's device."""
    xp = ops.xp
    draws = xp.random.default_rng(int(np.random.SeedSequence([seed, part]).generate_state(1)[0]))
    draw = {"uniform": _uniform, "halos": _halos, "blobs": _blobs}[kind](xp, total, d, np.random.default_rng(seed))
    chunk = xp.empty((size, d), np.float32)
    for start in range(0, size, BLOCK):
        rows = min(BLOCK, size - start)
        chunk[start : start + rows] = draw(draws, rows)
    return chunk


def _uniform(xp: Any, total: int, d: int, g: np.random.Generator) -> Any:
    return lambda draws, rows: draws.random((rows, d), dtype=np.float32)


def _halos(xp: Any, total: int, d: int, g: np.random.Generator) -> Any:
    count = max(10, total // 2000)
    mass = g.pareto(0.9, count) + 1
    mass = np.minimum(mass, mass.sum() / 50)  # no halo holds more than a fiftieth
    parents = g.random((max(4, count // 40), d)) * SIDE
    center = parents[g.integers(0, len(parents), count)] + g.standard_normal((count, d)) * 2.0
    upto = xp.asarray(np.cumsum(mass) / mass.sum())
    center, radius = xp.asarray(center, np.float32), xp.asarray(0.08 * np.cbrt(mass / mass.mean()), np.float32)

    def draw(draws: Any, rows: int) -> Any:
        halo = xp.minimum(xp.searchsorted(upto, draws.random(rows)), count - 1)
        direction = draws.standard_normal((rows, d), dtype=np.float32)
        direction /= xp.sqrt((direction * direction).sum(axis=1, keepdims=True))
        x = center[halo] + direction * (radius[halo] * draws.random(rows, dtype=np.float32))[:, None]
        diffuse = draws.random(rows, dtype=np.float32) < 0.3
        return xp.where(diffuse[:, None], draws.random((rows, d), dtype=np.float32) * np.float32(SIDE), x % SIDE)

    return draw


def _blobs(xp: Any, total: int, d: int, g: np.random.Generator) -> Any:
    center, spread = xp.asarray(g.random((BLOBS, d)) * SIDE, np.float32), xp.asarray(g.gamma(2, 0.6, BLOBS), np.float32)

    def draw(draws: Any, rows: int) -> Any:
        blob = (draws.random(rows) * BLOBS).astype(np.int32)
        x = center[blob] + draws.standard_normal((rows, d), dtype=np.float32) * spread[blob][:, None]
        background = draws.random(rows, dtype=np.float32) < 0.05
        return xp.where(background[:, None], draws.random((rows, d), dtype=np.float32) * np.float32(SIDE), x)

    return draw
