"""Graphs behind the project's figures: fixed functions, sizes and seeds, so that total weights can be compared.

grid2d, grid3d    lattices; the former with 1024^2 vertices is ECL-MST's 2d-2e20
road              a planar lattice without some of its edges and with a few diagonals; average degree of road networks
gnm               Erdős and Rényi's G(n, m); r4-2e23 is one
rmat              recursive matrix: power laws, many isolated vertices
watts_strogatz    a ring of neighbours in which some edges get a random end: a small world
ssca2             cliques of random sizes, linked over distances that double
knn               nearest neighbours of uniform points, weighted by their distances
path, star        the longest path, and the largest degree

Every function returns ``indptr`` (int64), ``indices`` (int32) and ``weights`` of a symmetric CSR matrix with ascending
columns in each row, without loops and parallel edges: an edge that is drawn twice counts once. The draws, and their
order, are part of the definition: changing either changes every published total. So are the rules of WEIGHTS. They
depend only on the two ends of an edge and a seed, so both directions get the same weight.

SETS names them: `python -m datasets fetch grid1024 FOLDER` writes one as `scipy.sparse.save_npz` does.

References
----------
D. Chakrabarti, Y. Zhan, C. Faloutsos, "R-MAT: A recursive model for graph mining" (SDM'04).
D. Watts, S. Strogatz, "Collective dynamics of small-world networks" (Nature 393, 1998).
D. Bader, K. Madduri, "GTgraph: A synthetic graph generator suite" (2006), and HPCS SSCA#2.
A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A high-performance MST implementation for GPUs" (SC'23): ECL-MST.
V. Vineet, P. Harish, S. Patidar, P. J. Narayanan, "Fast minimum spanning tree for large graphs on the GPU" (HPG'09).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

Csr = tuple[np.ndarray, np.ndarray, np.ndarray]
BLOCK = 1 << 21  # numbers that are drawn or hashed at a time


# ---- weights: of edges {rows[i], columns[i]} of a graph of n vertices -----------------------------------------------


def ecl(n: int, rows: np.ndarray, columns: np.ndarray, seed: int) -> np.ndarray:
    """ECL-MST's weights for graphs without any: |1 + u v mod n| in wrapping 32-bit arithmetic, 0 to n. No seed."""
    product = (rows.view(np.uint32) * columns.view(np.uint32)).view(np.int32)
    return np.abs(1 + np.fmod(product, np.int32(n)))


