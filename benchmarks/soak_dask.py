"""Trees, clusterings, predictions and forests over the workers of Dask, for `soak.py`: those of one device.

The slow references check what one device gives, under the other kinds.
"""

from __future__ import annotations

import atexit
import functools
import logging
from collections.abc import Iterator
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client
from graph_reference import weights_for
from soak_cases import Case, at_home, same
from soak_graphs import SHAPES, random_graph
from soak_points import Labels, parameters

import emst
import emst.dask
from emst.dask.prediction import approximate_predict
from emst.inputs.devices import to_host

WORKERS = 2
HERE_ONLY = (
    "store_centers",
    "algorithm",
    "leaf_size",
    "copy",
    "prediction_data",
    "cluster_selection_epsilon_max",
)  # of one device
TREE = ("metric", "metric_params", "dtype", "min_samples")


@functools.cache
def workers(device: str) -> Client:
    """Threads of this process, started once."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are results here
    client = emst.dask.local_cluster(WORKERS, device=device, set_as_default=False)
    atexit.register(client.close)
    return client


def over_workers(g: np.random.Generator) -> Case:
    """Points or a graph, in random chunks."""
    return Forests(g) if g.random() < 0.25 else Clusters(g)


class Clusters(Labels):
    """`emst.dask.HDBSCAN`, its predictions and its clusters selected again, and `emst.dask.EMST`; some rows have
    weights."""

    staged = False

    def __init__(self, g: np.random.Generator) -> None:
        super().__init__(g, most=800)
        if self.metric.way != "tree":  # cosine of rows of zeros, and haversine with alpha: workers hold no matrix
            self.keywords |= {"metric": "euclidean", "metric_params": None}
        self.keywords = {name: value for name, value in self.keywords.items() if name not in HERE_ONLY}
        self.others.pop("epsilon_max", None)
        if self.fault is None and len(self.kept) < 2:
            self.fault = "HDBSCAN over workers needs two"
        self.partitions, self.chunks = int(g.integers(1, 10)), random_chunks(len(self.x), g)
        self.share, self.least = g.random(), int(g.integers(1, 9))  # of the cuts
        self.weights, self.weight_chunks = self.random_weights(g), int(g.integers(1, len(self.x) + 1))
        self.what += f", chunks {self.chunks}, {self.partitions} partitions"
        if self.weights is not None:
            self.what += f", weights of {self.weights.sum():g} in all"

    def random_weights(self, g: np.random.Generator) -> np.ndarray | None:
        """Weights, whole numbers or not, for a third of the sets that can be clustered."""
        if self.fault is not None or g.random() < 0.6:
            return None
        weights = g.integers(g.integers(2), g.choice([2, 4, 9, 60]), len(self.x)) / g.choice([1, 1, 7])
        kept = weights[np.isfinite(self.x).all(axis=1)]
        return weights if (kept > 0).sum() > 1 and kept.sum() > self.points.k + 1 else None

    def given(self, more: int = 0, chunks: int | None = None) -> dict[str, Any]:
        """What `fit` takes beside the points, with weights that are greater by `more`."""
        if self.weights is None:
            return {}
        weights = self.weights + more
        return {"sample_weight": weights if chunks is None else da.from_array(weights, chunks=chunks)}

    def fit(self, device: str) -> Any:
        where = {"device": device, "partitions": self.partitions, "client": workers(device)}
        (chunks,) = in_chunks(self.chunks, self.points.x)
        model = emst.dask.HDBSCAN(**self.keywords, **where).fit(chunks, **self.given(0, self.weight_chunks))
        tree = None
        if len(self.kept) == len(self.x):
            tree = emst.dask.EMST(**{name: self.keywords[name] for name in TREE}, **where)
            tree = tree.fit(chunks, **self.given(1, self.weight_chunks))
        return model, model.recluster(**parameters(self.others)), approximate_predict(model, chunks), tree

    def results(self, fitted: Any) -> dict[str, Any]:
        model, other, predicted, tree = fitted
        found = of_clusters(model, model.to_local()) | of_clusters(other, other.to_local(), " again")
        labels, probabilities = (array.compute(scheduler=model.client) for array in predicted)
        found |= {"predicted labels": labels, "predicted probabilities": probabilities}
        if tree is None:
            return found
        local = tree.to_local()
        cut, labels = self.cuts(tree, local.weights)
        cuts = {"cut": cut.compute(scheduler=model.client), "labels at": labels.compute(scheduler=model.client)}
        return found | of_tree(local) | cuts

    def cuts(self, tree: Any, weights: Any) -> tuple[Any, Any]:
        """Groups below the weight of an edge, and those at three heights."""
        height = float(weights[int(self.share * len(weights))])
        return tree.cut(height, self.least), tree.labels_at([height, 0.0, float(np.nextafter(height, 0))])

    def by_definition(self, fitted: Any) -> Iterator[tuple[str, bool]]:
        model, _, _, tree = fitted
        x, device = self.points.x, model.device_
        one = emst.HDBSCANGPU(**self.keywords, device=device).fit(x, **self.given())
        other = one.recluster(**parameters(self.others))
        expected = of_clusters(one, (one.labels_, one.probabilities_))
        expected |= of_clusters(other, (other.labels_, other.probabilities_), " again")
        expected |= {"predicted labels": one.labels_, "predicted probabilities": one.probabilities_}
        if tree is not None:
            keywords = {name: self.keywords[name] for name in TREE}
            tree = emst.minimum_spanning_tree(x, **keywords, **self.given(1), device=device)
            cut, labels = self.cuts(tree, to_host(tree.weights))
            expected |= of_tree(tree) | at_home(cut=cut, labels_at=labels)
        yield from ((name, same(value, expected[name])) for name, value in self.results(fitted).items())


class Forests(Case):
    """`emst.dask.graph_msf`."""

    staged = False

    def __init__(self, g: np.random.Generator) -> None:
        shape, dtype = str(g.choice(SHAPES)), str(g.choice(["i4", "i8", "f4", "f8"]))
        self.n, rows, columns = random_graph(shape, g)
        weights = weights_for(len(rows), dtype, str(g.choice(["equal", "ties", "special"])), g.integers(2**32))
        self.edges, self.chunks = (rows, columns, weights), random_chunks(len(rows), g)
        self.what = f"{shape}, {self.n} vertices, {len(rows)} entries, {dtype}, chunks {self.chunks}"

    def fit(self, device: str) -> emst.MinimumSpanningForest:
        where = {"device": device, "client": workers(device)}
        graph = in_chunks(self.chunks, *self.edges)
        return emst.dask.graph_msf(graph, n_vertices=self.n, return_labels=True, **where)

    def results(self, fitted: emst.MinimumSpanningForest) -> dict[str, Any]:
        names = ("source", "target", "weight", "edge_id", "component_labels")
        return at_home(**{name: getattr(fitted, name) for name in names})

    def by_definition(self, fitted: emst.MinimumSpanningForest) -> Iterator[tuple[str, bool]]:
        options = {"n_vertices": self.n, "return_labels": True, "symmetric": "min", "device": fitted.device}
        expected = self.results(emst.graph_msf(*self.edges, **options))
        yield from ((name, same(value, expected[name])) for name, value in self.results(fitted).items())


def of_clusters(model: Any, labels: tuple[Any, Any], which: str = "") -> dict[str, Any]:
    found = at_home(labels=labels[0], probabilities=labels[1], persistence=model.cluster_persistence_)
    found["condensed tree"] = model.condensed_tree_.to_numpy()
    return {name + which: value for name, value in found.items()}


def of_tree(tree: Any) -> dict[str, Any]:
    return at_home(edges=tree.edges, weights=tree.weights, core_distances=tree.core_distances)


def random_chunks(n: int, g: np.random.Generator) -> tuple[int, ...]:
    """Sizes of up to five chunks, some of them empty."""
    cuts = np.sort(g.integers(0, n + 1, g.integers(0, 5)))
    return tuple(np.diff(np.concatenate([[0], cuts, [n]])).tolist())


def in_chunks(chunks: tuple[int, ...], *arrays: np.ndarray) -> tuple[Any, ...]:
    """Arrays cut along their first axis."""
    return tuple(da.from_array(array, chunks=(chunks, *array.shape[1:])) for array in arrays)
