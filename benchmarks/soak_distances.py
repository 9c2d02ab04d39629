"""Clusterings of distances for `soak.py`: given ones, dense and sparse, and those of metrics that take a matrix."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import definition_sets
import dense_reference
import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from soak_cases import Case, same
from soak_points import attributes, parameters
from soak_sets import options_for, random_points

from emst import HDBSCANGPU
from emst.distances.matrices import distance_matrix
from emst.inputs.devices import to_host

FORMS = ("given", "missing", "sparse", "features", "sparse features")
METRICS = ("canberra", "braycurtis", "hamming", "correlation", "jaccard", "function")
ALPHAS = (0.5, 1.3, 3.0)


def function(a: np.ndarray, b: np.ndarray) -> float:
    return float(abs(a - b).sum())


class Distances(Case):
    """`HDBSCANGPU` of a matrix, with all its attributes."""

    def __init__(self, g: np.random.Generator) -> None:
        points, self.form = random_points(g, (1, 2, 3, 5), most=120), str(g.choice(FORMS))
        x = np.where(np.isfinite(points.x), points.x, 0).astype(np.float64)
        x /= abs(x).max(initial=0) or 1.0  # scikit-learn's distances are not made for extreme magnitudes
        name = str(g.choice(METRICS)) if self.form == "features" else "manhattan"
        metric = function if name == "function" else name
        given = self.form in ("given", "missing", "sparse")
        self.data: Any = x
        if self.form == "sparse features":
            self.data = sp.csr_array(x * (g.random(x.shape) < 0.7))
        if given:
            self.data = self.matrix = given_distances(self.form, x, g)
        else:
            self.matrix = np.full((len(x), len(x)), np.nan)
            with contextlib.suppress(ValueError):
                self.matrix = distance_matrix(self.data, metric)
        if self.form == "sparse":
            self.data = stored(self.matrix)
        self.k, self.alpha = points.k, float(g.choice(ALPHAS)) if g.random() < 0.3 else 1.0
        self.options, self.others = options_for(x, g), options_for(x, g)
        self.keywords = {"metric": "precomputed" if given else metric, "min_samples": self.k, "alpha": self.alpha}
        self.fault = self.fault_of(len(x))
        self.what = f"{points.what}, {self.form} of {name}, alpha {self.alpha}, {self.options}, then {self.others}"

    def fault_of(self, n: int) -> str | None:
        if n == 1:
            return "n_samples=1"
        if self.k > n:
            return r"min_samples \(\d+\) must be at most"
        if np.isnan(self.matrix).any():
            return "gives NaN"
        few = self.k > 1 and (np.isfinite(self.matrix).sum(axis=1) < self.k).any()
        return "There exists points with fewer than" if few and self.form == "sparse" else None

    def fit(self, device: str) -> HDBSCANGPU:
        return HDBSCANGPU(device=device, **self.keywords, **parameters(self.options)).fit(self.data)

    def results(self, fitted: HDBSCANGPU) -> dict[str, Any]:
        other = fitted.recluster(**parameters(self.others))
        return attributes(fitted) | {f"{name} again": value for name, value in attributes(other).items()}

    def by_definition(self, fitted: HDBSCANGPU) -> Iterator[tuple[str, bool]]:
        model = fitted._model
        edges, weights = to_host(model.edges), to_host(model.weights)
        expected = dense_reference.kruskal(self.matrix, self.k, self.alpha)
        for name, ours, theirs in zip(("edges", "weights", "core distances"), (edges, weights, model.core), expected):
            yield name, same(to_host(ours), theirs)
        case = definition_sets.Case("", np.zeros((len(weights) + 1, 1)), self.k, self.options)
        found = definition_sets.found(model.flat, model.ops)
        wrong = definition_sets.differences(found, definition_sets.expected(case, edges, weights))
        yield from ((name, False) for name in wrong)


def given_distances(form: str, x: np.ndarray, g: np.random.Generator) -> np.ndarray:
    """A matrix of distances; infinity marks those that are missing."""
    matrix = cdist(x, x, str(g.choice(["cityblock", "chebyshev"]))).astype(str(g.choice(["f8", "f4"])))
    if form != "given":
        gone = np.triu(g.random(matrix.shape) < g.choice([0.1, 0.6, 0.95]), 1)
        matrix[gone | gone.T] = np.inf
    return matrix


def stored(matrix: np.ndarray) -> sp.csr_array:
    """The distances that are not missing: zeros are stored, each pair in both directions, nothing on the diagonal."""
    rows, columns = np.nonzero(np.isfinite(matrix) & ~np.eye(len(matrix), dtype=bool))
    return sp.csr_array((matrix[rows, columns], (rows, columns)), shape=matrix.shape)
