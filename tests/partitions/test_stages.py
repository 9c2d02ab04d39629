"""What each stage of a tree over partitions promises the next one."""

import pickle

import dask.sizeof
import numpy as np
import pytest
from partition_stages import local_trees, partitions_of

import emst.cpu
from emst.backend.partition_records import OpenEdges
from emst.backend.records import EUCLIDEAN
from emst.inputs.devices import to_host
from emst.inputs.scaling import scale_of
from emst.partitions import components, partition, remembering, rounds
from emst.partitions.engine import bytes_of
from emst.partitions.outline import BOXES, joined_outline, on_backend, outline_of, reaches
from emst.partitions.partition import with_core_distances
from emst.partitions.records import Search
from emst.spanning import spanning_tree

RNG = np.random.default_rng(13)  # for SETS; tests take `rng`
SETS = {
    "uniform": RNG.random((3000, 2)),
    "crowded": np.concatenate([RNG.random((300, 2)), 0.3 + RNG.random((2500, 2)) * 1e-9]),
    "equal": np.concatenate([RNG.random((500, 2)), np.full((1500, 2), 0.7)]),
    "heavy tails": RNG.lognormal(0, 5, (2000, 2)),
}


@pytest.mark.parametrize("count", [2, 7, 30])
@pytest.mark.parametrize("name", SETS)
def test_partitions_one_after_the_other_are_the_order_of_one_device(ops, name, count):
    X = SETS[name]
    made, scale = partitions_of(ops, X, count, k=len(X))  # no point is left out
    assert len(made) > 1
    order = np.concatenate([to_host(part.rows) for part in made])
    assert np.array_equal(order, to_host(ops.curve_order(ops.asarray(X), scale).rows))


@pytest.mark.parametrize("name", ["uniform", "crowded"])
def test_partitions_hold_about_equally_many(ops, name):
    made, _ = partitions_of(ops, SETS[name], 6)
    sizes = [part.size for part in made]
    assert sum(sizes) == len(SETS[name]) and max(sizes) <= 2 * len(SETS[name]) / 6


@pytest.mark.parametrize("k", [1, 4])
def test_a_run_of_equal_points_begins_a_partition(ops, rng, k):
    """Only k of its points take part; the others are in ascending order of their rows."""
    X = SETS["equal"][rng.permutation(2000)]
    made, _ = partitions_of(ops, X, 5, k)
    run = np.flatnonzero((X == 0.7).all(axis=1))
    (owner,) = (part for part in made if len(part.left_out))
    assert np.array_equal(to_host(owner.rows[:k]), run[:k]) and np.array_equal(to_host(owner.left_out), run[k:])
    places, numbering = np.arange(len(owner.rows)), owner.numbering(100)
    ids = numbering.ids(ops.asarray(places))
    assert np.array_equal(to_host(numbering.places(ids)), places)
    kept_out = np.arange(100 + k, 100 + len(run))
    assert (to_host(numbering.places(ops.asarray(kept_out))) == k).all()
    assert sorted([*to_host(ids), *kept_out]) == list(range(100, 100 + owner.size))


@pytest.mark.parametrize("name", SETS)
def test_outlines_hold_their_points_and_reaches_are_lower_bounds(ops, rng, name):
    made, _ = partitions_of(ops, SETS[name], 4, k=2)
    outlines = [outline_of(ops, part, BOXES) for part in made]
    points = [to_host(part.index.points()) for part in made]
    for outline, inside in zip(outlines, points):
        low, high = outline.low[outline.child < 0, None], outline.high[outline.child < 0, None]
        held = ((low <= inside) & (inside <= high)).all(axis=2)
        assert held.any(axis=0).all() and held.any(axis=1).all()
        for node in np.flatnonzero(outline.child >= 0):
            below = slice(outline.child[node], outline.child[node] + outline.children[node])
            assert np.array_equal(outline.low[below].min(axis=0), outline.low[node])
            assert np.array_equal(outline.high[below].max(axis=0), outline.high[node])
    joined = joined_outline(ops, outlines)
    for j, part in enumerate(made):
        reach, near, rest, *_ = reaches(part.index, on_backend(ops, joined), j, ops)
        reach, near = to_host(reach), to_host(near)
        others = np.concatenate([inside for i, inside in enumerate(points) if i != j])
        chosen = rng.integers(0, len(points[j]), 50)
        exact = ((points[j][chosen, None] - others) ** 2).sum(axis=2).min(axis=1)
        assert (reach[chosen] <= exact).all() and (reach > 0).any()
        far = np.ones(len(reach), bool)
        far[near] = False
        assert rest == min(reach[far], default=np.inf)


