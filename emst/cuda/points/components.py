"""Components of partitions between rounds, on the GPU. Kernels: components.cu."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.launch import Compaction, launch
from emst.cuda.runtime.memory import all_ones


def first_edges(
    a: cupy.ndarray,
    b: cupy.ndarray | None,
    label: cupy.ndarray,
    count: int,
    weight: cupy.ndarray,
    power: cupy.ndarray,
    u: cupy.ndarray,
    v: cupy.ndarray,
) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    T, m, dtype = ctype(weight.dtype), len(weight), weight.dtype
    a, b, label, weight, power, u, v = map(_in_order, (a, b, label, weight, power, u, v))
    ends = a, b, label, m
    weights, powers = (all_ones(count, dtype) for _ in range(2))
    smaller, larger, place = all_ones(count, np.int64), all_ones(count, np.int64), all_ones(count, np.uint32)
    launch("points/components", f"least_weights<{T}>", m, *ends, weight, weights)
    launch("points/components", f"least_powers<{T}>", m, *ends, weight, power, weights, powers)
    keys = *ends, weight, power, weights, powers, u
    launch("points/components", f"least_smaller_ends<{T}>", m, *keys, smaller)
    launch("points/components", f"least_larger_ends<{T}>", m, *keys, smaller, v, larger)
    launch("points/components", f"first_places<{T}>", m, *keys, smaller, v, larger, place)
    return place.view(np.int32)


def asking_points(
    places: cupy.ndarray | None,
    weight: cupy.ndarray,
    power: cupy.ndarray | None,
    nearest: cupy.ndarray | None,
    component: cupy.ndarray,
    group: cupy.ndarray,
    bound: cupy.ndarray,
    bound_power: cupy.ndarray | None,
    label: cupy.ndarray,
) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    n = len(weight)
    asking, total = cupy.empty(n, np.int32), cupy.zeros(1, np.int32)
    points = (_in_order(places), n, *map(_in_order, (weight, power, nearest, component)))
    bounds = tuple(map(_in_order, (group, bound, bound_power, label)))
    Compaction(n).launch("points/components", f"list_asking<{ctype(weight.dtype)}>", n, *points, *bounds, asking, total)
    return asking[: int(total.get()[0])]


def _in_order(array: Any) -> Any:
    return None if array is None else cupy.ascontiguousarray(array)
