"""Trees, clusterings and predictions of random points, for `soak.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import definition_sets
import numpy as np
import reference
from definition_sets import PARAMETERS
from helpers import expected_tree
from joining_reference import expected_prediction
from norms_reference import wrapped_points
from soak_cases import MANY_MORE, Case, at_home, same
from soak_sets import (
    HEAVY,
    Points,
    on_sphere,
    options_for,
    random_metric,
    random_period,
    random_points,
    with_bad_rows,
)

from emst import (
    EMST,
    HDBSCANGPU,
    BranchDetector,
    all_points_membership_vectors,
    approximate_predict,
    approximate_predict_scores,
    membership_vector,
    validity_index,
)
from emst.backend.records import EUCLIDEAN
from emst.distances.metrics import Metric, metric_of, zero_rows
from emst.hdbscan.branches.prediction import approximate_predict_branch
from emst.inputs.devices import to_host
from emst.inputs.points import float_of
from emst.spanning import heights

ALPHAS = (0.5, 0.7, 1.3, 2.0)


class _OfPoints(Case):
    """A set, a metric that the tree search supports, and the dtype to compute in."""

    def __init__(self, g: np.random.Generator, alpha: float = 1.0, most: int = 2000) -> None:
        name, params, dimensions = random_metric(g)
        points = random_points(g, dimensions, most)
        if name == "haversine":
            points = on_sphere(points, params)
        if g.random() < 0.1:  # so many sets have rows that are not finite
            points = with_bad_rows(points, g)
        self.points: Points = points
        params = (params or {}) | random_period(name, points.x, g) or None
        self.dtype = g.choice([None, np.float32, np.float64], p=[0.7, 0.15, 0.15])
        self.alpha = alpha
        self.metric: Metric = metric_of(name, params, algorithm="auto", alpha=alpha, sparse=False)
        self.keywords: dict[str, Any] = {
            "metric": name, "metric_params": params, "min_samples": points.k, "dtype": self.dtype,
        }  # fmt: skip
        with np.errstate(over="ignore"):
            self.x = points.x.astype(float_of(points.x.dtype, self.dtype))  # as emst reads it
        self.kept = self.x[np.isfinite(self.x).all(axis=1)]
        if self.metric.box is not None:  # a cluster may be as wide as the box, or lie at its side, where 0 is L
            self.unsettled = frozenset({"centroids"})
        self.exact = self.metric.way == "matrix" or self.metric.image is None or self.metric.box is not None
        self.many = bool(g.random() < 0.4)
        names = [name for ways in MANY_MORE.values() for name in ways]
        self.many_more = frozenset(name for name in names if g.random() < 0.5)
        self.what = f"{points.what}, {name} {params or ''}, dtype {self.dtype and self.dtype.__name__}"

    @property
    def expected(self) -> str | None:
        overflows = bool((np.isfinite(self.points.x) & ~np.isfinite(self.x)).any())
        faults = [self.fault] if self.fault else []
        return "|".join([*faults, *(["beyond the range of float32"] if overflows else [])]) or None

    def kruskals(self) -> tuple[np.ndarray, np.ndarray]:
        """Edges and weights of the tree of the finite rows under the total order, by Kruskal's algorithm."""
        dtype = self.metric.computed_in(self.x.dtype, self.dtype)
        x = self.points.x.astype(dtype)
        x = x[np.isfinite(x).all(axis=1)]
        metric = self.metric.of_columns(x.shape[1], dtype)
        if metric.box is not None:
            x = wrapped_points(x, [0.0 if length == np.inf else length for length in metric.box.period])
        elif metric.image is not None:
            x = metric.image(x).astype(dtype)
        factor = self.metric.core_factor(self.alpha, self.points.k, dtype)
        edges, weights = expected_tree(x.astype(self.metric.searched_in(dtype)), self.points.k, metric.norm, factor)
        return edges, heights(weights, self.metric, self.alpha, dtype, reference)


class Trees(_OfPoints):
    """`EMST`, and the cuts of its tree."""

    def __init__(self, g: np.random.Generator, most: int = 2000) -> None:
        super().__init__(g, most=most)
        n, k = len(self.x), self.points.k
        if k > n:
            self.fault = "min_samples must be between 1 and the number of points"
        elif len(self.kept) < n:
            self.fault = "contains NaN or infinity"
        elif self.keywords["metric"] == "cosine" and zero_rows(self.x).any():
            self.fault = "rows of zeros"
        self.share, self.least = g.random(), int(g.integers(1, 9))

    def fit(self, device: str) -> EMST:
        return EMST(device=device, **self.keywords).fit(self.points.x)

    def results(self, fitted: EMST) -> dict[str, Any]:
        weights = to_host(fitted.weights_)
        height = float(weights[int(self.share * len(weights))]) if len(weights) else 1.0
        return at_home(
            edges=fitted.edges_,
            weights=weights,
            core_distances=getattr(fitted, "core_distances_", None),
            linkage=fitted.linkage(),
            cut=fitted.cut(height, self.least),
            labels_at=fitted.labels_at([height, 0.0]),
        )

    def by_definition(self, fitted: EMST) -> Iterator[tuple[str, bool]]:
        edges, weights = self.kruskals()
        rounded = fitted.device_ == "cuda" and not self.exact
        yield "edges", rounded or same(to_host(fitted.edges_), edges)
        yield "weights", rounded or same(to_host(fitted.weights_), weights)


