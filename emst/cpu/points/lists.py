"""Sorted lists of neighbours in the lanes of a vector, as rows and as columns.

A row is one point's list: a candidate is compared with all 16 entries at once. Columns are the lists of 16 points,
entry number m of all of them in one vector: there, 16 points take one candidate each at once.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from emst.cpu.runtime.lanes import LANES, WORD, address, load, loop, spread, store, vector


def shifted(builder, row):
    """Every lane one further; the first stays, the last drops out."""
    order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0, *range(LANES - 1)])
    return builder.shuffle_vector(row, ir.Constant(row.type, ir.Undefined), order)


@intrinsic
def insert_hits(typingctx, values, ids, at, last, candidates, hits, base):
    """Insert those of the 16 candidates whose bits are set, named ``base + lane``, into the ascending row of 16 that
    begins at ``values[at]``, while they are less than its entry number `last`; returns that entry."""

    def codegen(context, builder, signature, args):
        numbers, names, at, last, offered, hits, base = args
        row, row_ids = load(context, builder, values, numbers, at), load(context, builder, ids, names, at)
        first = ir.Constant(ir.VectorType(ir.IntType(1), LANES), [1] + [0] * (LANES - 1))

        def insert(_, state):
            mask, old, old_ids = state
            lane = builder.cttz(mask, ir.Constant(ir.IntType(1), 1))
            value = builder.load(address(context, builder, candidates, offered, lane))
            value = spread(builder, value, old.type)
            name = builder.add(base, builder.trunc(lane, base.type))
            name = spread(builder, name, old_ids.type)
            moved, moved_ids = shifted(builder, old), shifted(builder, old_ids)
            stays = builder.fcmp_ordered("<=", old, value)
            here = builder.or_(first, builder.fcmp_ordered("<=", moved, value))
            return (
                builder.and_(mask, builder.sub(mask, WORD(1))),
                builder.select(stays, old, builder.select(here, value, moved)),
                builder.select(stays, old_ids, builder.select(here, name, moved_ids)),
            )

        _, row, row_ids = loop(builder, WORD(0), builder.ctpop(hits), [hits, row, row_ids], insert)
        store(context, builder, row, values, numbers, at)
        store(context, builder, row_ids, ids, names, at)
        return builder.extract_element(row, last)

    at = types.int64
    return values.dtype(values, ids, at, at, candidates, at, ids.dtype), codegen


@intrinsic
def keep_least(typingctx, values, ids, count, candidates, name):
    """In every lane: insert the candidate, named `name`, into the ascending column of `count` entries, 16 apart."""

    def codegen(context, builder, signature, args):
        numbers, names, count, offered, name = args
        value = load(context, builder, candidates, offered, WORD(0))
        name = spread(builder, name, vector(context, ids.dtype))

        def insert(m, state):
            at = builder.mul(m, WORD(LANES))
            new, new_ids = state
            old, old_ids = load(context, builder, values, numbers, at), load(context, builder, ids, names, at)
            less = builder.fcmp_ordered("<", new, old)
            store(context, builder, builder.select(less, new, old), values, numbers, at)
            store(context, builder, builder.select(less, new_ids, old_ids), ids, names, at)
            return builder.select(less, old, new), builder.select(less, old_ids, new_ids)

        loop(builder, WORD(0), count, [value, name], insert)
        return context.get_dummy_value()

    return types.void(values, ids, types.int64, candidates, ids.dtype), codegen
