"""Point sets behind the project's figures: fixed functions, sizes and seeds, so that total weights can be compared.

uniform, normal   in the unit cube, and standard normal
halos             cosmology-like: 30 % diffuse, 70 % in steep halos with power-law masses, halo centres clustered
seed_spreader     Gan and Tao's generator of varying density, the "VisualVar" of the DBSCAN literature
trajectories      GPS-like: hot spots, quantised coordinates, many duplicates
blobs             Gaussian blobs of varying size with 5 % background
tracks            GPS tracks around cities: degrees and feet
earthquakes       catalogue-like: faults, crowds of aftershocks, and many depths of exactly 10 km
altitudes         one city, degrees and feet, and 4 % wrong altitudes
lognormal         heavy tails
pathways          like tables of counts and ratios: heavy tails of different widths, and repeated rows
intrinsic         a linear image of normal points in 8 dimensions, with a little noise
embeddings        like vectors of sentences: topics in few intrinsic dimensions on a curved surface, of length 1

The draws, and their order, are part of the definition: changing either changes every published total.
SETS names them with their sizes: `python -m datasets fetch halo3 FOLDER` writes one.

References
----------
J. Gan, Y. Tao, "On the hardness and approximation of Euclidean DBSCAN", TODS 2017 (seed spreader).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np


def uniform(n: int, d: int, seed: int) -> np.ndarray:
    """In the unit cube: float32[n, d]."""
    return np.random.default_rng(seed).random((n, d), dtype=np.float32)


def normal(n: int, d: int, seed: int) -> np.ndarray:
    """Standard normal: float32[n, d]."""
    return np.random.default_rng(seed).standard_normal((n, d), dtype=np.float32)


def halos(n: int, d: int, seed: int, side: float = 100.0) -> np.ndarray:
    """Halos with power-law masses around clustered centres, over a diffuse background, in a periodic box."""
    g = np.random.default_rng(seed)
    n_diffuse = int(n * 0.3)
    n_bound = n - n_diffuse
    n_halos = max(10, n // 2000)
    mass = g.pareto(0.9, n_halos) + 1
    mass = np.minimum(mass, mass.sum() / 50)  # no halo holds more than a fiftieth
    members = g.multinomial(n_bound, mass / mass.sum())
    parents = g.random((max(4, n_halos // 40), d)) * side
    centre = parents[g.integers(0, len(parents), n_halos)] + g.standard_normal((n_halos, d)) * 2.0
    virial = 0.08 * np.cbrt(mass / mass.mean())
    halo = np.repeat(np.arange(n_halos), members)
    radius = virial[halo] * g.random(n_bound) ** 1.8
    bound = centre[halo] + radius[:, None] * _directions(g, n_bound, d)
    diffuse = g.random((n_diffuse, d)) * side
    x = np.concatenate([diffuse, bound]) % side
    return x[g.permutation(n)].astype(np.float32)


def seed_spreader(n: int, d: int, seed: int, step: int = 100) -> np.ndarray:
    """A random walk that places `step` points around each of its positions and sometimes jumps to a new one."""
    g = np.random.default_rng(seed)
    places = n // step
    position, spread = np.empty((places, d)), np.empty(places)
    at, reach = g.random(d) * 1e5, g.choice([50, 100, 200, 500])
    jumps = g.random(places) < 10 / places
    direction = _directions(g, places, d)
    for i in range(places):
        if jumps[i]:
            at, reach = g.random(d) * 1e5, g.choice([50, 100, 200, 500])
        position[i], spread[i] = at, reach
        at = np.clip(at + direction[i] * reach * 0.5, 0, 1e5)
    x = np.repeat(position, step, axis=0)
    x = x + (g.random(x.shape) * 2 - 1) * np.repeat(spread, step)[:, None]
    n_noise = int(n * 1e-4)
    x[:n_noise] = g.random((n_noise, d)) * 1e5
    return x[g.permutation(len(x))].astype(np.float32)


def trajectories(n: int, d: int, seed: int, length: int = 1000) -> np.ndarray:
    """Walks of latitude, longitude (rounded to 1e-6 degrees, often standing still) and altitude."""
    assert d == 3
    g = np.random.default_rng(seed)
    walks = n // length
    start = np.array([39.98, 116.32]) + g.standard_normal((walks, 2)) * np.where(g.random((walks, 1)) < 0.9, 0.05, 5.0)
    step = g.standard_normal((walks, length, 2)) * 1e-5 * (g.random((walks, 1, 1)) * 5)
    step = np.where(g.random((walks, length, 1)) < 0.4, 0, step)
    path = np.round(start[:, None, :] + np.cumsum(step, axis=1), 6)
    altitude = np.round(150 + np.cumsum(g.standard_normal((walks, length, 1)) * 0.3, axis=1))
    return np.concatenate([path, altitude], axis=2).reshape(-1, 3).astype(np.float32)


def blobs(n: int, d: int, seed: int, k: int = 50) -> np.ndarray:
    """`k` Gaussian blobs of varying size over 5 % background: float64[n, d]."""
    g = np.random.default_rng(seed)
    centre, scale = g.random((k, d)) * 100, g.gamma(2, 0.6, k)
    which = g.integers(0, k, n)
    x = centre[which] + g.standard_normal((n, d)) * scale[which][:, None]
    x[: n // 20] = g.random((n // 20, d)) * 100
    return x[g.permutation(n)]


def tracks(n: int, d: int, seed: int, length: int = 1000) -> np.ndarray:
    """Walks around 200 cities: latitude and longitude in degrees, to 1e-6, and altitude in feet, to 1: float64."""
    assert d == 3
    g = np.random.default_rng(seed)
    walks = -(-n // length)
    city = np.stack([g.uniform(-40, 60, 200), g.uniform(-180, 180, 200), g.gamma(1.5, 500, 200)], axis=1)
    start = city[np.minimum(g.pareto(0.6, walks), 199).astype(int)]  # few cities have most of the walks
    start = start + g.standard_normal((walks, 3)) * [0.05, 0.05, 100]
    speed = g.choice([1e-5, 5e-5, 2e-4], (walks, 1, 1)) * (g.random((walks, length, 1)) > 0.2)  # some stand still
    flat = np.cumsum(g.standard_normal((walks, length, 2)) * speed, axis=1)
    climb = np.cumsum(g.standard_normal((walks, length, 1)) * speed * 1e5, axis=1)
    x = start[:, None, :] + np.concatenate([flat, climb], axis=2)
    return _rounded(x.reshape(-1, 3)[:n])


def earthquakes(n: int, d: int, seed: int) -> np.ndarray:
    """Epicentres along 400 faults, and 60 % aftershocks of 3,000 of them, to 1e-2 to 1e-4 degrees, in Cartesian
    kilometres: float64. A third of the depths are exactly 10 or 33 km."""
    assert d == 3
    g = np.random.default_rng(seed)
    rate = g.pareto(0.8, 400) + 0.05
    fault = g.choice(400, n, p=rate / rate.sum())
    middle, azimuth = np.stack([g.uniform(-60, 70, 400), g.uniform(-180, 180, 400)], 1), g.uniform(0, np.pi, 400)
    along = g.standard_normal(n) * g.lognormal(1, 1.2, 400)[fault]
    place = middle[fault] + along[:, None] * _unit(azimuth)[fault] + g.standard_t(1.5, (n, 2)) * 0.05
    main = np.minimum(g.pareto(0.7, n) * 20, 2999).astype(int)  # few have most of the aftershocks
    near = place[main] + np.minimum(g.pareto(0.8, n) * 0.01, 3)[:, None] * _unit(g.uniform(0, 2 * np.pi, n))
    after = g.random(n) < 0.6
    after[:3000] = False
    place[after] = near[after]
    digits = 10.0 ** g.integers(2, 5, n)[:, None]
    latitude, longitude = np.radians(np.round(np.clip(place, [-89, -720], [89, 720]) * digits) / digits).T
    share, depth = g.random(n), np.round(g.lognormal(2.3, 1, n), 1)
    radius = 6371 - np.where(share < 0.25, 10, np.where(share < 0.35, 33, depth))
    flat = radius * np.cos(latitude)
    return np.stack([flat * np.cos(longitude), flat * np.sin(longitude), radius * np.sin(latitude)], 1)


def _unit(angle: np.ndarray) -> np.ndarray:
    return np.stack([np.cos(angle), np.sin(angle)], 1)


def altitudes(n: int, d: int, seed: int) -> np.ndarray:
    """Places in one city: latitude and longitude in degrees, to 1e-6, and altitude in feet, to 1: float64."""
    assert d == 3
    g = np.random.default_rng(seed)
    x = np.concatenate([g.normal(0, 0.02, (n, 2)) + [39.98, 116.32], g.normal(150, 50, (n, 1))], axis=1)
    wrong = g.permutation(n)[: n // 25]
    x[wrong, 2] = g.random(len(wrong)) * 1e5
    return _rounded(x)


def _rounded(x: np.ndarray) -> np.ndarray:
    """Degrees to 1e-6, feet to 1."""
    x[:, :2] = np.round(x[:, :2], 6)
    x[:, 2] = np.round(x[:, 2])
    return x


def lognormal(n: int, d: int, seed: int, sigma: float = 7.0) -> np.ndarray:
    """Coordinates over 25 orders of magnitude, or 18 with a sigma of 5: float64[n, d]."""
    return np.exp(np.random.default_rng(seed).standard_normal((n, d)) * sigma)


def pathways(n: int, d: int, seed: int) -> np.ndarray:
    """Columns of counts and of ratios, whose widths span six orders of magnitude; two of three rows repeat another:
    float64[n, d]."""
    g = np.random.default_rng(seed)
    tail, unit = g.uniform(0.2, 3.0, d), 10.0 ** g.uniform(-3, 3, d)
    x = np.exp(g.standard_normal((n // 3, d)) * tail) * unit
    x[:, ::2] = np.round(x[:, ::2])  # counts
    return x[g.integers(0, len(x), n)]


def intrinsic(n: int, d: int, seed: int, few: int = 8) -> np.ndarray:
    """Normal points in `few` dimensions, mapped linearly to d, with noise of a hundredth: float32[n, d]."""
    g = np.random.default_rng(seed)
    x = g.standard_normal((n, few), np.float32) @ g.standard_normal((few, d), np.float32)
    return x + np.float32(0.01) * g.standard_normal((n, d), np.float32)


def embeddings(n: int, d: int, seed: int, topics: int = 100, few: int = 16) -> np.ndarray:
    """`topics` groups of varying size and width in `few` dimensions, mapped to d by one layer of tanh, with noise, and
    divided by their lengths: float32[n, d]."""
    g = np.random.default_rng(seed)
    center, width = g.standard_normal((topics, few)), g.gamma(4, 0.08, topics)
    which = g.choice(topics, n, p=g.dirichlet(np.ones(topics)))
    x = center[which] + g.standard_normal((n, few)) * width[which][:, None]
    x = np.tanh((x @ g.standard_normal((few, d)) / 4 + g.standard_normal(d)).astype(np.float32))
    x += np.float32(0.1) * g.standard_normal((n, d), np.float32)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def uniform64(n: int, d: int, seed: int) -> np.ndarray:
    """In the unit cube: float64[n, d]."""
    return np.random.default_rng(seed).random((n, d))


def uniform_on_device(n: int, d: int):
    """The points of the billion-point figure, generated on the GPU by splitmix64: cupy float32[n, d].

    Coordinate i of the flat array is the upper 24 bits of the i-th number of splitmix64 (Steele et al. 2014).
    """
    import cupy

    x = cupy.empty(n * d, cupy.float32)
    splitmix = cupy.ElementwiseKernel(
        "",
        "float32 x",
        """
        unsigned long long z = (i + 1ull) * 0x9e3779b97f4a7c15ull;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        x = (float)((z ^ z >> 31) >> 40) * 0x1p-24f;
        """,
        "splitmix_points",
    )
    splitmix(x)
    return x.reshape(n, d)


def uniform_like_device(n: int, d: int) -> np.ndarray:
    """`uniform_on_device` in numpy."""
    z = np.arange(1, n * d + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return (((z ^ z >> np.uint64(31)) >> np.uint64(40)).astype(np.float32) * np.float32(2**-24)).reshape(n, d)


def _directions(g: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Random unit vectors."""
    direction = g.standard_normal((n, d))
    return direction / np.linalg.norm(direction, axis=1, keepdims=True)


