"""Weights of the rows of chunks: checked chunk by chunk, and counted in units that are the same everywhere.

The driver learns facts of every chunk (`emst.inputs.weights.Facts`) and sums of units, which are integers. So the units
are those of one device.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.inputs.weights import Facts, Weights, bits_of_units, check_facts, facts_of, joined_facts, units_of
from emst.partitions.engine import Engine, Future


@dataclass(frozen=True, eq=False)
class ChunkWeights:
    """Weights of the rows of chunks, of which not all are 1.

    Attributes
    ----------
    futures : list of Future
        Units int64[size] of every chunk.
    bits : int
        2^bits units are the weight 1.
    total : int
        Units of all rows together.
    crowd : int
        The sum of `Weights.copies`: how many points the order on the curve counts.
    """

    futures: list[Future]
    bits: int
    total: int
    crowd: int

    @property
    def per(self) -> int:
        """Units of the weight 1."""
        return 1 << self.bits


def chunk_weights(futures: list[Future], engine: Engine, *, zeros: bool = True) -> ChunkWeights | None:
    """The weights of chunks, given as float64[size] each; None if all are 1.

    Raises
    ------
    ValueError
        What `emst.inputs.weights.check_weights` raises.
    """
    facts = joined_facts(engine.gather([engine.submit(_facts, chunk) for chunk in futures]))
    check_facts(facts, zeros)
    if facts.ones == facts.rows:
        return None

    def total_of(bits: int) -> int:
        return sum(engine.gather([engine.submit(_total, chunk, bits) for chunk in futures]))

    bits = bits_of_units(facts, total_of)
    return counted_weights([engine.submit(_units, chunk, bits) for chunk in futures], bits, engine)


def counted_weights(futures: list[Future], bits: int, engine: Engine) -> ChunkWeights:
    """Weights in units int64[size] of every chunk."""
    counts = engine.gather([engine.submit(_counts, units, bits) for units in futures])
    total, crowd = (sum(column) for column in zip(*counts))
    return ChunkWeights(futures, bits, total, crowd)


def without_futures(weights: ChunkWeights | None) -> ChunkWeights | None:
    """The weights without their futures."""
    return None if weights is None else replace(weights, futures=[])


def _facts(ops: Backend, weights: Array) -> Facts:
    return facts_of(weights)


def _total(ops: Backend, weights: Array, bits: int) -> int:
    return int(units_of(weights, bits).sum())


def _units(ops: Backend, weights: Array, bits: int) -> Array:
    return units_of(weights, bits)


def _counts(ops: Backend, units: Array, bits: int) -> tuple[int, int]:
    copies = Weights(units, bits).copies
    return int(units.sum()), len(units) if copies is None else int(copies.sum(dtype=np.int64))