class Boxes(Trees):
    """`EMST` of points in a periodic box."""

    def __init__(self, g: np.random.Generator) -> None:
        while True:
            self.fault = None
            super().__init__(g, most=200)
            if self.metric.box is not None:
                break


class Labels(_OfPoints):
    """`HDBSCANGPU` with all its attributes, and its clusters selected again by other options."""

    def __init__(self, g: np.random.Generator, most: int = 2000) -> None:
        super().__init__(g, float(g.choice(ALPHAS)) if g.random() < 0.2 else 1.0, most)
        n, m, k = len(self.x), len(self.kept), self.points.k
        zeros = self.keywords["metric"] == "cosine" and bool(zero_rows(self.kept).any())
        if zeros:
            self.metric = self.metric.by_matrix("rows of zeros have no direction")
            self.exact = False
        if n == 1:
            self.fault = "n_samples=1"
        elif k > n or k > m > 1:
            self.fault = r"min_samples \(\d+\) must be at most|which is fewer than min_cluster_size"
        self.options, self.others = (options_for(self.kept, g) for _ in range(2))
        self.centers = str(g.choice(["centroid", "medoid", "both"])) if g.random() < 0.15 else None
        self.share, self.least = g.random(), int(g.integers(1, 9))
        self.keywords |= {
            "alpha": self.alpha,
            "store_centers": self.centers,
            "algorithm": str(g.choice(["auto", "brute"])),
            "leaf_size": int(g.integers(1, 60)),
            "copy": bool(g.integers(2)),
            "prediction_data": bool(g.integers(2)),
            **parameters(self.options),
        }
        if g.random() < 0.1 and self.options["min_cluster_size"] == k:
            self.keywords["min_samples"] = None
        self.what += f", alpha {self.alpha}, {self.options}, centers {self.centers}, then {self.others}"

    def fit(self, device: str) -> HDBSCANGPU:
        return HDBSCANGPU(device=device, **self.keywords).fit(self.points.x)

    def results(self, fitted: HDBSCANGPU) -> dict[str, Any]:
        other = fitted.recluster(**parameters(self.others))
        found = attributes(fitted) | {f"{name} again": value for name, value in attributes(other).items()}
        weights = to_host(fitted._model.weights)
        height = float(weights[int(self.share * len(weights))]) if len(weights) else 1.0
        return found | at_home(cut=fitted.dbscan_clustering(height, self.least))

    def by_definition(self, fitted: HDBSCANGPU) -> Iterator[tuple[str, bool]]:
        model = fitted._model
        if model.flat is None:
            return
        edges, weights = to_host(model.edges), to_host(model.weights)
        if self.metric.way == "tree":
            rounded, expected = model.device == "cuda" and not self.exact, self.kruskals()
            yield "edges", rounded or same(edges, expected[0])
            yield "weights", rounded or same(weights, expected[1])
        case = definition_sets.Case("", self.kept, self.points.k, self.options)
        found = definition_sets.found(model.flat, model.ops)
        wrong = definition_sets.differences(found, definition_sets.expected(case, edges, weights))
        yield from ((name, False) for name in wrong)


class Predictions(Labels):
    """Labels, probabilities, scores and memberships of new points, and of the training points."""

    def __init__(self, g: np.random.Generator) -> None:
        super().__init__(g, most=300)
        self.keywords["store_centers"] = None
        self.queries = _around(self, g)
        self.batch = int(g.integers(1, 50)) if g.random() < 0.3 else None
        self.what += f", {len(self.queries)} new points"

    def results(self, fitted: HDBSCANGPU) -> dict[str, Any]:
        labels, probabilities, neighbors = approximate_predict(fitted, self.queries, return_connecting_points=True)
        found = at_home(
            labels=labels,
            probabilities=probabilities,
            neighbors=neighbors,
            scores=approximate_predict_scores(fitted, self.queries),
        )
        vectors = membership_vector(fitted, self.queries, self.batch)
        return found | {
            "memberships": np.concatenate([to_host(vectors), to_host(all_points_membership_vectors(fitted))])
        }

    def by_definition(self, fitted: HDBSCANGPU) -> Iterator[tuple[str, bool]]:
        labels, probabilities = approximate_predict(fitted, self.points.x)
        yield "labels of the training points", same(to_host(labels), to_host(fitted.labels_))
        yield "probabilities of the training points", same(to_host(probabilities), to_host(fitted.probabilities_))
        plain = self.metric.norm == EUCLIDEAN and self.metric.height is None and self.metric.way == "tree"
        sizes = abs(self.kept).max(initial=0)
        if plain and self.alpha == 1 and self.points.shape not in HEAVY and 1e-6 < sizes < 1e9 and len(self.kept) > 1:
            kept = np.flatnonzero(np.isfinite(self.queries).all(axis=1) & (abs(self.queries) < 1e15).all(axis=1))
            queries = self.queries[kept].astype(self.kept.dtype)
            found = approximate_predict(fitted, queries, return_connecting_points=True)
            expected = expected_prediction(fitted, self.kept, queries, self.points.k)
            rows = np.flatnonzero(np.isfinite(self.x).all(axis=1))
            for name, ours, theirs in zip(("labels", "probabilities", "neighbors"), found, expected):
                yield name, np.array_equal(to_host(ours), rows[theirs] if name == "neighbors" else theirs)


