"""The loop that points and graphs share, on graphs given as a list of edges."""

import numpy as np
import pytest
import reference
from helpers import forest_at_home, forest_on, spans, to_device

from emst.boruvka import bridged, spanning_forest


def asking(ops, u, v, weight):
    """`lightest` for a list of edges, found with numpy whatever the backend."""
    order = np.lexsort((v, u, weight))
    u, v, weight = u[order], v[order], weight[order]

    def lightest(forest):
        labels = forest_at_home(forest).labels
        found = reference.empty_forest(labels, np.float64)
        for a, b, w in zip(u[::-1], v[::-1], weight[::-1]):  # the lightest is written last
            for root in {labels[a], labels[b]} if labels[a] != labels[b] else ():
                found.best[root], found.edge_u[root], found.edge_v[root] = w, a, b
        for field in ("best", "edge_u", "edge_v"):
            getattr(forest, field)[:] = to_device(ops, getattr(found, field))

    return lightest


def run(ops, n, u, v, weight):
    forest = forest_on(ops, reference.empty_forest(np.arange(n), np.float64))
    seen = []
    rounds = spanning_forest(forest, asking(ops, u, v, weight), ops, lambda *report: seen.append(report))
    forest = forest_at_home(forest)
    used = forest.source >= 0
    assert [report[0] for report in seen] == list(range(1, rounds + 1))
    return forest, np.stack([forest.source[used], forest.target[used]], axis=1), forest.weight[used], seen


def test_a_tree_by_hand(ops):
    """0 -1- 1 -4- 2 -2- 3, and 0 -3- 2: the edge of weight 4 closes a cycle."""
    u, v = np.array([0, 1, 2, 0]), np.array([1, 2, 3, 2])
    forest, edges, weights, seen = run(ops, 4, u, v, np.array([1.0, 4.0, 2.0, 3.0]))
    assert forest.count == 1
    assert sorted(map(tuple, edges.tolist())) == [(0, 1), (0, 2), (2, 3)]
    assert weights.sum() == 6
    assert [left for _, left in seen] == [2, 1]


def test_two_components_stop(ops):
    """Nothing joins {0, 1, 2} and {3, 4}: a forest, and one more round to see it."""
    u, v = np.array([0, 1, 3]), np.array([1, 2, 4])
    forest, edges, _, seen = run(ops, 5, u, v, np.array([1.0, 2.0, 1.0]))
    assert forest.count == 2
    assert len(edges) == 3
    assert [left for _, left in seen] == [2, 2]


def test_no_edges_at_all(ops):
    nothing = np.array([], np.int64)
    forest, edges, _, _ = run(ops, 3, nothing, nothing, np.array([]))
    assert forest.count == 3
    assert len(edges) == 0


def test_one_vertex_needs_no_round(ops):
    forest = forest_on(ops, reference.empty_forest(np.arange(1), np.float64))
    assert spanning_forest(forest, lambda forest: pytest.fail("asked"), ops) == 0


def test_equal_weights_everywhere(ops):
    """A complete graph of one weight: only ids decide, and the total order makes it the star of vertex 0."""
    u, v = np.triu_indices(40, 1)
    _, edges, _, _ = run(ops, 40, u, v, np.ones(len(u)))
    assert sorted(map(tuple, edges.tolist())) == [(0, i) for i in range(1, 40)]


@pytest.mark.parametrize("seed", range(3))
def test_random_graphs_against_scipy(ops, seed):
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    g = np.random.default_rng(seed)
    n = 200
    u, v = np.sort(g.integers(0, n, (2, 6 * n)), axis=0)
    pair = np.unique(u * n + v)
    u, v = pair // n, pair % n
    u, v = u[u < v], v[u < v]
    weight = g.integers(1, 20, len(u)).astype(np.float64)
    forest, edges, weights, _ = run(ops, n, u, v, weight)
    expected = minimum_spanning_tree(coo_array((weight, (u, v)), shape=(n, n)))
    assert weights.sum() == expected.sum()
    assert len(edges) == n - forest.count == expected.nnz
    assert spans(edges, n) == (forest.count == 1)


