"""The operations in which threads share elements give the bits of one thread, however the threads meet."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.sparse
from graph_reference import random, weights_for
from helpers import LIMITS
from races import Races
from scipy.spatial.distance import cdist

from emst import HDBSCANGPU, graph_msf, minimum_spanning_tree
from emst.cpu.runtime import parallel

POINTS = 200
G = np.random.default_rng(4)
SETS = {
    "uniform": G.random((POINTS, 2)),
    "lattice": G.integers(0, 14, (POINTS, 2)).astype(float),
    "blobs": G.standard_normal((9, 3))[G.integers(0, 9, POINTS)] * 9 + G.standard_normal((POINTS, 3)),
}
TABLE = parallel.__doc__.partition("These kernels")[2].partition("Nothing here")[0]
SHARED = set(re.findall(r"\w+/\w+|(?:contract|lightest)(?=  )", TABLE))
# Modules whose kernels must run. Those that call `offer` of graph/offers are in graph/worklist.
IN_TREES = {"points/cached", "points/search", "lightest", "contract", "hierarchy/rounds", "hierarchy/descent"}
IN_CLUSTERS = {"distances/rows", "lightest", "contract", "hierarchy/nodes", "hierarchy/descent"}
IN_FORESTS = {
    "boruvka": {"graph/worklist", "contract"},
    "hybrid": {"graph/hybrid"},
    "partial-prim": {"graph/partial_prim"},
}


def tree_of(x, k):
    found = minimum_spanning_tree(x, min_samples=k, device="cpu")
    return found.edges, found.weights, found.labels_at(np.median(found.weights))


def clusters_of(x, k):
    model = HDBSCANGPU(min_samples=k, min_cluster_size=5, metric="precomputed", device="cpu").fit(cdist(x, x))
    return model.labels_, model.probabilities_, model.outlier_scores_


def forest_of(kind, algorithm):
    n, u, v = random(150, 700)
    weights = weights_for(len(u), np.float32, kind) + 1
    graph = scipy.sparse.csr_array((weights, (u, v)), shape=(n, n))
    found = graph_msf(graph, symmetric="min", algorithm=algorithm, device="cpu")
    return found.edges, found.weights


POINT_SETS = [(x, k) for x in SETS for k in (1, 4)]
WORK = {
    **{f"tree-{x}-{k}": (IN_TREES, tree_of, SETS[x], k) for x, k in POINT_SETS},
    **{f"clusters-{x}-{k}": (IN_CLUSTERS, clusters_of, SETS[x], k) for x, k in POINT_SETS},
    **{f"forest-ties-{by}": (rooms, forest_of, "ties", by) for by, rooms in IN_FORESTS.items()},
    **{f"forest-distinct-{by}": (rooms, forest_of, "distinct", by) for by, rooms in IN_FORESTS.items()},
}


@pytest.mark.parametrize("name", WORK)
def test_threads_that_meet_in_any_way_change_no_bit(name, monkeypatch):
    rooms, work, *args = WORK[name]
    with monkeypatch.context() as alone:
        alone.setattr(parallel, "thread_count", lambda: 1)
        expected = work(*args)
    for seed in range(2):
        with monkeypatch.context() as patched, Races(patched, seed) as races:
            for most in ("emst.cpu.hierarchy.linkage.THREADS", "emst.cpu.hierarchy.linkage.MANY", *LIMITS):
                patched.setattr(most, 0)  # the dendrogram and the rounds by many threads
            found = work(*args)
        for ours, theirs in zip(found, expected):
            np.testing.assert_array_equal(ours, theirs)
        assert rooms <= {room.replace(".", "/") for room in races.rooms}
        assert races.held_up > 0


def test_all_modules_whose_threads_share_elements_are_among_them():
    met = set().union(*(rooms for rooms, *_ in WORK.values()))
    assert met | {"graph/offers"} == SHARED
