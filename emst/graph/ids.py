"""Ids of vertices: whole numbers, which are the numbers of the vertices or stand for them.

Memory and time grow with the number of vertices. So ids are taken as numbers of vertices, counted from 0, only where
few numbers are unused, or where there are few numbers at all. Other ids are numbered in ascending order, and the result
gives them back: ids of OpenStreetMap, hashes, negative numbers.
"""

from __future__ import annotations

import numpy as np

from emst.backend.records import Array
from emst.graph.input import MOST_VERTICES
from emst.inputs.devices import gpu_of, on_device_of, placed
from emst.inputs.summary import counted

FEW = 1_000_000  # so many vertices take little memory, whether they have edges or not
PER_EDGE = 4  # numbers for each edge, at most; an edge has two ends


def vertex_count(source: Array, target: Array) -> int | None:
    """How many vertices there are if integers are their numbers, so that the greatest decides; None if they are ids:
    one is negative, or the greatest is a million or more and at least four times the number of edges."""
    if len(source) == 0:
        return 0
    with on_device_of(source):
        least = min(int(source.min()), int(target.min()))
        n = max(int(source.max()), int(target.max())) + 1
    return n if least >= 0 and n <= min(MOST_VERTICES, max(FEW, PER_EDGE * len(source))) else None


def numbered_ids(source: Array, target: Array) -> tuple[Array, Array, Array]:
    """Ends of edges as numbers of their ids, in ascending order of these, and all ids, each once."""
    with on_device_of(source):
        ids, numbers = np.unique(_joined(source, placed(target, gpu_of(source))), return_inverse=True)
    return numbers[: len(source)], numbers[len(source) :], ids


def _joined(source: Array, target: Array) -> Array:
    """Both ends in one array of integers."""
    dtype = np.result_type(source.dtype, target.dtype)
    if dtype.kind == "f":  # uint64 and signed integers, which numpy joins as floats
        dtype = np.dtype(np.int64 if max(int(source.max()), int(target.max())) < 2**63 else np.uint64)
        if dtype.kind == "u" and min(int(source.min()), int(target.min())) < 0:
            raise ValueError("source and target hold ids below 0 and ids of 2**63 or more: pass all of them as strings")
    return np.concatenate([source.astype(dtype, copy=False), target.astype(dtype, copy=False)])


def whole(name: str, ends: Array) -> Array:
    """Ends of edges that are floats as integers; ValueError unless all are whole numbers that a float holds exactly."""
    if ends.dtype.kind != "f":
        return ends
    with on_device_of(ends):
        fraction = ~((np.floor(ends) == ends) & np.isfinite(ends))
        _refuse(name, ends, fraction, "must hold whole numbers or names of vertices")
        limit = exact_below(ends.dtype)
        hint = f"holds floats, which round ids of {limit:,} and more: pass integers or strings"
        _refuse(name, ends, abs(ends) >= limit, hint)
        return ends.astype(np.int64)


def exact_below(dtype: np.dtype) -> int:
    """All whole numbers of less than this magnitude are floats of this dtype, and each float stands for one of them."""
    return int(2 ** (np.finfo(dtype).nmant + 1))


def _refuse(name: str, ends: Array, bad: Array, what: str) -> None:
    """Raise ValueError if an end is bad; the message names the first."""
    if bool(bad.any()):
        first, count = int(bad.argmax()), counted(int(bad.sum()), "row")
        raise ValueError(f"{name} {what}; {count} with others, first {ends[first].item():,} in row {first:,}")