@pytest.mark.parametrize("others", [0, 2, 3])
@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8, 64, 1_001, 40_000])
def test_edges_that_close_a_cycle_are_an_error(ops, n, others):
    """Every component of a cycle takes the edge to the next one, as no total order has it: n edges, and no root. The
    other components are joined to each other as they should be."""
    ends = np.stack([np.arange(n + others), (np.arange(n + others) + 1) % n])
    ends[1, n:] = np.arange(n, n + others) + 1
    ends[1, n + others - 1 :] = n + others - 2 if others else 0
    ends, n = np.sort(ends, axis=0), n + others

    def lightest(forest):
        for field, values in (("best", np.ones(n)), ("edge_u", ends[0]), ("edge_v", ends[1])):
            getattr(forest, field)[:] = to_device(ops, values)

    forest = forest_on(ops, reference.empty_forest(np.arange(n), np.float64))
    with pytest.raises(RuntimeError, match="close a cycle"):
        spanning_forest(forest, lightest, ops)


def test_an_edge_within_a_component_is_an_error(ops):
    """0 and 1 are one component, which then takes its inner edge again."""
    forest = forest_on(ops, reference.empty_forest(np.array([0, 0, 2, 3]), np.float64))
    forest.source[1], forest.target[1] = 0, 1

    def lightest(forest):
        for field, values in (("best", [1, 0, 1, 1]), ("edge_u", [0, -1, 2, 2]), ("edge_v", [1, -1, 3, 3])):
            getattr(forest, field)[:] = to_device(ops, np.array(values))

    with pytest.raises(RuntimeError, match="fault of emst"):
        spanning_forest(forest, lightest, ops)


def test_rounds_that_leave_edges_out_are_an_error(ops):
    """One edge a round joins all in the end, but is no round of Borůvka's."""
    n = 40
    ask = asking(ops, np.arange(n - 1), np.arange(1, n), np.arange(n - 1.0))

    def lightest(forest):
        ask(forest)
        found = forest_at_home(forest)
        kept = found.edge_u == found.edge_u[found.edge_u >= 0].min()
        for field in ("edge_u", "edge_v"):
            getattr(forest, field)[:] = to_device(ops, np.where(kept, getattr(found, field), -1))

    forest = forest_on(ops, reference.empty_forest(np.arange(n), np.float64))
    with pytest.raises(RuntimeError, match="6 rounds join all"):
        spanning_forest(forest, lightest, ops)


def test_edges_that_are_held_back(ops):
    """Ten rounds contract the first of their edges only, which are more rounds than would join all. Two more contract
    the others: every second edge of the path is heavy."""
    n, held, seen = 40, 10, []
    u = np.arange(n - 1)
    lightest = asking(ops, u, u + 1, u + 100.0 * (u % 2))

    def hold_back(forest):
        assert forest.count > n - held - 1, "called after it was done"
        if forest.count == n - held:
            return False
        found = forest_at_home(forest)
        kept = found.edge_u == found.edge_u[found.edge_u >= 0].min()
        for field in ("edge_u", "edge_v"):
            getattr(forest, field)[:] = to_device(ops, np.where(kept, getattr(found, field), -1))
        return True

    forest = forest_on(ops, reference.empty_forest(np.arange(n), np.float64))
    rounds = spanning_forest(forest, lightest, ops, lambda _, left: seen.append(left), hold_back=hold_back)
    assert seen == [*range(n - 1, n - held - 1, -1), 15, 1] and rounds == held + 2
    found = forest_at_home(forest)
    assert sorted(found.source[found.source >= 0].tolist()) == list(range(n - 1))


def test_bridges_lead_to_the_least_vertices_in_their_order(ops):
    """Components are named by any of their vertices."""
    labels = to_device(ops, np.array([3, 1, 1, 3, 2], np.int32))
    edges, weights = to_device(ops, np.array([[0, 3], [1, 2]], np.int32)), to_device(ops, np.array([1.0, 2.0]))
    edges, weights = bridged(edges, weights, labels, 7.0)
    assert edges.tolist() == [[0, 3], [1, 2], [0, 1], [0, 4]] and edges.dtype == np.int32
    assert weights.tolist() == [1, 2, 7, 7]
