"""Rounds over partitions at once, by one operation."""

import numpy as np
import pytest
from helpers import to_host
from partition_stages import local_trees, partitions_of
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from threads import Threads, tree_of

import emst.cpu
from emst.backend.partition_records import Components
from emst.backend.records import EUCLIDEAN
from emst.partitions import components, remembering, rounds
from emst.partitions.outline import FEW_BOXES, joined_outline, on_backend, outline_of
from emst.partitions.partition import with_core_distances
from emst.partitions.records import Search
from emst.spanning import spanning_tree

RNG = np.random.default_rng(29)
PLACES = RNG.random((40, 3)) * 30
SETS = {
    "uniform": RNG.random((40_000, 2)),
    "halos": PLACES[RNG.integers(0, 40, 50_000)] + RNG.standard_normal((50_000, 3)) * RNG.pareto(1, (50_000, 1)),
    "blobs, float32": RNG.normal(RNG.integers(0, 4, (60_000, 1)) * 9.0, 1, (60_000, 3)).astype(np.float32),
    "lattice": RNG.integers(0, 200, (60_000, 2)).astype(float),
    "runs of equal points": np.repeat(RNG.random((9_000, 2)), 6, axis=0),
    "six dimensions": RNG.random((36_000, 6)),
}
PAIRS = [(name, k) for i, name in enumerate(SETS) for k in (1, (2, 5)[i % 2])]


def begun(ops, X, count, k):
    """The partitions of points with their certain edges, the state before the rounds, and what `at_once` gets."""
    made, _ = partitions_of(ops, X, count, k)
    if k > 1:
        made = [with_core_distances(ops, part, Search(k, 1.0, EUCLIDEAN, 1.0)) for part in made]
    trees = local_trees(ops, made, k)
    outlines = [outline_of(ops, part, FEW_BOXES) for part in made]
    state = components.begin(ops, [components.summary(ops, *pair) for pair in zip(trees, outlines)], EUCLIDEAN)
    outline = on_backend(ops, joined_outline(ops, outlines))
    return trees, state, (trees, [outline] * len(trees), outlines)


def edges_between(X, k, trees):
    """The tree's edges between the components before the rounds, ascending, and the points of each component."""
    names, first = np.empty(len(X), int), 0
    for local in trees:
        component = to_host(local.component) + first
        names[to_host(local.partition.rows)] = component
        if len(local.partition.left_out):
            names[to_host(local.partition.left_out)] = component[0]
        first += local.count
    edges, *_ = spanning_tree(X, emst.cpu.point_statistics(X), k, emst.cpu)
    ends = names[edges]
    return edges[ends[:, 0] != ends[:, 1]], ends[ends[:, 0] != ends[:, 1]], np.bincount(names, minlength=first)


def counts_after_rounds(ends, sizes):
    """Components after every round of Borůvka's algorithm, in which the greatest one takes no edge. All edges of the
    tree are there, in the total order, so the first that leaves a component is the first of all."""
    label, counts = np.arange(len(sizes)), []
    while label.max() > 0:
        greatest = int(np.argmax(np.bincount(label, sizes)))
        a, b = label[ends].T
        between, first = np.flatnonzero(a != b), np.full(label.max() + 1, len(ends))
        for column in (a, b):
            np.minimum.at(first, column[between], between)
        first[greatest] = len(ends)
        a, b = label[ends[first[first < len(ends)]]].T
        count, joined = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=[label.max() + 1] * 2), False)
        label = joined[label]
        counts.append(int(count))
    return counts


def check_joined(ops, X, k, trees, state):
    """The edges that rounds have taken are the tree's between components, or some of them; returns how many."""
    order = np.concatenate(
        [np.concatenate([part.rows[:kept], part.left_out, part.rows[kept:]]) for part, kept in map(on_host, trees)]
    )
    wanted, ends, sizes = edges_between(X, k, trees)
    found = components.all_joined(ops, state)
    taken = np.sort(order[np.stack([to_host(found.u), to_host(found.v)], axis=1)], axis=1)
    assert len(np.unique(taken, axis=0)) == len(taken) == len(wanted) + 1 - state.count
    assert {tuple(edge) for edge in taken.tolist()} <= {tuple(edge) for edge in wanted.tolist()}
    counts = [one.left for one in state.costs[1:]]
    assert counts == counts_after_rounds(ends, sizes)[: len(counts)]
    return len(counts)


class HostRows:
    def __init__(self, part):
        self.rows, self.left_out = to_host(part.rows), to_host(part.left_out)


def on_host(local):
    return HostRows(local.partition), local.partition.kept


@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize(("name", "k"), PAIRS)
def test_all_rounds(ops, name, k, count):
    """A GPU takes all of them; the CPU none."""
    X = SETS[name]
    if ops.name == "cpu":
        X = X[::20]
    trees, before, given = begun(ops, X, count, k)
    state = rounds.at_once(ops, before, *given)
    assert (state is before) if ops.name == "cpu" else (state.count == 1 < before.count)
    assert check_joined(ops, X, k, trees, state) == len(state.costs) - 1


