"""What a fit of a clustering keeps: futures of the tree, the dendrogram and the clusters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Condensed
from emst.hdbscan.trees import CondensedTree
from emst.hierarchy.selection import Options
from emst.inputs.weights import Weights
from emst.partitions import contraction, hierarchy
from emst.partitions.chunks import Chunks, scatter_rows, spread
from emst.partitions.edges import cores_in_chunks, rows_of
from emst.partitions.engine import Engine, Future, part, wait
from emst.partitions.records import Fitted, Local


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted tree and the clusters that were selected from it. Futures keep both on the workers.

    Attributes
    ----------
    fitted : Fitted
    all_chunks, chunks : Chunks
        The caller's chunks, and those of the finite rows, both without their data.
    rows : list of Future of FiniteRows, or None
        Which rows of every chunk are left out.
    options : Options
    contracted : list of Future of Contracted
    hierarchy : Future of Hierarchy
    flat : Future of FlatClustering
    least : int
        Closed subtrees of fewer points, or units of their weights, are contracted.
    engine : Engine
    weightless : Chunks or None
        The finite rows of weight 0; None if there are none.
    """

    fitted: Fitted
    all_chunks: Chunks
    chunks: Chunks
    rows: list[Future] | None
    options: Options
    contracted: list[Future]
    hierarchy: Future
    flat: Future
    least: int
    engine: Engine
    weightless: Chunks | None = None

    @property
    def futures(self) -> Iterator[Any]:
        """All that predictions and other selections begin with."""
        yield from self.fitted.tree.locals
        yield from self.contracted
        yield self.flat

    def reclustered(self, options: Options) -> Model:
        """The model with clusters that are selected by other options."""
        if options.min_cluster_size * self.fitted.tree.search.per < self.least:
            chunks = self.all_chunks, self.chunks, self.rows
            return clustered(self.fitted, *chunks, options, self.engine, self.weightless)
        flat = self.engine.submit(hierarchy.clusters, self.hierarchy, options, at=0)
        return replace(self, options=options, flat=flat)

    def _of_chunks(self, which: int) -> list[Future]:
        """One of the values of `hierarchy.of_partition` for every point, in the chunks of finite rows."""
        engine = self.engine
        numbers = range(len(self.contracted))
        values = [engine.submit(hierarchy.of_partition, self.flat, self.hierarchy, j, at=0) for j in numbers]
        points = [engine.submit(hierarchy.of_points, values[j], which, self.contracted[j], at=j) for j in numbers]
        return self._scattered(points)

    def _scattered(self, values: list[Future]) -> list[Future]:
        """Values of the points of every partition, in the chunks of finite rows."""
        locals_ = self.fitted.tree.locals
        rows = [self.engine.submit(rows_of, local, at=j) for j, local in enumerate(locals_)]
        return scatter_rows(self.engine, values, rows, self.chunks)

    def results(self) -> tuple[list[Future], list[Future], np.ndarray]:
        """Labels and probabilities in the caller's chunks, and the persistence of clusters, when they are complete.
        Those of rows of weight 0 are still to be written: see `all_results` in `prediction.py`."""
        engine = self.engine
        labels = spread(self._of_chunks(0), self.rows, -2, -3, engine)
        probabilities = spread(self._of_chunks(1), self.rows, 0, np.nan, engine)
        wait(labels, engine)
        (persistence,) = engine.gather([engine.submit(hierarchy.persistence, self.flat, at=0)])
        return labels, probabilities, persistence

    def cores(self) -> list[Future]:
        """Core distances in the caller's chunks."""
        cores = cores_in_chunks(self.fitted, self.chunks, self.engine)
        if cores is None:
            dtype = self.fitted.units.dtype
            cores = [self.engine.submit(_zeros, size, dtype) for size in self.chunks.sizes]
        return spread(cores, self.rows, np.nan, np.nan, self.engine)

    def condensed_tree(self) -> CondensedTree:
        """The condensed tree with the places of all points, in this process."""
        engine = self.engine
        condensed, selection = engine.gather([engine.submit(hierarchy.tree_on_host, self.flat, at=0)])[0]
        cluster, height = (np.concatenate(engine.gather(self._of_chunks(which))) for which in (2, 3))
        tree = _Expanded(condensed, cluster, height)
        kept = None
        if self.rows is not None:
            finite = engine.gather(self.rows)
            kept = np.concatenate([rows.kept + first for rows, first in zip(finite, self.all_chunks.offsets)])
        return CondensedTree(tree, selection, rows=kept, n=self.all_chunks.n, weights=self._weights())

    def _weights(self) -> Weights | None:
        """Weights of all points, in this process; None without weights."""
        engine, locals_, bits = self.engine, self.fitted.tree.locals, self.fitted.tree.search.bits
        if bits is None:
            return None
        units = [engine.submit(_units, local, at=j) for j, local in enumerate(locals_)]
        return Weights(np.concatenate(engine.gather(self._scattered(units))), bits)


def clustered(
    fitted: Fitted,
    all_chunks: Chunks,
    chunks: Chunks,
    rows: list[Future] | None,
    options: Options,
    engine: Engine,
    weightless: Chunks | None = None,
) -> Model:
    """The clusters of a tree; see `Model`."""
    tree, total = fitted.tree, chunks.n if chunks.weights is None else chunks.weights.total
    per = tree.search.per
    least = options.min_cluster_size * per if options.min_cluster_size * per <= total else 2
    if tree.search.norm.degree not in (1, 2):  # their heights are made ascending over the edges of all points
        least = 2
    contracted = [
        engine.submit(contraction.contracted, local, tree.joined, least, per, at=j)
        for j, local in enumerate(tree.locals)
    ]
    parts = [engine.submit(part, one, "vertices", at=j) for j, one in enumerate(contracted)]
    counted = None if tree.search.bits is None else per
    dendrogram = engine.submit(hierarchy.hierarchy, tree.locals[0], parts, tree.joined, fitted.units, counted, at=0)
    flat = engine.submit(hierarchy.clusters, dendrogram, options, at=0)
    all_chunks, chunks = all_chunks.without_source(), chunks.without_source()
    return Model(fitted, all_chunks, chunks, rows, options, contracted, dendrogram, flat, least, engine, weightless)


class _Expanded(Condensed):
    """A condensed tree that knows of each point only the cluster that it leaves, and the height."""

    def __init__(self, condensed: Condensed, cluster: np.ndarray, height: np.ndarray) -> None:
        self.__dict__.update(condensed.__dict__, cluster=cluster, _height=height)

    def leaving(self, points: Any = None, take: Any = None) -> tuple[Any, Any]:
        chosen = slice(None) if points is None else points
        return self.cluster[chosen], self._height[chosen]  # type: ignore[attr-defined]


def _units(ops: Backend, local: Local) -> Any:
    return local.partition.units


def _zeros(ops: Backend, size: int, dtype: Any) -> Any:
    return np.zeros(size, dtype)  # in main memory, as the core distances of other `min_samples`