@pytest.mark.parametrize("name", SETS)
def test_certain_edges_are_edges_of_the_tree_of_all_points(ops, name):
    X = SETS[name]
    made, _ = partitions_of(ops, X, 4)
    tree = {tuple(edge) for edge in emst.minimum_spanning_tree(X, device="cpu").edges.tolist()}
    trees = local_trees(ops, made)
    for local in trees:
        rows = to_host(local.partition.rows)[to_host(local.edges)]
        assert {tuple(sorted(edge)) for edge in rows.tolist()} <= tree
        assert len(rows) + local.count == len(local.partition.rows)
    assert sum(len(local.edges) for local in trees) > sum(len(part.rows) for part in made) / 4


def test_tasks_do_not_write_to_their_inputs(ops):
    """In one process, tasks share arrays."""
    made, _ = partitions_of(ops, SETS["uniform"], 3)
    before = [{name: to_host(array).copy() for name, array in named_arrays(part)} for part in made]
    local_trees(ops, made)
    labels = ".label" if ops.name == "cpu" else ".nodes"  # the GPU keeps labels in the rows of nodes
    for part, arrays in zip(made, before):
        after = dict(named_arrays(part))  # and what is made when it is first read
        for name, old in arrays.items():
            assert name.endswith(labels) or old.tobytes() == to_host(after[name]).tobytes(), name


def named_arrays(value, name=""):
    """All arrays in a result, and how they are called."""
    if hasattr(value, "nbytes") and hasattr(value, "dtype"):
        yield name, value
    elif hasattr(value, "_asdict"):
        for key, one in value._asdict().items():
            yield from named_arrays(one, f"{name}.{key}")
    elif isinstance(value, tuple | list):
        for number, one in enumerate(value):
            yield from named_arrays(one, f"{name}.{number}")
    elif type(value).__module__.startswith("emst."):
        for key, one in vars(value).items():
            yield from named_arrays(one, f"{name}.{key}")


def arrays_in(value):
    return [array for _, array in named_arrays(value)]


def test_what_dask_learns_of_sizes(ops):
    """Also of arrays that lie deep in a result."""
    made, _ = partitions_of(ops, SETS["uniform"], 2)
    for value in (made[0], local_trees(ops, made)[0]):
        size = bytes_of(value)
        assert sum(array.nbytes for array in arrays_in(value)) == size > 1000 * 2 * 8
        assert size <= dask.sizeof.sizeof(value) <= size + 200


def test_results_can_be_written_to_disk():
    """A worker that runs out of memory pickles results. Those of GPUs go through Dask's own serialization."""
    made, _ = partitions_of(emst.cpu, SETS["uniform"], 2)
    local = local_trees(emst.cpu, made)[0]
    copy = pickle.loads(pickle.dumps(local, protocol=5))
    for (name, old), (other, new) in zip(named_arrays(local), named_arrays(copy), strict=True):
        assert name == other and np.array_equal(old, new, equal_nan=True), name
    assert copy.partition.lock is not local.partition.lock and copy.partition.lock.acquire(blocking=False)


def rounds_of(ops, trees):
    """The state after the rounds, by the tasks of `all_rounds`."""
    outlines = [outline_of(ops, local.partition, BOXES) for local in trees]
    outline = on_backend(ops, joined_outline(ops, outlines))
    state = components.begin(ops, [components.summary(ops, *pair) for pair in zip(trees, outlines)], EUCLIDEAN)
    asked, answers = [None] * len(trees), []
    while state.count > 1:
        labels = components.labels_of(ops, state)
        asked = [remembering.ask(ops, local, labels, outline, before, answers) for local, before in zip(trees, asked)]
        answers = [
            rounds.answer(ops, local, labels, outline_of_one, asked) for local, outline_of_one in zip(trees, outlines)
        ]
        state = rounds.join(ops, state, answers)
    return state


