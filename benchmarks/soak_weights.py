"""Random weights of random points against as many copies of the rows, for `soak.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from soak_cases import same
from soak_points import Labels, attributes, parameters

from emst import HDBSCANGPU, approximate_predict, approximate_predict_scores
from emst.distances.metrics import zero_rows
from emst.inputs.devices import to_host

MOST_POINTS = 150
OF_ROWS = ("labels", "probabilities", "core distances", "scores")


class Weights(Labels):
    """`HDBSCANGPU` with a whole number of copies of every row, and its clusters selected again by other options."""

    def __init__(self, g: np.random.Generator) -> None:
        while True:  # until two rows can be clustered, by the tree search
            super().__init__(g, most=MOST_POINTS)
            self.weights = g.integers(g.integers(2), g.choice([2, 4, 9, 30]), len(self.x))
            weighing = np.isfinite(self.x).all(axis=1) & (self.weights > 0)
            zeros = self.keywords["metric"] == "cosine" and zero_rows(self.x[weighing]).any()
            found = self.metric.way == "tree" and weighing.sum() > 1 and self.weights[weighing].sum() >= self.points.k
            if found and not zeros:
                break
        if self.keywords["metric"] == "cosine" and zero_rows(self.kept).any():
            self.fault = "rows of zeros|sample_weight needs"
        else:
            self.fault = None
        self.keywords["store_centers"] = None
        self.queries = self.kept[: int(g.integers(1, 20))].astype(self.points.x.dtype)
        self.what += f", weights of {int(self.weights.sum())} in all"

    def fit(self, device: str) -> HDBSCANGPU:
        return HDBSCANGPU(device=device, **self.keywords).fit(self.points.x, sample_weight=self.weights)

    def by_definition(self, fitted: HDBSCANGPU) -> Iterator[tuple[str, bool]]:
        copies = np.repeat(np.arange(len(self.x)), self.weights)
        of_copies = HDBSCANGPU(device=fitted.device_, **self.keywords).fit(self.points.x[copies])
        for again, ours, theirs in (
            ("", fitted, of_copies),
            (" again", *(model.recluster(**parameters(self.others)) for model in (fitted, of_copies))),
        ):
            yield from ((name + again, alike) for name, alike in self.compared(ours, theirs, copies))

    def compared(self, ours: HDBSCANGPU, theirs: HDBSCANGPU, copies: np.ndarray) -> Iterator[tuple[str, bool]]:
        """Names of results, and whether those of the rows are those of their copies."""
        rows, silent = np.flatnonzero(self.weights), np.flatnonzero(self.weights == 0)
        first = np.searchsorted(copies, rows)
        a, b = attributes(ours), attributes(theirs)
        yield from ((name, same(a[name][rows], b[name][first])) for name in OF_ROWS)
        yield from ((name, same(a[name], b[name])) for name in ("persistence", "validity"))
        yield "clusters", same(clusters_of(ours), clusters_of(theirs))
        exemplars = [np.array(list(dict.fromkeys(copies[rows].tolist()))) for rows in map(to_host, b["exemplars"])]
        yield "exemplars", all(map(np.array_equal, map(to_host, a["exemplars"]), exemplars))
        height = float(to_host(ours._model.weights)[int(self.share * len(ours._model.weights))])
        cuts = [
            to_host(model.dbscan_clustering(height, self.least))[at] for model, at in ((ours, rows), (theirs, first))
        ]
        # If a single point can be a cluster, copies beyond their core distance are several. A row is one.
        yield "cut", same(*(map(renamed, cuts) if self.least == 1 else cuts))
        yield "new points", same(predicted(ours, self.queries), predicted(theirs, self.queries))
        if len(silent):
            found = predicted(ours, self.points.x[silent])
            yield "rows of weight 0", same([a[name][silent] for name in ("labels", "probabilities", "scores")], found)


def renamed(labels: np.ndarray) -> np.ndarray:
    """Clusters named by their first rows."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return first[inverse]


def predicted(model: HDBSCANGPU, points: np.ndarray) -> list[Any]:
    """Labels, probabilities and scores of new points."""
    return [*map(to_host, approximate_predict(model, points)), to_host(approximate_predict_scores(model, points))]


def clusters_of(model: HDBSCANGPU) -> np.ndarray:
    """The clusters in the table of the condensed tree, counted from the root."""
    n = model._model.n
    table = model.condensed_tree_.to_numpy()
    clusters = table[table["child"] > n]
    columns = [clusters["parent"] - n, clusters["child"] - n, clusters["child_size"], clusters["lambda_val"]]
    return np.stack(columns)
