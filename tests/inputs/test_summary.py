"""What `repr` and `print` show of a result: one line, whatever its size."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from emst import HDBSCANGPU, MinimumSpanningForest, graph_msf, minimum_spanning_tree


def line_of(shape=(5000, 2)):
    return np.arange(float(np.prod(shape))).reshape(shape)


def test_a_tree_is_one_line(ops):
    tree = minimum_spanning_tree([[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]], device=ops.name)
    expected = f"<MinimumSpanningTree: 3 points, 2 edges, 1 component, total weight 6, device {ops.name}>"
    assert repr(tree) == str(tree) == expected
    many = repr(minimum_spanning_tree(line_of(), device=ops.name))
    assert many.startswith("<MinimumSpanningTree: 5,000 points, 4,999 edges, ") and "\n" not in many


@pytest.mark.parametrize(
    ("dtype", "total"), [(np.int64, "2,000,000,003"), (np.float64, "2e+09"), (np.float32, "2e+09"), (np.bool_, "2")]
)
def test_a_forest_is_one_line(ops, dtype, total):
    graph = csr_array((np.array([3, 2_000_000_000]).astype(dtype), ([0, 2], [1, 3])), shape=(5, 5))
    forest = graph_msf(graph, device=ops.name)
    expected = f"<MinimumSpanningForest: 5 vertices, 2 edges, 3 components, total weight {total}, device {ops.name}>"
    assert repr(forest) == str(forest) == expected


def test_weights_beyond_64_bits_add_up():
    weight = np.full(4, 2**63 - 1)
    forest = MinimumSpanningForest(np.arange(4), np.arange(1, 5), weight, np.arange(4), 5, 1, None, "cpu")
    assert f"total weight {4 * (2**63 - 1):,}," in repr(forest)


def test_a_sum_beyond_all_floats_is_infinite_without_a_warning():
    weight = np.full(2, 1e308)
    forest = MinimumSpanningForest(np.arange(2), np.arange(1, 3), weight, np.arange(2), 3, 1, None, "cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "total weight inf," in repr(forest)


def test_trees_of_a_clustering_are_one_line_each(ops):
    """Before their arrays have come to the host, afterwards, and out of a pickle. Those of the condensed tree stay on
    the device, for `simplify`."""
    x = np.repeat([[0.0, 0.0], [50.0, 0.0]], 20, axis=0) + np.arange(40)[:, None] % 20 * [0.0, 1.0]
    x[3] = np.nan
    model = HDBSCANGPU(min_cluster_size=5, min_samples=1, device=ops.name).fit(x)
    for device in (ops.name, "cpu"):
        texts = [repr(t) for t in (model.condensed_tree_, model.single_linkage_tree_, model.minimum_spanning_tree_)]
        assert texts == [
            f"<CondensedTree: 40 points, 3 clusters (2 selected), device {ops.name}>",
            f"<SingleLinkageTree: 40 points, 39 merges, 2 components, total distance 88, device {device}>",
            f"<SpanningTree: 39 points, 38 edges, 1 component, total weight 88, device {device}>",
        ]
        for tree in (model.condensed_tree_, model.single_linkage_tree_, model.minimum_spanning_tree_):
            tree.to_numpy()
            on_host = repr(tree).replace(f"device {ops.name}", "device cpu")
            assert repr(pickle.loads(pickle.dumps(tree))) == on_host


def test_components_that_no_distance_connects_are_counted(ops):
    matrix = np.full((6, 6), np.inf)
    matrix[:3, :3] = matrix[3:, 3:] = 2.0
    np.fill_diagonal(matrix, 0)
    with pytest.warns(UserWarning, match="infinity"):
        model = HDBSCANGPU(min_cluster_size=2, min_samples=1, metric="precomputed", device=ops.name).fit(matrix)
    end = f"2 components, total weight 8, device {ops.name}>"
    assert repr(model.minimum_spanning_tree_) == f"<SpanningTree: 6 points, 5 edges, {end}"
    assert "2 components, total distance 8," in repr(model.single_linkage_tree_)
    assert np.isinf(model.minimum_spanning_tree_.to_numpy()[:, 2]).sum() == 1
