"""The lightest entry of every pair of vertices, from entries in any order and direction, on the GPU.

Entries are sorted by their directed pair; parallel entries, usually few, also by weight.
"""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.keys import ordered, pair_codes
from emst.backend.records import LightestEntries
from emst.cuda.runtime.sort import sort_order

MOST = 2**31 - 1  # entries whose numbers are sorted as int32


def lightest_entries(
    rows: cupy.ndarray, columns: cupy.ndarray, weights: cupy.ndarray, n: int, above: bool = False
) -> LightestEntries:
    """See `emst.backend.operations`."""
    kept = cupy.flatnonzero(columns > rows if above else columns != rows)
    if len(kept) < len(rows):
        rows, columns, weights = rows[kept], columns[kept], weights[kept]
    heads, both = _lightest(_directed_codes(rows, columns, n), weights)
    ahead, behind = heads[both], heads[both + 1]
    forward, backward = ordered(weights[ahead]), ordered(weights[behind])
    reverse = (backward < forward) | ((backward == forward) & (behind < ahead))
    taken = cupy.ones(len(heads), np.bool_)
    taken[cupy.where(reverse, both, both + 1)] = False
    order = heads[taken]
    rows, columns = rows[order], columns[order]
    small, large = cupy.minimum(rows, columns), cupy.maximum(rows, columns)
    entries = kept[order].astype(np.int64, copy=False)
    return LightestEntries(entries, small, large, weights[order], *_differing(kept, ahead, behind, forward != backward))


def _directed_codes(rows: cupy.ndarray, columns: cupy.ndarray, n: int) -> cupy.ndarray:
    """Codes of unordered pairs; the last bit tells whether the entry lies below the diagonal."""
    pairs = pair_codes(cupy.minimum(rows, columns), cupy.maximum(rows, columns), n)
    return (pairs << np.uint64(1)) + (rows > columns)


def _lightest(codes: cupy.ndarray, weights: cupy.ndarray) -> tuple[cupy.ndarray, cupy.ndarray]:
    """The position of the lightest entry for every directed code, the first of equal ones, in the order of the codes;
    and where in that list a pair with both directions begins (its second direction comes next)."""
    order = _sorted_by(codes)
    ranked = codes[order]
    first = cupy.ones(len(ranked), np.bool_)
    first[1:] = ranked[1:] != ranked[:-1]
    if not bool(first.all()):
        alike = ~first
        alike[:-1] |= ~first[1:]
        tied = order[alike]
        tied = tied[_sorted_by(ordered(weights[tied]))]
        order[alike] = tied[_sorted_by(codes[tied])]
    heads = order[first]
    pairs = ranked[first] >> np.uint64(1)
    return heads, cupy.flatnonzero(pairs[1:] == pairs[:-1])


def _differing(
    kept: cupy.ndarray, ahead: cupy.ndarray, behind: cupy.ndarray, differ: cupy.ndarray
) -> tuple[int, int, int]:
    """How many pairs have directions of different lightest weights, and the two entries of the first such pair."""
    differing = cupy.flatnonzero(differ)
    if len(differing) == 0:
        return 0, -1, -1
    ahead, behind = kept[ahead[differing]], kept[behind[differing]]
    pair = int(cupy.minimum(ahead, behind).argmin())
    return len(differing), int(ahead[pair]), int(behind[pair])


def _sorted_by(codes: cupy.ndarray) -> cupy.ndarray:
    return sort_order(codes) if 0 < len(codes) <= MOST else cupy.argsort(codes, kind="stable")