class Branches(Labels):
    """Branches of the clusters, and the validity of the clusters."""

    def __init__(self, g: np.random.Generator) -> None:
        super().__init__(g, most=80)
        self.detector = {
            "branch_detection_method": str(g.choice(["core", "full"])),
            "label_sides_as_branches": bool(g.integers(2)),
            "min_cluster_size": int(g.integers(2, 8)) if g.random() < 0.7 else None,
            "allow_single_cluster": bool(g.integers(2)) if g.random() < 0.5 else None,
            "cluster_selection_method": str(g.choice(["eom", "leaf"])) if g.random() < 0.5 else None,
            "cluster_selection_persistence": float(g.choice([0, 0, 0.1])),
        }
        self.raw = bool(g.integers(2))
        self.what += f", {self.detector}"

    def results(self, fitted: HDBSCANGPU) -> dict[str, Any]:
        detector = BranchDetector(**self.detector).fit(fitted)
        found = at_home(
            labels=detector.labels_,
            probabilities=detector.probabilities_,
            branch_labels=detector.branch_labels_,
            branch_probabilities=detector.branch_probabilities_,
            centralities=detector.centralities_,
        )
        found["persistence"] = list(map(to_host, detector.branch_persistences_))
        found["new points"] = list(map(to_host, approximate_predict_branch(detector, self.points.x)))
        if len(self.kept):
            labels = to_host(fitted.labels_)[np.isfinite(self.x).all(axis=1)]
            options = {"per_cluster_scores": True, "mst_raw_dist": self.raw, "device": fitted.device_}
            found["validity"] = list(validity_index(self.kept, labels, **options))
        return found


def parameters(options: dict[str, Any]) -> dict[str, Any]:
    return {PARAMETERS[name]: value for name, value in options.items()}


def attributes(fitted: HDBSCANGPU) -> dict[str, Any]:
    """All that a clustering has."""
    model = fitted._model
    found = at_home(
        labels=fitted.labels_,
        probabilities=fitted.probabilities_,
        core_distances=fitted.core_distances_,
        scores=fitted.outlier_scores_,
        persistence=fitted.cluster_persistence_,
        edges=model.edges,
        weights=model.weights,
        centroids=getattr(fitted, "centroids_", None),
        medoids=getattr(fitted, "medoids_", None),
    )
    found["validity"], found["exemplars"] = fitted.relative_validity_, fitted.exemplar_indices_
    if model.flat is not None:
        trees = (fitted.condensed_tree_, fitted.single_linkage_tree_, fitted.minimum_spanning_tree_)
        found |= zip(("condensed tree", "dendrogram", "spanning tree"), (tree.to_numpy() for tree in trees))
    return found


def _around(case: Labels, g: np.random.Generator) -> np.ndarray:
    """New points: equal to the old ones, near them, between them, far away, and some that are not finite."""
    x = case.kept if len(case.kept) else np.zeros((1, case.x.shape[1]))
    m = int(g.integers(1, 40))
    a, b = x[g.integers(0, len(x), (2, m))].astype(np.float64)
    parts = [a[: m // 3], a * 0.5 + b * 0.5]
    if case.keywords["metric"] != "haversine":  # places beyond a pole are errors
        near = a + g.normal(0, 0.1, a.shape) * abs(a - b)
        parts += [near, 1e3 * b[:2] - a[:2], g.choice([1e30, -1e30, 1.0], (1, x.shape[1]))]
    queries = np.concatenate(parts)
    if case.points.x.dtype.kind == "f" and g.random() < 0.2:
        queries[g.integers(0, len(queries), 2), 0] = g.choice([np.nan, np.inf], 2)
    with np.errstate(over="ignore", invalid="ignore"):
        queries = queries.astype(case.points.x.dtype)
    if case.keywords["metric"] == "cosine":
        queries = queries[abs(queries).max(axis=1) > 0]
    return queries if len(queries) else x[:1].astype(case.points.x.dtype)
