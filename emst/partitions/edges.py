"""Edges between components, and the total order on them, as array code for both backends.

Numbers that are not negative compare like their bits; the GPU's float comparisons would take subnormal ones for 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.partitions.packets import Sized


@dataclass(eq=False)
class OpenEdges(Sized):
    """Edges between components that are known but not certain."""

    a: Array  # int32[m]: component of one end
    b: Array  # int32[m]: component of the other end
    u: Array  # int64[m]: smaller end
    v: Array  # int64[m]: larger end
    weight: Array  # T[m], a power
    power: Array  # T[m]: of the distance


def columns_of(edges: OpenEdges) -> tuple[Array, ...]:
    """The arrays of edges, in the order of the fields."""
    return edges.a, edges.b, edges.u, edges.v, edges.weight, edges.power


def chosen(edges: OpenEdges, places: Any) -> OpenEdges:
    return OpenEdges(*(column[places] for column in columns_of(edges)))


def bits_of(numbers: Array) -> Array:
    """Bits of numbers that are not negative, uint64[m], in the order of the numbers."""
    if numbers.dtype == np.float32:
        return numbers.view(np.uint32).astype(np.uint64)
    return numbers.view(np.uint64)


def as_bits(numbers: Array) -> Array:
    """Numbers that are not negative as unsigned integers of the same size and order, in the same memory."""
    return numbers.view(f"u{numbers.dtype.itemsize}")


def greater(a: Array, b: Array) -> Array:
    """The greater of numbers that are not negative, compared by their bits."""
    return np.maximum(as_bits(a), as_bits(b)).view(a.dtype)


def lesser(a: Array, b: Array) -> Array:
    """The lesser of numbers that are not negative, compared by their bits."""
    return np.minimum(as_bits(a), as_bits(b)).view(a.dtype)


def least_of(known: Array, found: Array) -> Array:
    """The least numbers of both in every row, T[m, count], ascending; `known` is T[m, count]. None is negative."""
    return np.sort(as_bits(np.concatenate([known, found], axis=1)), axis=1).view(known.dtype)[:, : known.shape[1]]


def total_order(ops: Backend, weight: Array, power: Array, u: Array, v: Array) -> Array:
    """Places of edges in the total order by (weight, power of the distance, smaller end, larger end): int32[m]."""
    order = ops.sort_order(v.astype(np.uint64))
    for key in (u.astype(np.uint64), bits_of(power), bits_of(weight)):
        order = order[ops.sort_order(key[order])]
    return order


def first_of_groups(ops: Backend, edges: OpenEdges, groups: Array, count: int) -> Array:
    """The place of the first edge in the total order of each group, int64[count]; none is empty. `groups` holds the
    group of every edge, or of all edges twice."""
    place = ops.xp.arange(len(groups), dtype=np.int32)
    place %= max(len(edges.u), 1)
    for key in (as_bits(edges.weight), as_bits(edges.power), as_bits(edges.u), as_bits(edges.v)):
        own = key[place]
        first = np.flatnonzero(own == least(ops, own, groups, count)[groups])
        groups, place = groups[first], place[first]
        if len(groups) == count:  # no ties are left
            break
    found = ops.xp.empty(count, np.int64)
    found[groups] = place
    return found


def least(ops: Backend, keys: Array, groups: Array, count: int) -> Array:
    """The least key of each group."""
    keys_of = ops.xp.full(count, np.iinfo(keys.dtype).max, keys.dtype)
    ops.xp.minimum.at(keys_of, groups, keys)
    return keys_of
