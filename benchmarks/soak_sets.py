"""Random points and options for `soak.py`: sets of every kind, dtype and layout, and every keyword of a tree.

The dimensions, and the numbers of neighbours that the GPU has kernels of their own for, are few: each combination of
them is compiled.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from definition_sets import KINDS as TIED
from definition_sets import points_of, random_options

from emst.distances.metrics import ALIASES as ALIASED
from emst.distances.periodic import METRICS

HEAVY = ("cauchy", "lognormal", "exponents")  # differences of many magnitudes: most squares vanish beside the greatest
SHAPES = (*TIED, *HEAVY, "blobs", "all equal", "collinear", "far from 0")
DIMENSIONS = (1, 2, 3, 4, 5, 8, 16, 100, 1000)
OFTEN = (0.12, 0.3, 0.24, 0.06, 0.06, 0.06, 0.08, 0.05, 0.03)
NEIGHBOURS = (1, 2, 3, 5, 10, 16, 32)  # up to 32 there is a kernel for each
MOST_NEIGHBOURS = 200
MOST_TERMS = 4_000_000  # differences of coordinates that the slow references form
LAYOUTS = ("C", "Fortran", "reversed", "every other column", "read-only")
DTYPES = ("f8", "f4", "i4", "i2")
NORMS = ("manhattan", "chebyshev", "minkowski 1.5", "minkowski 3", "minkowski 32", "minkowski 2.7", "minkowski inf")
IMAGES = ("sqeuclidean", "cosine", "haversine")
MOST_WRAPPED = 20_000  # coordinates that are wrapped by rational arithmetic
ALIASES = {"euclidean": "l2", "manhattan": "cityblock", "chebyshev": "infinity", "minkowski": "p"}


class Points(NamedTuple):
    """A random set, and the number of neighbours that core distances are taken from."""

    what: str  # for the reader
    shape: str
    x: np.ndarray
    k: int

    @property
    def finite(self) -> np.ndarray:
        """Whether each row is."""
        return np.isfinite(self.x).all(axis=1)


def random_points(g: np.random.Generator, dimensions: tuple[int, ...] = DIMENSIONS, most: int = 2000) -> Points:
    """Mostly fewer than 60 points, sometimes `most`; one set in ten has exactly as many points as neighbours."""
    often = np.array([OFTEN[DIMENSIONS.index(d)] for d in dimensions])
    d = int(g.choice(dimensions, p=often / often.sum()))
    most = min(most, math.isqrt(MOST_TERMS // d))
    n = int(g.integers(1, 1 + min(most, g.choice([20, 60, 200, most], p=[0.25, 0.53, 0.2, 0.02]))))
    k = int(g.choice(NEIGHBOURS)) if g.random() < 0.9 else int(g.integers(NEIGHBOURS[-1] + 1, MOST_NEIGHBOURS + 1))
    if g.random() < 0.1:
        n = min(k, most)
    elif k > n and g.random() < 0.9:  # otherwise it is an error
        k = max(one for one in NEIGHBOURS if one <= n)
    shape, dtype, layout = (
        str(g.choice(SHAPES)),
        str(g.choice(DTYPES, p=[0.5, 0.35, 0.1, 0.05])),
        str(g.choice(LAYOUTS)),
    )
    x = laid_out(layout, as_dtype(dtype, shaped(shape, n, d, g)))
    return Points(f"{len(x)} x {d} {shape}, {dtype}, {layout}, k = {k}", shape, x, k)


def shaped(shape: str, n: int, d: int, g: np.random.Generator) -> np.ndarray:
    """At most n points, float64[n, d], in random order."""
    if shape in TIED:
        x = points_of(shape, n, d, g)
    elif shape == "cauchy":
        x = g.standard_cauchy((n, d))
    elif shape == "lognormal":
        x = g.lognormal(0, 5, (n, d))
    elif shape == "exponents":
        x = 10.0 ** g.uniform(-30, 30, (n, d)) * g.choice([-1, 1], (n, d))
    elif shape == "blobs":
        x = 10 * g.random((5, d))[g.integers(0, 5, n)] + g.normal(0, 0.3, (n, d))
    elif shape == "all equal":
        x = np.tile(g.normal(size=d), (n, 1))
    elif shape == "collinear":
        x = np.outer(np.round(g.random(n) * 30), g.integers(-2, 3, d))
    else:
        x = 1e6 + np.round(g.random((n, d)), 3)
    return g.permutation(x * 10.0 ** int(g.choice([0, 0, 0, 0, -20, 20])))


def as_dtype(dtype: str, x: np.ndarray) -> np.ndarray:
    """The points rounded to a dtype; those beyond the range of integers lie at its ends."""
    if dtype[0] == "f":
        return x.astype(dtype)
    top = np.iinfo(dtype).max
    return np.clip(np.round(x * 3), -top, top).astype(dtype)


def laid_out(layout: str, x: np.ndarray) -> np.ndarray:
    """The same points in another order of memory."""
    if layout == "Fortran":
        return np.asfortranarray(x)
    if layout == "reversed":
        return x[::-1].copy()[::-1]
    if layout == "every other column":
        return np.repeat(x, 2, axis=1)[:, ::2]
    x = np.ascontiguousarray(x)
    x.flags.writeable = layout != "read-only"
    return x


def with_bad_rows(points: Points, g: np.random.Generator) -> Points:
    """Some rows hold NaN or infinity, if the dtype has them."""
    if points.x.dtype.kind != "f":
        return points
    x = points.x.copy()
    bad = g.random(len(x)) < g.choice([0.05, 0.3, 0.9])
    x[bad, g.integers(0, x.shape[1], bad.sum())] = g.choice([np.nan, np.inf, -np.inf], bad.sum())
    return points._replace(x=x, what=f"{points.what}, {bad.sum()} bad rows")


def random_metric(g: np.random.Generator) -> tuple[str, dict[str, Any] | None, tuple[int, ...]]:
    """A metric for which trees are searched; its parameters; and how many dimensions the points may have."""
    if g.random() < 0.6:
        return str(g.choice(["euclidean", "l2", "minkowski"], p=[0.8, 0.1, 0.1])), None, DIMENSIONS
    name = str(g.choice([*NORMS, *IMAGES]))
    if name == "haversine":
        params = {"degrees": True, "radius": 6371.0088} if g.random() < 0.5 else None
        return name, params, (2,)
    name, _, p = name.partition(" ")
    name = ALIASES.get(name, name) if g.random() < 0.2 else name
    return name, {"p": float(p)} if p else None, (1, 2, 3, 16)


def random_period(name: str, x: np.ndarray, g: np.random.Generator) -> dict[str, Any]:
    """The parameter of a periodic box for some of the sets: lengths of the size of the points, or much smaller."""
    finite = x[np.isfinite(x).all(axis=1)].astype(np.float64)
    if ALIASED.get(name, name) not in METRICS or x.size > MOST_WRAPPED or not len(finite) or g.random() > 0.2:
        return {}
    extent = np.clip(np.ptp(finite, axis=0), 1e-30, 1e30)
    factor = g.choice([0.01, 0.3, 0.5, 1.0, 1.1, 3.0], x.shape[1])
    lengths = np.where(g.random(x.shape[1]) < 0.2, 0.0, extent * factor)
    if g.random() < 0.3:
        return {"period": float(max(lengths.max(), 1e-30))}
    return {"period": lengths.tolist()}


def on_sphere(points: Points, params: dict[str, Any] | None) -> Points:
    """The points as latitudes and longitudes; equal coordinates stay equal."""
    turns = np.mod(points.x.astype(np.float64), 1.0) - 0.5
    places = turns * ([180, 360] if params else [math.pi, 2 * math.pi])
    return points._replace(x=places)


def options_for(x: np.ndarray, g: np.random.Generator) -> dict[str, Any]:
    """Options of `by_definition`, with distances of the size of those between the finite rows."""
    x = x[np.isfinite(x).all(axis=1)]
    with np.errstate(over="ignore", invalid="ignore"):
        return random_options(x if len(x) else np.zeros((1, 1)), g)
