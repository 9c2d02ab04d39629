"""What a fit keeps: the spanning tree, the dendrogram and the clusters, and what predictions read."""

from __future__ import annotations

import contextlib
import pickle
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
from emst.hdbscan.constraints import ConstraintCounts
from emst.hdbscan.index import PointIndex, index_of
from emst.hierarchy.condensed import condensed_tree
from emst.hierarchy.constraints import Constraints
from emst.hierarchy.leaves import settled
from emst.hierarchy.selection import FlatClustering, Options, flat_clustering
from emst.inputs.devices import gpu_of, on_device_of, placed, to_host, usable_device
from emst.inputs.finite import FiniteRows
from emst.inputs.weights import Weights
from emst.weighted import NEVER, Copies, linkage_of_copies

MADE = frozenset(
    {"linkage", "first_round", "flat", "points", "index", "give", "give_rows", "weightless", "source"}
)  # not pickled, but made again
MERGES = "equal heights at once"  # pickled too: clusters made again by another rule would not be those of `labels_`


def _nothing(stage: str, result: Array) -> None:
    """For callers that are not told what is done."""


@dataclass(eq=False)
class Model:
    """The spanning tree of m points, those of the caller's n rows that are finite, and what follows from it.

    Arrays live on `device`. A fit makes the model with the spanning tree, then adds the dendrogram and the clusters. A
    pickle holds the spanning tree, in host memory; the rest is computed again when the pickle is read, on the current
    GPU if the model was on a GPU and there is one.
    """

    device: str
    metric: Metric
    min_samples: int
    alpha: float
    options: Options
    n: int  # number of the caller's rows
    edges: Array  # int32[m - 1, 2]
    weights: Array  # T[m - 1], in the metric's units
    core: Array  # T[m], zeros for min_samples = 1
    give: Callable[[Array], Any]  # result -> the caller's kind of array
    rows: FiniteRows | None = None  # None if all rows are finite
    source: Callable[[], Any] | None = None  # gives `data`, the same in each call; None for distances
    linkage: Linkage | None = None  # the dendrogram; None for fewer than two points
    first_round: Any = None  # what the dendrogram can begin with; see `sorted_edges` of the operations
    constraints: Constraints | None = None  # what the clusters are selected by, beside stability
    flat: FlatClustering | None = None  # the clusters; None for fewer than two points
    row_weights: Weights | None = None  # of the m points; None if every row is one
    total: int = 0  # units of all n rows together, with `row_weights`
    copies: Copies | None = None  # edges between copies of a row; None without `row_weights`
    give_rows: Callable[[Array], Any] | None = None  # `give` for values of all rows; None for `give`
    weightless: Any = None  # how the rows of weight 0 would join the points, once it is known: see `weightless.py`

    @property
    def data(self) -> Any:
        """The caller's features: numpy, cupy or CSR; None for distances."""
        return None if self.source is None else self.source()

    @property
    def ops(self) -> Backend:
        """The operations that work on these arrays."""
        return backend_of(self.device)

    def give_values(self, values: Array) -> Any:
        """Values of all rows as the caller's kind of array."""
        return (self.give_rows or self.give)(values)

    @property
    def kept(self) -> Array | None:
        """Row of each point among the caller's rows; None if all rows are points."""
        return None if self.rows is None else self.rows.kept

    @property
    def has_features(self) -> bool:
        """Whether the model was fitted to dense features, so that there are `points`."""
        return self.data is not None and not issparse(self.data)

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Makes the GPU that holds the tree the current one."""
        return on_device_of(self.weights)

    @cached_property
    def points(self) -> Array:
        """The points of the tree, T[m, d]: the rows that are finite, in the metric's image."""
        return self.images(None if self.rows is None else self.rows.kept)

    def images(self, rows: Array | None) -> Array:
        """Some of the caller's rows, or all, in the metric's image."""
        points = self.ops.asarray(self.data, self.core.dtype)
        if rows is not None:
            points = points[rows]
        return points if self.metric.image is None else self.ops.asarray(self.metric.image(points), self.core.dtype)

    @property
    def searches(self) -> bool:
        """Whether predictions search the `index`, and do not compare all pairs."""
        return self.metric.way == "tree"

    @property
    def core_factor(self) -> float:
        """See `Metric.core_factor`."""
        return self.metric.core_factor(self.alpha, self.min_samples, self.core.dtype)

    def searched(self, points: Array) -> Array:
        """Points in the dtype that the search compares them in."""
        return self.ops.asarray(points, self.metric.searched_in(self.core.dtype))

    @cached_property
    def index(self) -> PointIndex:
        """The hierarchy of boxes that predictions search."""
        points = self.searched(self.points)
        return index_of(points, self.metric.norm, self.min_samples, self.core_factor, self.row_weights, self.ops)

    def prepare_queries(self) -> None:
        """Compute what predictions read, if the model can predict and has clusters."""
        if self.has_features and self.flat is not None:
            _ = self.index if self.searches else self.points

    def rows_of(self, rows: Array) -> Array:
        """Some of the caller's rows of features, on the caller's device."""
        with on_device_of(self.data):
            return self.data[placed(rows, gpu_of(self.data))]

    def constraint_counts(self) -> ConstraintCounts | None:
        """How many constraints the clusters satisfy; None if there are no constraints."""
        if self.constraints is None:
            return None
        labels = self.of_none(-1, np.int64) if self.flat is None else self.flat.labels
        satisfied, total = self.constraints.satisfied(labels), self.constraints.total
        return ConstraintCounts(satisfied, total - satisfied, total)

    def cores(self) -> Array:
        """T[n]: distance to the `min_samples`-th nearest, NaN for rows that are not finite."""
        return self.spread(self.core, np.nan, np.nan)

    def spread(self, values: Array, infinite: float, missing: float) -> Array:
        """Values of the points, T[m], at their places among the caller's rows, T[n]; see `FiniteRows.spread`."""
        return values if self.rows is None else self.rows.spread(values, infinite, missing)

    def of_none(self, value: float, dtype: Any) -> Array:
        """One value for every point: the result where there are no clusters."""
        return np.full_like(self.core, value, dtype=dtype)

    def dendrogram(self, least: int) -> Linkage | None:
        """The dendrogram, for clusters of at least `least` points; None for fewer than two points."""
        if self.row_weights is None or self.copies is None:
            first_round, self.first_round = self.first_round, None  # it is of use once
            return self.ops.linkage(self.edges, self.weights, first_round=first_round) if len(self.weights) else None
        if len(self.core) == 1 and least < NEVER:  # copies of one row are all in one cluster
            least = 0
        if len(self.core) == 0:
            return None
        tree = (self.edges, self.weights, self.copies, self.row_weights)
        linkage = linkage_of_copies(*tree, min(least * self.per, NEVER), self.ops)
        return linkage if linkage.n > 1 else None

    def weights_of_points(self) -> np.ndarray | None:
        """Weights of the m points, on the host: whole numbers, or float64; None if every row is one."""
        return None if self.row_weights is None else to_host(self.row_weights.real(self.row_weights.units))

    def heights_of_copies(self) -> np.ndarray | None:
        """The height at which the copies of each point join, T[m] on the host; infinite for weights below 2."""
        if self.copies is None:
            return None
        heights = np.full(len(self.core), np.inf, self.core.dtype)
        heights[to_host(self.copies.rows)] = to_host(self.copies.heights)
        return heights

    def dendrogram_of_rows(self) -> Linkage:
        """The dendrogram without second vertices of rows. Sizes are weights."""
        assert self.flat is not None
        if self.row_weights is None:
            return self.flat.condensed.linkage
        linkage = self.dendrogram(NEVER) or self.ops.linkage(self.edges, self.weights)
        return replace(linkage, size=self.row_weights.real(linkage.size))

    @property
    def per(self) -> int:
        """Units of the weights that one point is."""
        return 1 if self.row_weights is None else self.row_weights.per

    def in_units(self, options: Options) -> Options:
        """The options of a selection, with sizes in units of the weights."""
        if self.per == 1:
            return options
        most = options.max_cluster_size
        return replace(options, max_cluster_size=None if most is None else most * self.per)

    def clustered(self, options: Options, done: Callable[[str, Array], None] = _nothing) -> Model:
        """The model with clusters that are selected by these options. ``done(stage, array)`` is called after stages."""
        linkage = self.linkage
        if linkage is None or (
            self.row_weights is not None and options.min_cluster_size < self.options.min_cluster_size
        ):
            linkage = self.dendrogram(options.min_cluster_size)
        if linkage is None:
            return replace(self, options=options)
        done("dendrogram", linkage.height)
        options = settled(options, linkage, self.ops)
        least, persistence = options.min_cluster_size * self.per, options.persistence
        condensed = condensed_tree(linkage, least, persistence, self.ops, len(self.core))
        done("condensed tree", condensed.linkage.height)
        flat = flat_clustering(condensed, self.in_units(options), self.ops, self.constraints)
        done("clusters and labels", flat.labels)
        return replace(self, options=options, linkage=linkage, flat=flat)

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: on_host(value) for name, value in self.__dict__.items() if name not in MADE}
        return kept | {"data": on_host(self.data), "merges": MERGES}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        missing = {"data", *(field.name for field in fields(self))} - MADE - state.keys()
        if missing:
            raise _unreadable(f"the pickled model lacks {', '.join(sorted(missing))}")
        if state.pop("merges", None) != MERGES:
            raise _unreadable("the pickled model merges equal heights two at a time")
        data = state.pop("data")
        self.source = None if data is None else always(data)
        self.__dict__.update(
            state, linkage=None, flat=None, give=to_host, give_rows=None, device=usable_device(state["device"])
        )
        for name in ("edges", "weights", "core"):
            setattr(self, name, self.ops.asarray(getattr(self, name)))
        if self.copies is not None:
            self.copies = Copies(*map(self.ops.asarray, self.copies))
        if self.rows is not None:
            self.rows = self.rows.mapped(self.ops.asarray)
        if self.constraints is not None:
            self.constraints = self.constraints.mapped(self.ops.asarray)
        made = self.clustered(self.options)
        self.linkage, self.flat = made.linkage, made.flat


def always(value: Any) -> Callable[[], Any]:
    """A function that gives this value."""
    return lambda: value


def _unreadable(why: str) -> pickle.UnpicklingError:
    """The error for a model that another version has pickled."""
    from emst import __version__

    return pickle.UnpicklingError(f"{why}: emst {__version__} cannot read what another version has pickled; fit again")


def on_host(value: Any) -> Any:
    """An attribute in the form that is pickled: arrays on the host."""
    if isinstance(value, (FiniteRows, Constraints)):
        return value.mapped(to_host)
    if isinstance(value, Copies):
        return Copies(*map(to_host, value))
    return to_host(value) if hasattr(value, "__cuda_array_interface__") else value
