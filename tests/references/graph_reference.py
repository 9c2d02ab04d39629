"""The operations on graphs in slow numpy, Kruskal's algorithm as their oracle, and small graphs that are difficult.

Imported by `reference.py`, which has the operations of all rooms.
"""

from __future__ import annotations

import numpy as np

from emst.backend.records import Adjacency, ForestEdges, GraphStatistics, LightestEntries

WEIGHTS = [np.int32, np.int64, np.float32, np.float64]


def ordered(weights):
    """Weights as uint64 of the same order; -0.0 becomes 0.0."""
    weights = np.asarray(weights)
    bits = 8 * weights.itemsize
    unsigned = np.dtype(f"u{weights.itemsize}")
    top = unsigned.type(1 << (bits - 1))
    if weights.dtype.kind == "i":
        return (weights.view(unsigned) ^ top).astype(np.uint64)
    raw = (weights + weights.dtype.type(0)).view(unsigned)  # -0.0 + 0.0 is 0.0
    return np.where(raw & top, ~raw, raw | top).astype(np.uint64)


def mixed(x):
    """The last step of SplitMix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def graph_statistics(indptr, indices, weights):
    n, m = len(indptr) - 1, len(indices)
    descents = np.flatnonzero(np.diff(indptr) < 0)
    none = dict.fromkeys(GraphStatistics._fields, 0) | {"first_outside": -1, "first_nan": -1, "fingerprint": (0, 0)}
    none |= {"first_start": int(indptr[0]), "last_end": int(indptr[-1]), "descents": len(descents), "ascending": True}
    none["first_descent"] = int(descents[0]) if len(descents) else -1
    if len(descents) or indptr[0] != 0 or indptr[-1] != m:
        return GraphStatistics(**none)
    row, column = np.repeat(np.arange(n), np.diff(indptr)), indices.astype(np.int64)
    outside, nan = np.flatnonzero((column < 0) | (column >= n)), np.flatnonzero(weights != weights)
    upper, lower = column > row, column < row
    small, large = np.minimum(row, column).astype(np.uint64), np.maximum(row, column).astype(np.uint64)
    ends, key = mixed(small << np.uint64(32) | large), ordered(weights)
    both = [mixed(ends + key), mixed(ends ^ key * np.uint64(0x9E3779B97F4A7C15))]
    return GraphStatistics(
        **none
        | {
            "outside": len(outside),
            "first_outside": int(outside[0]) if len(outside) else -1,
            "nans": len(nan),
            "first_nan": int(nan[0]) if len(nan) else -1,
            "upper": int(upper.sum()),
            "lower": int(lower.sum()),
            "ascending": bool(((np.diff(column) >= 0) | (np.diff(row) > 0)).all()),
            "fingerprint": tuple((int(h[upper].sum()) - int(h[lower].sum())) % 2**64 for h in both),
        }
    )


def entry_rows(indptr, m):
    return np.repeat(np.arange(len(indptr) - 1, dtype=np.int32), np.diff(indptr))


def row_starts(rows, n):
    return np.r_[0, np.cumsum(np.bincount(rows, minlength=n))]


def lightest_entries(rows, columns, weights, n, above=False):
    keys, pairs = ordered(weights).tolist(), {}
    for entry, (row, column) in enumerate(zip(rows.tolist(), columns.tolist())):
        if row < column or (row > column and not above):
            pairs.setdefault((min(row, column), max(row, column)), ([], []))[row > column].append((keys[entry], entry))
    pairs = [(*pair, min(ahead + behind)[1], ahead, behind) for pair, (ahead, behind) in sorted(pairs.items())]
    both = [(min(ahead), min(behind)) for *_, ahead, behind in pairs if ahead and behind]
    wrong = [(ahead[1], behind[1]) for ahead, behind in both if ahead[0] != behind[0]]
    entries = np.array([entry for _, _, entry, _, _ in pairs], np.int64)
    ends = [np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1)]
    return LightestEntries(entries, *ends, weights[entries], len(wrong), *min(wrong, key=min, default=(-1, -1)))


def graph_forest(graph: Adjacency) -> ForestEdges:
    row = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    upper = np.flatnonzero(graph.indices > row)
    taken, roots = kruskal(graph.n, row[upper], graph.indices[upper], graph.weights[upper])
    entries = upper[taken]
    return ForestEdges(entries, row[entries].astype(np.int32), graph.indices[entries], roots)


def number_components(roots):
    _, first, inverse = np.unique(roots, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first)).astype(np.int32)[inverse]


def kruskal(n, rows, columns, weights):
    """The unique forest under (weight, smaller end, larger end, position): positions, ascending; and roots int32[n]."""
    rows, columns = np.asarray(rows), np.asarray(columns)
    parent = list(range(n))

    def find(x):
        while parent[x] != x:
            parent[x] = x = parent[parent[x]]
        return x

    taken = []
    order = np.lexsort((np.maximum(rows, columns), np.minimum(rows, columns), ordered(weights)))
    for e, row, column in zip(order.tolist(), rows[order].tolist(), columns[order].tolist()):
        a, b = find(row), find(column)
        if a != b:
            parent[a] = b
            taken.append(e)
            if len(taken) == n - 1:  # one component is left
                break
    return np.sort(np.array(taken, np.int64)), np.array([find(x) for x in range(n)], np.int32)


# ---- graphs: (n, rows, columns), every edge once; repeated pairs are parallel edges -------------------------------


def path(n):
    return n, np.arange(n - 1), np.arange(1, n)


def star(n, centre=0):
    leaves = np.delete(np.arange(n), centre)
    return n, np.full(n - 1, centre), leaves


def grid(side):
    i = np.arange(side * side).reshape(side, side)
    return (
        side * side,
        np.concatenate([i[:, :-1].ravel(), i[:-1].ravel()]),
        np.concatenate([i[:, 1:].ravel(), i[1:].ravel()]),
    )


def complete(n):
    return n, *np.triu_indices(n, 1)


def random(n, m, seed=0):
    """m uniform pairs: loops dropped, parallel edges kept."""
    u, v = np.random.default_rng(seed).integers(0, n, (2, m))
    return n, u[u != v], v[u != v]


def comb(n):
    """A path of n vertices, from each of which a tooth of three hangs."""
    i = np.arange(n)
    rows, columns = [i[:-1]], [i[1:]]
    for depth in range(3):
        rows.append(i + depth * n)
        columns.append(i + (depth + 1) * n)
    return 4 * n, np.concatenate(rows), np.concatenate(columns)


def shuffled(graph, seed=1):
    """The same graph with its vertices renumbered."""
    n, rows, columns = graph
    name = np.random.default_rng(seed).permutation(n)
    return n, name[rows], name[columns]


GRAPHS = {
    "no vertices": (0, np.empty(0, int), np.empty(0, int)),
    "one vertex": (1, np.empty(0, int), np.empty(0, int)),
    "isolated vertices": (1000, np.array([3, 500]), np.array([999, 501])),
    "one edge": path(2),
    "path": path(3000),
    "shuffled path": shuffled(path(3000)),
    "star": star(3000, centre=1234),
    "star of the last": star(700, centre=699),
    "grid": grid(40),
    "comb": comb(400),
    "complete": complete(70),
    "sparse random": random(2000, 1800),
    "random": random(1500, 9000),
    "parallel": random(40, 2000),
}


def weights_for(edges, dtype, kind, seed=0):
    """Weights of so many edges: "equal", "two", "ties", "distinct", "rising", "falling" or "special" (extremes)."""
    g, dtype = np.random.default_rng(seed), np.dtype(dtype)
    if kind == "equal":
        return np.full(edges, 7, dtype)
    if kind in ("rising", "falling"):
        steps = np.arange(edges) if kind == "rising" else np.arange(edges)[::-1]
        return steps.astype(dtype)
    if kind == "distinct":
        return g.permutation(edges).astype(dtype) - dtype.type(edges // 2)
    if kind == "special":
        if dtype.kind == "i":
            extremes = [np.iinfo(dtype).min, np.iinfo(dtype).max, 0, -1, np.iinfo(dtype).max - 1]
        else:
            tiny = np.finfo(dtype).smallest_subnormal
            extremes = [
                -np.inf,
                np.inf,
                0.0,
                -0.0,
                tiny,
                -tiny,
                np.finfo(dtype).max,
                1.0,
                np.nextafter(dtype.type(1), 2),
            ]
        return np.array(extremes, dtype)[g.integers(0, len(extremes), edges)]
    return g.integers(0, 2 if kind == "two" else 12, edges).astype(dtype) - dtype.type(1)


KINDS = ["equal", "two", "ties", "distinct", "rising", "falling", "special"]


def csr_of(n, rows, columns, weights, symmetric=True, index=np.int32):
    """(indptr, indices, weights) with ascending columns, equal ones in the order given, and the edge of every entry.

    Where `symmetric` is false, entries stand above the diagonal only.
    """
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    ends = (np.concatenate([low, high]), np.concatenate([high, low])) if symmetric else (low, high)
    edge = np.concatenate([np.arange(len(low))] * (2 if symmetric else 1))
    order = np.lexsort((edge, ends[1], ends[0]))
    indptr = np.zeros(n + 1, index)
    indptr[1:] = np.cumsum(np.bincount(ends[0], minlength=n))
    return indptr, ends[1][order].astype(index), np.asarray(weights)[edge[order]], edge[order]


def adjacency_of(graph, weights, symmetric=True, index=np.int32):
    """A graph of GRAPHS as an `Adjacency` on the host."""
    indptr, indices, values, _ = csr_of(*graph, weights, symmetric, index)
    return Adjacency(indptr, indices.astype(np.int32), values, symmetric)