@dataclass(frozen=True)
class PointSet:
    """A generator with its arguments. Call it, perhaps with another number of points."""

    make: Callable[[int, int, int], np.ndarray]
    n: int
    d: int
    seed: int

    def __call__(self, n: int | None = None) -> np.ndarray:
        return self.make(n or self.n, self.d, self.seed)


def _as_float32(make: Callable[[int, int, int], np.ndarray]) -> Callable[[int, int, int], np.ndarray]:
    return lambda n, d, seed: make(n, d, seed).astype(np.float32)


M = 1_000_000
SETS = {
    "uniform3": PointSet(uniform, 10 * M, 3, 1),
    "uniform2": PointSet(uniform, 10 * M, 2, 2),
    "normal3": PointSet(normal, 10 * M, 3, 3),
    "halo3": PointSet(halos, 37 * M, 3, 4),
    "halob3": PointSet(halos, 10 * M, 3, 7),
    "visualvar2": PointSet(seed_spreader, 10 * M, 2, 5),
    "visualvar3": PointSet(seed_spreader, 10 * M, 3, 6),
    "traj3": PointSet(trajectories, 24 * M, 3, 8),
    "uniform5": PointSet(uniform, M, 5, 9),
    "normal2": PointSet(normal, 2 * M, 2, 10),
    # The sets of cuML's figures, at several sizes.
    "blobs3": PointSet(_as_float32(blobs), M, 3, 0),
    "blobs5": PointSet(_as_float32(blobs), M, 5, 0),
    "blobs10": PointSet(_as_float32(blobs), 100_000, 10, 0),
    "blobs50": PointSet(_as_float32(blobs), 100_000, 50, 0),
    "blobs384": PointSet(_as_float32(blobs), 50_000, 384, 0),
    # What real data has and the sets above have not: heavy tails, axes in different units, repeated rows.
    "tracks3": PointSet(_as_float32(tracks), 12 * M, 3, 11),
    "earthquakes3": PointSet(_as_float32(earthquakes), 852_000, 3, 18),
    "altitudes3": PointSet(_as_float32(altitudes), M, 3, 12),
    "lognormal2": PointSet(_as_float32(lognormal), 300_000, 2, 13),
    "pathways27": PointSet(_as_float32(pathways), 60_000, 27, 14),
    "tails2": PointSet(_as_float32(partial(lognormal, sigma=5.0)), M, 2, 19),
    "tails3": PointSet(_as_float32(partial(lognormal, sigma=5.0)), M, 3, 20),
    "tails5": PointSet(_as_float32(partial(lognormal, sigma=5.0)), M, 5, 21),
    "cpu-tracks3": PointSet(tracks, M, 3, 11),
    "cpu-altitudes3": PointSet(altitudes, M, 3, 12),
    "cpu-lognormal2": PointSet(lognormal, 300_000, 2, 13),
    "cpu-pathways27": PointSet(pathways, 60_000, 27, 14),
    # Many dimensions: noise, few intrinsic dimensions, and what models of language give.
    "blobs1536": PointSet(_as_float32(blobs), 20_000, 1536, 0),
    "noise384": PointSet(normal, 20_000, 384, 15),
    "noise1536": PointSet(normal, 20_000, 1536, 15),
    "intrinsic384": PointSet(intrinsic, 50_000, 384, 16),
    "intrinsic1536": PointSet(intrinsic, 20_000, 1536, 16),
    "embeddings768": PointSet(embeddings, 20_000, 768, 17),
    # The sets of the CPU figures: float64, as its peers compute.
    "cpu-uniform2": PointSet(uniform64, M, 2, 0),
    "cpu-uniform3": PointSet(uniform64, M, 3, 0),
    "cpu-blobs2": PointSet(blobs, M, 2, 0),
    "cpu-blobs3": PointSet(blobs, M, 3, 0),
    "cpu-blobs5": PointSet(blobs, 300_000, 5, 0),
    "cpu-blobs10": PointSet(blobs, 50_000, 10, 0),
}
