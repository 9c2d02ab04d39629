"""What a fit leaves behind: the spanning tree and, made from it when asked for, the dendrogram and the clusters."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import issparse

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.backend.records import Array, Linkage
from emst.distances.metrics import Metric
from emst.hdbscan.index import PointIndex, index_of
from emst.hierarchy.condensed import condensed_tree
from emst.hierarchy.selection import Flat, Options, flat_clustering
from emst.inputs.devices import gpu_of, on_device_of, placed, to_host, usable_device
from emst.inputs.finite import FiniteRows
from emst.old_pickles import unreadable

MADE = frozenset({"linkage", "flat", "points", "index", "give"})  # not pickled, but made again


@dataclass(eq=False)
class Model:
    """The tree of m points, those of the caller's n rows that could be clustered. Arrays live on `device`.

    `fit` adds the dendrogram and the clusters. A pickle holds the spanning tree in host memory; what follows from it is
    made again when it is loaded, on a GPU if there is one then.
    """

    device: str
    metric: Metric
    min_samples: int
    alpha: float
    options: Options
    n: int
    rows: FiniteRows | None  # None if all rows were kept
    data: Any  # the caller's features: numpy, cupy or CSR; None where distances were given
    edges: Array  # int32[m - 1, 2]
    weights: Array  # T[m - 1], in the metric's units
    core: Array  # T[m], zeros for min_samples = 1
    give: Callable[[Array], Any]  # result -> the caller's kind of array
    linkage: Linkage | None = None  # the dendrogram; None for fewer than two points
    flat: Flat | None = None  # the clusters; None for fewer than two points

    @property
    def ops(self) -> Backend:
        """The operations that work on these arrays."""
        return backend_of(self.device)

    @property
    def kept(self) -> Array | None:
        """The caller's rows of the points, None if they are all rows."""
        return None if self.rows is None else self.rows.kept

    @property
    def has_features(self) -> bool:
        """Whether there are `points`: dense ones, not distances."""
        return self.data is not None and not issparse(self.data)

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Makes the GPU that holds the tree the current one."""
        return on_device_of(self.weights)

    @cached_property
    def points(self) -> Array:
        """What the tree was built over: the kept rows on the device, in the metric's image."""
        points = self.ops.asarray(self.data, self.core.dtype)
        if self.rows is not None:
            points = points[self.rows.kept]
        return points if self.metric.image is None else self.ops.asarray(self.metric.image(points), self.core.dtype)

    @cached_property
    def index(self) -> PointIndex:
        """Where new points look for the nearest, under a metric that is Euclidean in disguise."""
        return index_of(self.points, self.min_samples, self.ops)

    def prepare_queries(self) -> None:
        """Make what predictions read, where there are features and clusters to predict from."""
        if self.has_features and self.flat is not None:
            _ = self.index if self.metric.way == "tree" else self.points

    def rows_of(self, rows: Array) -> Array:
        """Some of the caller's rows, where they lie."""
        with on_device_of(self.data):
            return self.data[placed(rows, gpu_of(self.data))]

    def labels(self) -> Array:
        """int64[n]: -1 for noise, -2 and -3 for rows that stood aside."""
        return self.spread(self.of_none(-1, np.int64) if self.flat is None else self.flat.labels, -2, -3)

    def probabilities(self) -> Array:
        """float64[n]: 0 for noise and rows with infinite values, NaN for rows with missing ones."""
        return self.spread(self.of_none(0, np.float64) if self.flat is None else self.flat.probabilities, 0, np.nan)

    def cores(self) -> Array:
        """T[n]: distance to the `min_samples`-th nearest, NaN for rows that stood aside."""
        return self.spread(self.core, np.nan, np.nan)

    def spread(self, values: Array, infinite: float, missing: float) -> Array:
        """Values of the points in their places among the caller's rows."""
        return values if self.rows is None else self.rows.spread(values, infinite, missing)

    def of_none(self, value: float, dtype: Any) -> Array:
        """What every point gets where there are no clusters."""
        return np.full_like(self.core, value, dtype=dtype)

    def reclustered(self, options: Options) -> Model:
        """Other clusters of the same dendrogram."""
        if self.linkage is None:
            return replace(self, options=options)
        condensed = condensed_tree(self.linkage, options.min_cluster_size, options.persistence, self.ops)
        return replace(self, options=options, flat=flat_clustering(condensed, options, self.ops))

    def __getstate__(self) -> dict[str, Any]:
        return {name: on_host(value) for name, value in self.__dict__.items() if name not in MADE}

    def __setstate__(self, state: dict[str, Any]) -> None:
        missing = {field.name for field in fields(self)} - MADE - state.keys()
        if missing:
            raise unreadable(f"the pickled model lacks {', '.join(sorted(missing))}")
        self.__dict__.update(state, flat=None, give=to_host, device=usable_device(state["device"]))
        for name in ("edges", "weights", "core"):
            setattr(self, name, self.ops.asarray(getattr(self, name)))
        if self.rows is not None:
            self.rows = self.rows.mapped(self.ops.asarray)
        self.linkage = self.ops.linkage(self.edges, self.weights) if len(self.weights) else None
        self.flat = self.reclustered(self.options).flat


def on_host(value: Any) -> Any:
    """An attribute as it goes into a pickle."""
    if isinstance(value, FiniteRows):
        return value.mapped(to_host)
    return to_host(value) if hasattr(value, "__cuda_array_interface__") else value
