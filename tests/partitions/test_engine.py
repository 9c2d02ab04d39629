"""The stages on an engine of plain threads: the results of one device, whether arrays are passed or sent."""

import numpy as np
import pytest
from threads import Threads, model_of, predictions_of, results_of, tree_of

import emst
from emst.hdbscan.prediction import approximate_predict
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
    alone = emst.HDBSCAN(min_cluster_size=20, min_samples=5, prediction_data=True, device="cpu").fit(X)
    assert alone.labels_.max() == 2
    model = model_of(np.array_split(X, 3), engine, 4, alone)
    for ours, theirs in zip(results_of(model), (alone.labels_, alone.probabilities_, alone.cluster_persistence_)):
        np.testing.assert_array_equal(ours, theirs)
    for ours, theirs in zip(predictions_of(model, np.array_split(new, 2)), approximate_predict(alone, new)):
        np.testing.assert_array_equal(ours, theirs)