def integers(n: int, rows: np.ndarray, columns: np.ndarray, seed: int) -> np.ndarray:
    """Uniform from 1 to 1000, as in Vineet et al.: int32."""
    return (1 + (_hashed(rows, columns, seed) >> np.uint64(32)) * np.uint64(1000) // np.uint64(2**32)).astype(np.int32)


def float32(n: int, rows: np.ndarray, columns: np.ndarray, seed: int) -> np.ndarray:
    """Uniform in [0, 1), 24 bits."""
    return (_hashed(rows, columns, seed) >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)


def float64(n: int, rows: np.ndarray, columns: np.ndarray, seed: int) -> np.ndarray:
    """Uniform in [0, 1), 53 bits."""
    return (_hashed(rows, columns, seed) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def equal(n: int, rows: np.ndarray, columns: np.ndarray, seed: int) -> np.ndarray:
    """All 1: int32."""
    return np.ones(len(rows), np.int32)


WEIGHTS = {rule.__name__: rule for rule in (ecl, integers, float32, float64, equal)}


def weighted(indptr: np.ndarray, indices: np.ndarray, rule: str, seed: int = 0) -> np.ndarray:
    """Weights of all entries of a symmetric CSR matrix by one of the rules."""
    n, weights = len(indptr) - 1, []
    rows = np.repeat(np.arange(n, dtype=np.int32), np.diff(indptr))
    for start in range(0, max(len(rows), 1), BLOCK):
        some = slice(start, start + BLOCK)
        weights.append(WEIGHTS[rule](n, rows[some], indices[some], seed))
    return np.concatenate(weights)


def _hashed(rows: np.ndarray, columns: np.ndarray, seed: int) -> np.ndarray:
    """64 random bits for every edge: SplitMix64 (Steele et al. 2014) of its two ends and the seed."""
    x = np.minimum(rows, columns).astype(np.uint64) << np.uint64(32) | np.maximum(rows, columns).astype(np.uint64)
    x += np.uint64((seed + 1) * 0x9E3779B97F4A7C15 % 2**64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x ^= x >> np.uint64(shift)
        x *= np.uint64(factor)
    return x ^ x >> np.uint64(31)


# ---- graphs ----------------------------------------------------------------------------------------------------------


def from_pairs(n: int, u: np.ndarray, v: np.ndarray, weights: str = "ecl", seed: int = 0) -> Csr:
    """The simple graph of these pairs; loops and repeated pairs are dropped."""
    indptr, indices = _simple(n, u, v)
    return indptr, indices, weighted(indptr, indices, weights, seed)


def grid2d(side: int, weights: str = "ecl", seed: int = 0) -> Csr:
    """Square lattice of side^2 vertices."""
    i = np.arange(side * side, dtype=np.int64).reshape(side, side)
    return from_pairs(side * side, *_joined((i[:, :-1], i[:, 1:]), (i[:-1], i[1:])), weights, seed)


def grid3d(side: int, weights: str = "ecl", seed: int = 0) -> Csr:
    """Cubic lattice of side^3 vertices."""
    i = np.arange(side**3, dtype=np.int64).reshape(side, side, side)
    steps = (i[:, :, :-1], i[:, :, 1:]), (i[:, :-1], i[:, 1:]), (i[:-1], i[1:])
    return from_pairs(side**3, *_joined(*steps), weights, seed)


def road(side: int, weights: str = "integers", seed: int = 0, kept: float = 0.6, diagonal: float = 0.05) -> Csr:
    """Square lattice that keeps a part of its edges, and in which some squares have a diagonal.

    It is planar, and its average degree 4 kept + 2 diagonal = 2.5 is that of road networks; unlike them it has many
    small components beside the large one.
    """
    g = np.random.default_rng(seed)
    i = np.arange(side * side, dtype=np.int64).reshape(side, side)
    u, v = _joined((i[:, :-1], i[:, 1:]), (i[:-1], i[1:]))
    there = g.random(len(u)) < kept
    crossed = g.random((side - 1, side - 1)) < diagonal
    u, v = np.concatenate([u[there], i[:-1, :-1][crossed]]), np.concatenate([v[there], i[1:, 1:][crossed]])
    return from_pairs(side * side, u, v, weights, seed)


def gnm(n: int, m: int, seed: int = 0, weights: str = "ecl") -> Csr:
    """m uniform pairs; loops and repeated pairs are dropped."""
    g = np.random.default_rng(seed)
    u = g.integers(0, n, m)
    return from_pairs(n, u, g.integers(0, n, m), weights, seed)


def rmat(scale: int, m: int, a: float, b: float, c: float, seed: int = 0, weights: str = "ecl") -> Csr:
    """m draws of a cell of the 2^scale by 2^scale matrix: for every bit a quadrant, with probability a, b, c or d."""
    g = np.random.default_rng(seed)
    u, v, x = np.zeros(m, np.uint32), np.zeros(m, np.uint32), np.empty(min(m, BLOCK), np.float32)
    for _ in range(scale):
        for start in range(0, m, BLOCK):
            drawn = g.random(out=x[: min(BLOCK, m - start)], dtype=np.float32)
            row, column = u[start : start + BLOCK], v[start : start + BLOCK]
            down = drawn >= a + b
            row <<= 1
            row |= down
            column <<= 1
            column |= ((drawn >= a) & ~down) | (drawn >= a + b + c)
    return from_pairs(1 << scale, u, v, weights, seed)


def watts_strogatz(n: int, k: int, p: float, seed: int = 0, weights: str = "ecl") -> Csr:
    """A ring: edges to the k / 2 next vertices on either side; with probability p an edge gets a random far end."""
    g = np.random.default_rng(seed)
    i = np.arange(n, dtype=np.int64)
    ends = []
    for step in range(1, k // 2 + 1):
        anew = g.random(n) < p
        far = (i + step) % n
        far[anew] = g.integers(0, n, int(anew.sum()))
        ends.append(far)
    return from_pairs(n, np.tile(i, len(ends)), np.concatenate(ends), weights, seed)


def ssca2(scale: int, seed: int = 0, weights: str = "integers", largest: int | None = None, p: float = 0.5) -> Csr:
    """2^scale vertices in cliques of uniform sizes up to 2^(scale / 3), as in GTgraph.

    For d = 1, 2, 4, ... vertex i is linked with probability p / d to a random member of the clique of vertex i + d, if
    that is another clique. The parallel and directed edges of the original would give the same graph.
    """
    g = np.random.default_rng(seed)
    n, largest = 1 << scale, largest or int(2 ** (scale / 3))
    sizes = g.integers(1, largest + 1, n)
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), n)) + 1]
    sizes[-1] -= sizes.sum() - n
    first = np.cumsum(sizes) - sizes
    clique = np.repeat(np.arange(len(sizes)), sizes)
    i = np.arange(n, dtype=np.int64)
    after = (first + sizes)[clique] - i - 1  # members of its clique after each vertex
    u = np.repeat(i, after)
    v = u + 1 + np.arange(len(u)) - np.repeat(np.cumsum(after) - after, after)
    ends = [(u, v)]
    distance = 1
    while distance < n:
        near = np.flatnonzero(g.random(n) < p / distance)
        there = clique[(near + distance) % n]
        near, there = near[there != clique[near]], there[there != clique[near]]
        ends.append((near, first[there] + g.integers(0, sizes[there])))
        distance *= 2
    return from_pairs(n, *_joined(*ends), weights, seed)


