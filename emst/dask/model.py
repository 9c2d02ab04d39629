"""What a fit of a clustering keeps: futures of the tree, the dendrogram and the clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from distributed import Future

from emst.backend.records import Condensed
from emst.dask import contract, hierarchy
from emst.dask.cluster import Cluster
from emst.dask.finite import spread
from emst.dask.fitting import Fitted, without_source
from emst.dask.inputs import Chunks
from emst.dask.outputs import dask_array, scatter_rows
from emst.distances.metrics import Metric
from emst.hdbscan.trees import CondensedTree
from emst.hierarchy import scores
from emst.hierarchy.selection import FlatClustering, Options


class Model:
    """A fitted tree and the clusters that were selected from it. Futures keep both on the workers."""

    def __init__(
        self,
        fitted: Fitted,
        given: Chunks,
        chunks: Chunks,
        rows: list[Future] | None,
        metric: Metric,
        alpha: float,
        k: int,
        options: Options,
        cluster: Cluster,
        known: Future | None = None,
        contracted: list[Future] | None = None,
        least: int = 0,
    ) -> None:
        self.fitted, self.given, self.chunks, self.rows = fitted, without_source(given), without_source(chunks), rows
        self.metric, self.alpha, self.k, self.options, self.cluster = metric, alpha, k, options, cluster
        if known is None or contracted is None or options.min_cluster_size < least:
            least = options.min_cluster_size if options.min_cluster_size <= chunks.n else 2
            if fitted.tree.norm.degree not in (1, 2):  # their heights are made ascending over the edges of all points
                least = 2
            known, contracted = self._hierarchy(least)
        self.hierarchy, self.contracted, self.least = known, contracted, least
        self.flat = cluster.submit(hierarchy.clusters, known, options, at=0)

    def _hierarchy(self, least: int) -> tuple[Future, list[Future]]:
        tree, cluster = self.fitted.tree, self.cluster
        contracted = [
            cluster.submit(contract.contracted, local, place, tree.joined, least, at=place.number)
            for local, place in zip(tree.locals, tree.places)
        ]
        parts = [cluster.submit(hierarchy.part_of, own, at=j) for j, own in enumerate(contracted)]
        rest = (self.metric, self.alpha, self.fitted.dtype, tree.norm.degree)
        return cluster.submit(hierarchy.hierarchy, tree.locals[0], parts, tree.joined, *rest, at=0), contracted

    @property
    def core_factor(self) -> float:
        """See `Metric.core_factor`."""
        return self.metric.core_factor(self.alpha, self.k, self.fitted.dtype)

    @property
    def lost(self) -> bool:
        """Whether part of the model went down with a worker, and Dask cannot compute it again."""
        return any(future.cancelled() for future in [*self.fitted.tree.locals, *self.contracted, self.flat])

    def reclustered(self, options: Options) -> Model:
        """The model with clusters that are selected by other options."""
        return Model(
            self.fitted, self.given, self.chunks, self.rows, self.metric, self.alpha, self.k, options, self.cluster,
            self.hierarchy, self.contracted, self.least,
        )  # fmt: skip

    def _of_chunks(self, which: int) -> list[Future]:
        """One of the values of `hierarchy.of_partition` for every point, in the chunks of finite rows."""
        cluster = self.cluster
        numbers = range(len(self.contracted))
        values = [cluster.submit(hierarchy.of_partition, self.flat, self.hierarchy, j, at=0) for j in numbers]
        points = [cluster.submit(hierarchy.of_points, values[j], which, self.contracted[j], at=j) for j in numbers]
        rows = [cluster.submit(hierarchy.rows_of, local, at=j) for j, local in enumerate(self.fitted.tree.locals)]
        return scatter_rows(cluster, points, rows, self.chunks)

    def results(self) -> tuple[Any, Any, np.ndarray]:
        """Labels, probabilities, and the persistence of clusters, when they are complete."""
        cluster = self.cluster
        labels = spread(self._of_chunks(0), self.rows, -2, -3, cluster)
        probabilities = spread(self._of_chunks(1), self.rows, 0, np.nan, cluster)
        cluster.wait(labels)
        (persistence,) = cluster.gather([cluster.submit(_persistence, self.flat, self.hierarchy, at=0)])
        return (
            dask_array(labels, self.given.row_chunks, np.int64),
            dask_array(probabilities, self.given.row_chunks, np.float64),
            persistence,
        )

    def cores(self) -> Any:
        """Core distances in the chunks of the input."""
        dtype, cores = self.fitted.dtype, self.fitted.cores
        if cores is None:
            cores = [self.cluster.submit(_zeros, size, dtype) for size in self.chunks.sizes]
        return dask_array(spread(cores, self.rows, np.nan, np.nan, self.cluster), self.given.row_chunks, dtype)

    def condensed_tree(self) -> CondensedTree:
        """The condensed tree with the places of all points, in this process."""
        cluster = self.cluster
        condensed, selection = cluster.gather([cluster.submit(hierarchy.tree_on_host, self.flat, at=0)])[0]
        found = [np.concatenate(cluster.gather(self._of_chunks(which))) for which in (2, 3)]
        tree = _Expanded(condensed, *found)
        kept = None
        if self.rows is not None:
            own = cluster.gather(self.rows)
            kept = np.concatenate([rows.kept + first for rows, first in zip(own, self.given.offsets)])
        return CondensedTree(tree, selection, rows=kept, n=self.given.n)


class _Expanded(Condensed):
    """A condensed tree whose points are given by the clusters and heights at which they leave."""

    def __init__(self, condensed: Condensed, cluster: np.ndarray, height: np.ndarray) -> None:
        self.__dict__.update(condensed.__dict__, cluster=cluster, _height=height)

    def leaving(self, points: Any = slice(None)) -> tuple[Any, Any]:
        return self.cluster[points], self._height[points]  # type: ignore[attr-defined]


def _persistence(ops: Any, flat: FlatClustering, known: hierarchy.Hierarchy) -> np.ndarray:
    return scores.persistence(flat, known.sizes)


def _zeros(ops: Any, size: int, dtype: Any) -> Any:
    return ops.xp.zeros(size, dtype)
