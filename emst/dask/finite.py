"""Rows of chunks that are not finite: a clustering leaves them out, and gives them labels of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from distributed import Future

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.dask.cluster import Cluster
from emst.dask.inputs import Chunks
from emst.inputs.devices import to_host
from emst.inputs.finite import FiniteRows, finite_rows


def finite_chunks(chunks: Chunks, cluster: Cluster) -> tuple[Chunks, list[Future] | None]:
    """The chunks without rows that are not finite, and which rows are left out of each: futures of `FiniteRows`, or
    None where nothing is."""
    bad = cluster.gather([cluster.submit(_bad_rows, chunk) for chunk in chunks.futures])
    if not any(bad):
        return chunks, None
    rows = [cluster.submit(_finite_rows, chunk) for chunk in chunks.futures]
    kept = [cluster.submit(_kept, chunk, own) for chunk, own in zip(chunks.futures, rows)]
    chunks.futures.clear()  # as in `fitted_tree`
    sizes = [size - left_out for size, left_out in zip(chunks.sizes, bad)]
    return replace(chunks, futures=kept, sizes=sizes), rows


def spread(
    values: list[Future], rows: list[Future] | None, infinite: float, missing: float, cluster: Cluster
) -> list[Future]:
    """Values of the rows that are finite, at their places among all rows of their chunks; see `FiniteRows.spread`."""
    if rows is None:
        return values
    return [cluster.submit(_spread, own, kept, infinite, missing) for own, kept in zip(values, rows)]


def namer(given: Chunks, rows: list[Future] | None, cluster: Cluster) -> Callable[[int, int], str]:
    """A function of a chunk's number and of a point of it, which returns what errors call the row of that point.

    `given` are the caller's chunks, of which `rows` says what was left out."""

    def where(i: int, point: int) -> str:
        row = point if rows is None else int(cluster.gather([rows[i]])[0].kept[point])
        return given.where(int(given.offsets[i]) + row)

    return where


def _bad_rows(ops: Backend, chunk: Array) -> int:
    return ops.point_statistics(chunk).bad if len(chunk) else 0


def _finite_rows(ops: Backend, chunk: Array) -> FiniteRows:
    return finite_rows(chunk).mapped(to_host)


def _kept(ops: Backend, chunk: Array, rows: FiniteRows) -> Array:
    return ops.xp.ascontiguousarray(chunk[ops.asarray(rows.kept)])


def _spread(ops: Backend, values: np.ndarray, rows: FiniteRows, infinite: Any, missing: Any) -> np.ndarray:
    return rows.spread(values, infinite, missing)