@pytest.mark.parametrize("k", [1, 4])
def test_rounds_go_on_as_tasks(monkeypatch, k):
    """After rounds at once that have ended early."""

    def one_round(ops, state, trees, outline, outlines):
        labels = components.labels_of(ops, state)
        asked = [remembering.ask(ops, tree, labels, of_all, None, []) for tree, of_all in zip(trees, outline)]
        answers = [rounds.answer(ops, tree, labels, own, asked) for tree, own in zip(trees, outlines)]
        left.append(rounds.join(ops, state, answers))
        return left[-1]

    left, X = [], RNG.random((3000, 2))
    monkeypatch.setattr(rounds, "rounds_at_once", lambda engine: True)
    monkeypatch.setattr(rounds, "at_once", one_round)
    with Threads(3) as engine:
        (edges, weights, _), costs = tree_of(np.array_split(X, 3), engine, 3, k)
    wanted = emst.minimum_spanning_tree(X, min_samples=k, device="cpu")
    np.testing.assert_array_equal(edges, wanted.edges)
    np.testing.assert_array_equal(weights, wanted.weights)
    assert len(left) == 1 < left[0].count and costs.rounds > 1


@pytest.fixture
def cuda():
    import emst.cuda

    return emst.cuda


@pytest.fixture
def few_places(cuda, monkeypatch):
    """Lists of rounds at once have one place at first."""
    from emst.cuda.partitions import rounds as at_once

    monkeypatch.setattr(at_once, "SHARE", 10**9)
    monkeypatch.setattr(at_once, "MOST_SHARE", 10**9)
    monkeypatch.setattr(at_once, "LEAST_ROOM", 1)
    return at_once


def with_memory_for(most, Home, made, cuda):
    """`Home`, which can be made so many times."""

    def home(*args):
        if len(made) == most:
            raise cuda.xp.cuda.memory.OutOfMemoryError(0, 0, 0)
        made.append(Home(*args))
        return made[-1]

    return home


@pytest.mark.gpu
@pytest.mark.parametrize("k", [1, 5])
def test_rounds_with_more_questions_than_places(cuda, few_places, monkeypatch, k):
    """Rounds go on with more places. Without memory for these, they end, and the state is that after the last one."""
    X, taken, Home = SETS["halos"], [], few_places.Home
    for most in (*range(8), 100):
        made = []
        monkeypatch.setattr(few_places, "Home", with_memory_for(most, Home, made, cuda))
        trees, before, given = begun(cuda, X, 4, k)
        state = rounds.at_once(cuda, before, *given)
        taken.append(check_joined(cuda, X, k, trees, state))
        if state.count > 1:
            left = Components(state.label, state.count, state.size, state.boxes)
            for ours, known in zip((state.weight, state.power), cuda.component_bounds(state.edges, left)):
                np.testing.assert_array_equal(to_host(ours), to_host(known))
    assert state.count == 1 and 2 < len(made) < 100
    assert taken == sorted(taken) and taken[0] == 0 and len(set(taken)) > 2, taken


@pytest.mark.gpu
def test_points_beyond_the_border_ask(cuda):
    """A few points lie far from a crowd that another partition holds: the lightest edge of the crowd's component comes
    from a point that is not near the border."""
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.random((30_000, 2)) * [1, 1], [50, 0] + rng.random((30_000, 2))])
    trees, before, given = begun(cuda, X, 2, 1)
    state = rounds.at_once(cuda, before, *given)
    assert state.count == 1 < before.count
    check_joined(cuda, X, 1, trees, state)


@pytest.mark.gpu
def test_none_without_access_to_other_memory(cuda, monkeypatch):
    from emst.cuda.partitions import rounds as at_once

    monkeypatch.setattr(at_once, "are_readable", lambda arrays, gpus: False)
    _, before, given = begun(cuda, SETS["uniform"], 3, 1)
    assert rounds.at_once(cuda, before, *given) is before


@pytest.mark.gpu
def test_an_interrupt_between_rounds_leaves_nothing_behind(cuda, monkeypatch):
    """GPUs have ended what they were given before its memory is freed."""
    from emst.cuda.partitions import rounds as at_once

    trees, before, given = begun(cuda, SETS["halos"], 3, 1)
    with monkeypatch.context() as patch:

        def interrupted(*_):
            raise KeyboardInterrupt

        patch.setattr(at_once, "OnItsWay", interrupted)
        with pytest.raises(KeyboardInterrupt):
            rounds.at_once(cuda, before, *given)
    state = rounds.at_once(cuda, before, *given)
    assert state.count == 1
    check_joined(cuda, SETS["halos"], 1, trees, state)
