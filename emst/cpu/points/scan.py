"""The scan of a point: a search by its products with all points (`products`), in the place of a walk (`walk`).

A scan makes two passes over the products. The first finds a radius within which the neighbours certainly are. The
second lists the points that may be within it, and computes their distances, 16 at a time.
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from emst.cpu.points.norms import power_of_distance
from emst.cpu.runtime.compile import part
from emst.cpu.runtime.heap import replace_greatest
from emst.cpu.runtime.lanes import (
    LANES,
    WORD,
    address,
    as_word,
    at_most_mask,
    load,
    lowest_bit,
    spread,
    store,
    unequal_mask,
    vector,
)
from emst.cpu.runtime.numbers import greater, greatest_finite, lesser


def _mask_of(combine):
    """An intrinsic that says which of 16 sums ("fadd") or differences ("fsub") of two arrays are at most a value."""

    @intrinsic
    def at_most(typingctx, first, at, second, there, value):
        def codegen(context, builder, signature, values):
            a, at, b, there, value = values
            left = load(context, builder, first, a, at)
            total = getattr(builder, combine)(left, load(context, builder, second, b, there))
            return as_word(builder, builder.fcmp_ordered("<=", total, spread(builder, value, total.type)))

        return types.int64(first, types.int64, second, types.int64, first.dtype), codegen

    return at_most


_upper_mask, _lower_mask = _mask_of("fadd"), _mask_of("fsub")  # by upper and by lower bounds


@intrinsic
def powers_of(typingctx, space, points, u, ids, out):
    """Powers of the distances of point u to the 16 points `ids`. Point v begins at ``points[v * d]``."""

    def codegen(context, builder, signature, values):
        norm, rows, u, names, out = values
        kind = vector(context, points.dtype)
        d = builder.extract_value(norm, 0)
        others = load(context, builder, ids, names, WORD(0))

        def begin(v):
            return builder.mul(v, d)

        def there(j):
            return begin(builder.sext(builder.extract_element(others, ir.Constant(ir.IntType(32), j)), WORD))

        first, begins = begin(u), [there(j) for j in range(LANES)]

        def coordinate(at, i):
            return builder.load(address(context, builder, points, rows, builder.add(at, i)))

        def difference(i):
            lanes = ir.Constant(kind, ir.Undefined)
            for j, at in enumerate(begins):
                lanes = builder.insert_element(lanes, coordinate(at, i), ir.Constant(ir.IntType(32), j))
            return builder.fsub(spread(builder, coordinate(first, i), kind), lanes)

        total = power_of_distance(context, builder, space, norm, kind, difference)
        store(context, builder, total, signature.args[4], out, WORD(0))
        return context.get_dummy_value()

    return types.void(space, points, types.int64, ids, out), codegen


@intrinsic
def _narrowed(typingctx, value, like):
    """A float64 in the type of `like`."""

    def codegen(context, builder, signature, values):
        kind = context.get_value_type(like)
        return values[0] if isinstance(kind, ir.DoubleType) else builder.fptrunc(values[0], kind)

    return like(types.float64, like), codegen


@part
def limit_of(products, u, radius):
    """Upper bound of a - above for all points within `radius`, a power, of point u: float32, rounded up."""
    distance = (
        math.sqrt((radius + products.tiny) * products.grow) * products.scale + products.rho[u] + products.most_rho
    )
    limit = distance * distance * (1 + 1e-12) - (1 - products.c) * products.square[u]
    return np.float32(limit + abs(limit) * 2.0**-22 + 1e-38)


@part
def power_above(products, u, bound, like):
    """Upper bound of the power of the distance from u to a point whose a + above is `bound`, in the type of `like`."""
    bound = np.float64(bound)
    square = greater(bound + abs(bound) * 2.0**-22 + (1 + products.c) * products.square[u], 0.0)
    distance = (math.sqrt(square) * (1 + 1e-12) + products.rho[u] + products.most_rho) / products.scale
    power = distance * distance * products.grow * (1 + 2.0**-21) + 2 * products.tiny
    return _narrowed(lesser(power, np.float64(greatest_finite(like))), like[0])


@part
def kth_power(products, values, row, u, count, heap, like):
    """Upper bound of the power of the distance of point u to its `count`-th nearest other point."""
    leaves = len(products.above) // LANES
    at = row * leaves * LANES
    heap[:count] = np.inf
    leaf = u >> 4  # near points come first: the heap's greatest soon excludes most others
    for _ in range(leaves):
        mask = _upper_mask(values, at + leaf * LANES, products.above, leaf * LANES, heap[0])
        while mask:
            v = leaf * LANES + lowest_bit(mask)
            mask &= mask - 1
            x = values[at + v] + products.above[v]
            if v != u and x < heap[0]:
                replace_greatest(heap, count, x)
        leaf += 1
        if leaf == leaves:
            leaf = 0
    return power_above(products, u, heap[0], like)


@part
def outgoing_weight(products, values, row, u, labels, core, most, like):
    """Upper bound of the least weight of an edge from point u to another component, or `most` if it is not less."""
    leaves = len(products.above) // LANES
    at = row * leaves * LANES
    limit = limit_of(products, u, np.float64(most))
    leaf = u >> 4
    for _ in range(leaves):
        mask = _upper_mask(values, at + leaf * LANES, products.above, leaf * LANES, limit)
        if mask:
            mask &= unequal_mask(labels, leaf * LANES, labels[u])
            if core is not None:
                mask &= at_most_mask(core, leaf * LANES, most)
        while mask:
            v = leaf * LANES + lowest_bit(mask)
            mask &= mask - 1
            x = values[at + v] + products.above[v]
            if x >= limit:
                continue
            weight = power_above(products, u, x, like)
            if core is not None:
                weight = greater(greater(weight, core[u]), core[v])
            if weight < most:
                most, limit = weight, x
        leaf += 1
        if leaf == leaves:
            leaf = 0
    return most


@part
def count_within(products, values, row, u, radius, labels, labelled):
    """How many points may lie within `radius` of point u; with `labelled`, only those of other components count."""
    at = row * len(products.above)
    limit = limit_of(products, u, np.float64(radius))
    total = 0
    for leaf in range(len(products.above) // LANES):
        mask = _lower_mask(values, at + leaf * LANES, products.above, leaf * LANES, limit)
        while mask:
            v = leaf * LANES + lowest_bit(mask)
            mask &= mask - 1
            total += not labelled or labels[v] != labels[u]
    return total


def scan_with(accept, offer):
    """A scan of the points that may lie within ``packet.radius[0]`` of point u, number `row` of the products.

    ``accept(packet, mask, leaf, *extra)`` returns the mask without those points of the leaf that are not searched.
    ``offer(packet, hits, *extra)`` processes those of the 16 points `packet.ids` whose bits are set in `hits`;
    `packet.distance` holds the powers of their distances. It may make the radius smaller."""

    @part
    def settle(packet, products, u, space, count, *extra):
        powers_of(space, products.points, u, packet.ids, packet.distance)
        hits = at_most_mask(packet.distance, 0, packet.radius[0]) & ((1 << count) - 1)
        if hits:
            offer(packet, hits, *extra)
        return limit_of(products, u, np.float64(packet.radius[0])) if packet.radius[0] >= 0 else np.float32(-np.inf)

    @part
    def scan(packet, products, values, row, u, space, *extra):
        at = row * len(products.above)
        limit = limit_of(products, u, np.float64(packet.radius[0]))
        count = np.int64(0)
        for leaf in range(len(products.above) // LANES):
            mask = _lower_mask(values, at + leaf * LANES, products.above, leaf * LANES, limit)
            if mask:
                mask = accept(packet, mask, leaf, *extra)
            while mask:
                v = leaf * LANES + lowest_bit(mask)
                mask &= mask - 1
                if v == u:
                    continue
                packet.ids[count] = v
                count += 1
                if count == LANES:
                    limit = settle(packet, products, u, space, count, *extra)
                    count = np.int64(0)
        if count:
            for j in range(count, LANES):
                packet.ids[j] = packet.ids[0]  # an empty lane: `settle` ignores it
            settle(packet, products, u, space, count, *extra)

    return scan
