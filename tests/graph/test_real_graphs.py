"""Real graphs: roads, social networks, citations. They lie outside the repository; without them these tests skip."""

import importlib.util

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import SHARED, to_device
from scipy.sparse.csgraph import minimum_spanning_tree

from emst import graph_msf

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="needs the reference data in ../shared/data")

# name, components, weight of the forest where the graph has weights
GRAPHS = [
    ("usa-road-ny", 1, 261_159_288),  # ties and parallel edges
    ("osm-malta-roads", 398, 2_828_142_495),
    ("osm-rnv-roads", 52, 4_398_051_239),
    ("tntp-sydney", 12, 6_333_219),
    ("tntp-chicago-regional", 4, 6_716_600),
    ("tntp-philadelphia", 1, 4_256_990),
    ("tntp-birmingham", 28, 10_879_010),  # zeros
    ("tntp-berlin-center", 1, 1_719_900_000),  # thousands of them
    ("snap-ego-twitter", 1, None),
    ("snap-soc-slashdot0902", 1, None),
    ("snap-email-enron", 1_065, None),
    ("snap-cit-hepph", 61, None),
    ("snap-ca-astroph", 290, None),
]


@pytest.fixture(scope="module")
def load():
    spec = importlib.util.spec_from_file_location("shared_load", SHARED / "load.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.load


def hashed(source, target):
    """Weights from 0 to 999 for graphs without weights, the same in both directions."""
    small, large = (np.array(f(source, target), np.uint64) for f in (np.minimum, np.maximum))
    product = (small * np.uint64(2_654_435_761) + large) * np.uint64(0x9E3779B97F4A7C15)
    return (product >> np.uint64(40)).astype(np.int64) % 1000


def scipys(n, source, target, weight):
    """Weight of the forest by scipy. Weights are shifted, since scipy drops zeros; only the lightest of parallel edges
    is kept, since scipy would add them."""
    order = np.lexsort((weight, target, source))
    source, target, weight = source[order], target[order], weight[order]
    first = np.r_[True, (np.diff(source) != 0) | (np.diff(target) != 0)]
    graph = sp.coo_array((weight[first] + 1.0, (source[first], target[first])), shape=(n, n)).tocsr()
    tree = minimum_spanning_tree(graph)
    return int(tree.data.sum()) - tree.nnz


@pytest.mark.parametrize(("name", "components", "total"), GRAPHS)
def test_weights_of_forests(ops, load, name, components, total):
    n, source, target, weight = load(name)
    source, target = source.astype(np.int32), target.astype(np.int32)
    if weight is None:
        weight = hashed(source, target)
        total = scipys(n, source, target, weight)
    for dtype in (np.int64, np.float64) if name != "usa-road-ny" else (np.int32, np.int64, np.float32, np.float64):
        once = sp.coo_array((weight.astype(dtype), (source, target)), shape=(n, n))
        forest = graph_msf(once, device=ops.name, return_labels=True)
        assert forest.total_weight == total
        assert forest.n_components == components == forest.component_labels.max() + 1
        indptr, indices, data, edge = both_ways(n, source, target, weight.astype(dtype))
        again = graph_msf(tuple(to_device(ops, a) for a in (indptr, indices, data)), device=ops.name)
        assert again.total_weight == total
        ids = again.edge_id if isinstance(again.edge_id, np.ndarray) else again.edge_id.get()
        np.testing.assert_array_equal(np.sort(edge[ids]), forest.edge_id)


def both_ways(n, source, target, weight):
    """Compressed rows that hold every edge in both directions, parallel edges in the order given."""
    edge = np.concatenate([np.arange(len(source))] * 2)
    rows, columns = np.concatenate([source, target]), np.concatenate([target, source])
    order = np.lexsort((edge, columns, rows))
    indptr = np.r_[0, np.cumsum(np.bincount(rows, minlength=n))]
    return indptr, columns[order], weight[edge[order]], edge[order]
