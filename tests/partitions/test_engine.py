"""The stages on an engine of plain threads: the results of one device, whether arrays are passed or sent."""

import numpy as np
import pytest
from threads import Threads, chunks_of, tree_of

import emst
from emst.distances.metrics import tree_metric_of
from emst.hdbscan.prediction import approximate_predict
from emst.hierarchy.selection import Options
from emst.partitions.model import clustered
from emst.partitions.prediction import predicted
from emst.partitions.records import Request
from emst.partitions.spanning import fitted_tree
from emst.progress import Progress


@pytest.fixture(params=[True, False], ids=["by reference", "packets"])
def engine(request):
    with Threads(2, request.param) as engine:
        yield engine


@pytest.mark.parametrize("k", [1, 4])
def test_the_tree_of_one_device(engine, rng, k):
    X = np.concatenate([rng.random((1500, 2)), rng.integers(0, 6, (500, 2)) / 6])
    reported = []
    progress = Progress(lambda *round: reported.append(round))
    (edges, weights, cores), costs = tree_of(np.array_split(X, 3), engine, 5, k, progress=progress)
    wanted = emst.minimum_spanning_tree(X, min_samples=k, device="cpu")
    assert costs.partitions == 5 and reported[-1][1] == 1
    assert np.array_equal(edges, wanted.edges) and np.array_equal(weights, wanted.weights)
    np.testing.assert_array_equal(cores, wanted.core_distances)


def test_the_clusters_of_one_device(engine, rng):
    X = np.concatenate([rng.normal(center, size=(400, 2)) for center in (0, 9, 18)])
    new = rng.normal(9, 6, (50, 2))
    chunks = chunks_of(np.array_split(X, 3), engine)
    fitted = fitted_tree(chunks, Request(tree_metric_of("euclidean", None), 5, 4), engine, Progress())
    model = clustered(fitted, chunks, chunks, None, Options(min_cluster_size=20), engine)
    alone = emst.HDBSCAN(min_cluster_size=20, min_samples=5, prediction_data=True, device="cpu").fit(X)
    labels, probabilities, persistence = model.results()
    assert np.array_equal(np.concatenate(engine.gather(labels)), alone.labels_) and alone.labels_.max() == 2
    assert np.array_equal(np.concatenate(engine.gather(probabilities)), alone.probabilities_)
    assert np.array_equal(persistence, alone.cluster_persistence_)
    results = predicted(model, chunks_of(np.array_split(new, 2), engine))
    for ours, theirs in zip(results, approximate_predict(alone, new)):
        assert np.array_equal(np.concatenate(engine.gather(ours)), theirs)