def check_rounds(ops, X, count, k, core_factor=1.0):
    """Certain edges, and those that rounds find, are the edges of the tree of one device."""
    made, _ = partitions_of(ops, X, count, k=len(X))
    if k > 1:
        made = [with_core_distances(ops, part, Search(k, 1.0, EUCLIDEAN, 1.0)) for part in made]
    state = rounds_of(ops, trees := local_trees(ops, made, k, core_factor))
    order = np.concatenate([to_host(local.partition.rows) for local in trees])
    found = components.all_joined(ops, state)
    joined = order[np.stack([to_host(found.u), to_host(found.v)], axis=1)]
    certain_edges = [to_host(local.partition.rows)[to_host(local.edges)] for local in trees]
    edges = np.sort(np.concatenate([joined, *certain_edges]), axis=1)
    want, *_ = spanning_tree(X, emst.cpu.point_statistics(X), k, emst.cpu, core_factor=core_factor)
    assert np.array_equal(np.unique(edges, axis=0), np.unique(want, axis=0)) and len(edges) == len(X) - 1


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("name", SETS)
def test_rounds_find_the_edges_that_are_left(ops, name, k, monkeypatch):
    """Also where a component asks with few points at a time."""
    monkeypatch.setattr(remembering, "SAMPLE", 4)
    monkeypatch.setattr(remembering, "GROWTH", 2)
    check_rounds(ops, SETS[name], 5, k)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_neighbour_whose_core_distance_is_its_weight_says_nothing(ops, seed, monkeypatch):
    """With alpha = 4, most edges weigh as much as a core distance."""
    monkeypatch.setattr(remembering, "SAMPLE", 4)
    monkeypatch.setattr(remembering, "GROWTH", 2)
    X = np.random.default_rng(seed).lognormal(0, 2, (1500, 2))
    check_rounds(ops, X, 12, k=5, core_factor=16.0)


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("seed", [21, 29])
def test_of_equal_edges_a_point_remembers_the_first(ops, seed, k):
    """In a lattice many points of several partitions are equally near. A point that remembers any of them does not ask
    for the others."""
    rng = np.random.default_rng(seed)
    X = rng.permutation(np.unique(rng.integers(0, 3, (60, 5)), axis=0)).astype(float)
    check_rounds(ops, X, 13, k)


def test_points_remember_what_they_were_told(ops, monkeypatch):
    """So they ask less often than points that forget, and no component that waits holds up the rounds."""
    made, _ = partitions_of(ops, np.random.default_rng(1).random((40_000, 3)), 6)
    trees = local_trees(ops, made)
    states = [rounds_of(ops, trees)]
    monkeypatch.setattr(remembering, "SAMPLE", 10**9)
    monkeypatch.setattr(remembering, "_with_replies", lambda ops, before, replies, number: before.memory)
    states.append(rounds_of(ops, trees))
    sent = [sum(one.asked for one in state.costs) for state in states]
    assert 0 < sent[0] < 0.9 * sent[1]
    assert len(states[0].costs) <= len(states[1].costs) + 2


def test_the_lock_is_held_while_the_labels_of_nodes_are_in_use(ops, monkeypatch):
    made, _ = partitions_of(ops, SETS["uniform"], 5)
    used = []

    def watch(name):
        operation = getattr(ops, name)

        def watched(index, *args, **more):
            assert [part.lock.locked() for part in made if part.index.nodes is index.nodes] == [True], name
            used.append(name)
            return operation(index, *args, **more)

        monkeypatch.setattr(ops, name, watched)

    names = {"begin_round", "label_nodes", "nearest_outgoing", "nearest_across"}
    for name in names:
        watch(name)
    rounds_of(ops, local_trees(ops, made))
    assert set(used) == names
    assert not any(part.lock.locked() for part in made)


def test_pairs_of_many_components_are_told_apart(ops):
    """Numbers of pairs do not fit into 32 bits."""
    count = 1 << 17
    a, b = (ops.asarray(np.array(ends, np.int32)) for ends in ([5, 5 + (1 << 15), 5], [9, 9, 9]))
    u, v = (ops.asarray(np.array(ends)) for ends in ([0, 1, 2], [3, 4, 5]))
    weight = ops.asarray(np.array([2.0, 3.0, 1.0]))
    edges = OpenEdges.of(a, b, u, v, weight, weight)
    lightest = rounds._lightest_of_pairs(ops, edges, ops.xp.arange(count, dtype=np.int32), count)
    assert to_host(lightest.u).tolist() == [2, 1]


@pytest.mark.parametrize("chunks", [1, 3])
def test_rows_in_the_order_of_the_curve_are_cut_as_equally(ops, monkeypatch, chunks):
    """A chunk shows codes of rows in equal steps, not of its first ones."""
    monkeypatch.setattr(partition, "SAMPLE", 100)
    X = SETS["uniform"]
    order = ops.curve_order(ops.asarray(X), scale_of(ops.point_statistics(ops.asarray(X)), X.dtype)).rows
    made, _ = partitions_of(ops, X[to_host(order)], 6, chunks=chunks)
    sizes = [part.size for part in made]
    assert 480 <= min(sizes) and max(sizes) <= 520, sizes