def knn(n: int, d: int, k: int, seed: int = 0) -> Csr:
    """k nearest neighbours of n uniform points, made symmetric; weights are float32 distances."""
    from scipy.spatial import cKDTree

    points = np.random.default_rng(seed).random((n, d))
    neighbours = cKDTree(points).query(points, k + 1, workers=-1)[1]
    indptr, indices = _simple(n, np.repeat(np.arange(n), k + 1), neighbours.ravel())
    apart = points[np.repeat(np.arange(n), np.diff(indptr))]
    apart -= points[indices]
    return indptr, indices, np.sqrt(np.einsum("ij,ij->i", apart, apart)).astype(np.float32)


def path(n: int, weights: str = "equal", seed: int = 0) -> Csr:
    """0 - 1 - 2 - ... - (n - 1)."""
    i = np.arange(n, dtype=np.int64)
    return from_pairs(n, i[:-1], i[1:], weights, seed)


def star(n: int, weights: str = "integers", seed: int = 0) -> Csr:
    """Vertex 0 and its n - 1 leaves."""
    return from_pairs(n, np.zeros(n - 1, np.int64), np.arange(1, n), weights, seed)


def _joined(*pairs: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Several arrays of first and second ends as one array of each."""
    return np.concatenate([u.ravel() for u, _ in pairs]), np.concatenate([v.ravel() for _, v in pairs])


def _simple(n: int, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """indptr and indices of the simple graph of these pairs."""
    code = np.minimum(u, v).astype(np.int64) << 32 | np.maximum(u, v).astype(np.int64)
    code = code[u != v]
    code.sort()
    code = code[np.concatenate([[True], code[1:] != code[:-1]])[: len(code)]]
    begins = np.zeros(n + 1, np.int64)
    begins[1:] = np.cumsum(np.bincount(code >> 32, minlength=n))
    above = sparse.csr_array((np.ones(len(code), np.int8), code.astype(np.int32), begins), shape=(n, n))
    both = above + above.T.tocsr()
    return both.indptr.astype(np.int64), both.indices.astype(np.int32, copy=False)


@dataclass(frozen=True)
class GraphSet:
    """A graph that is generated when the object is called, and its known figures."""

    make: Callable[[], Csr]
    n: int
    forest: int | float  # weight of its minimum spanning forest

    def __call__(self) -> Csr:
        return self.make()


M = 1_000_000
SETS = {
    "grid1024": GraphSet(lambda: grid2d(1024), 1 << 20, 292351960816),
    "grid4096": GraphSet(lambda: grid2d(4096), 1 << 24, 74641417098893),
    "grid3d256": GraphSet(lambda: grid3d(256), 1 << 24, 51857216717646),
    "road1024": GraphSet(lambda: road(1024), 1 << 20, 418428021),
    "rmat16": GraphSet(lambda: rmat(16, 8 << 16, 0.55, 0.1, 0.1), 1 << 16, 689187663),  # ECL-MST's, with another seed
    "rmat22": GraphSet(lambda: rmat(22, 8 << 22, 0.55, 0.1, 0.1), 1 << 22, 2978071027277),
    "kron21": GraphSet(lambda: rmat(21, 48 << 21, 0.57, 0.19, 0.19), 1 << 21, 539713633170),  # Graph500's parameters
    "gnm22": GraphSet(lambda: gnm(1 << 22, 4 << 22), 1 << 22, 2636612897131),
    "gnm23": GraphSet(lambda: gnm(1 << 23, 4 << 23), 1 << 23, 10553135914913),  # r4-2e23
    "gnm1M": GraphSet(lambda: gnm(M, 15 * M), M, 40054320375),
    # Vineet et al.: GTgraph's three kinds, mean degree 6, weights from 1 to 1000; 5 M vertices are their largest.
    "random1M": GraphSet(lambda: gnm(M, 3 * M, weights="integers"), M, 198352416),
    "random5M": GraphSet(lambda: gnm(5 * M, 15 * M, weights="integers"), 5 * M, 989106487),
    "rmat20": GraphSet(lambda: rmat(20, 3 << 20, 0.45, 0.15, 0.15, weights="integers"), 1 << 20, 236892014),
    "ssca2-16": GraphSet(lambda: ssca2(16), 1 << 16, 4204023),
    "ssca2-20": GraphSet(lambda: ssca2(20), 1 << 20, 28711218),
    "ws20": GraphSet(lambda: watts_strogatz(1 << 20, 6, 0.1), 1 << 20, 217239653567),
    "knn3": GraphSet(lambda: knn(M, 3, 15), M, 6474.0499283642675),
    "path10M": GraphSet(lambda: path(10 * M), 10 * M, 10 * M - 1),
    "star10M": GraphSet(lambda: star(10 * M), 10 * M, 5003769791),
}
