"""Layers: the leaves over all minimum cluster sizes, the most persistent of them, and min_cluster_size="auto"."""

import pathlib
import pickle
import time

import numpy as np
import pytest
from definition_sets import KINDS, random_case
from sklearn.exceptions import NotFittedError

from emst import HDBSCANGPU
from emst.inputs.devices import to_host

CLUSTERABLE = pathlib.Path(__file__).parents[1] / "data" / "hdbscan" / "clusterable_data.npy"  # of its pages
G = np.random.default_rng(7)
UNIFORM = G.random((500, 2))
NESTED = np.concatenate([G.normal(c, 1.0, (100, 2)) for c in (0, 8, 60, 68)])


def leaves_by_definition(model, sizes):
    """The leaves of every size, as sets of points: one clustering for each size."""
    found = {}
    for size in sizes:
        labels = to_host(model.recluster(min_cluster_size=size, cluster_selection_method="leaf").labels_)
        found[size] = {frozenset(np.flatnonzero(labels == label).tolist()) for label in range(labels.max() + 1)}
    return found


def totals_by_definition(model, sizes):
    """The total persistence of the leaves of every size: each counts as many as the sizes at which it is a leaf."""
    found = leaves_by_definition(model, sizes)
    lives = [leaf for leaves in found.values() for leaf in leaves]
    counts = {leaf: lives.count(leaf) for leaf in set(lives)}
    return [sum(counts[leaf] for leaf in found[size]) for size in sizes]


def plain(case, device, rows=slice(None)):
    """A fit whose selection has the default parameters."""
    return HDBSCANGPU(min_samples=case.min_samples, device=device).fit(case.points[rows])


@pytest.mark.parametrize("kind", KINDS)
def test_the_trace_is_that_of_one_clustering_for_every_size(ops, kind):
    for seed in range(4):
        case = random_case(seed, greatest=60, kind=kind)
        model, least = plain(case, ops.name), 2 + seed % 3
        sizes = range(least, max(len(case.points), least) + 1)
        trace = model.layers(min_cluster_size=least).trace
        at = np.searchsorted(trace.sizes, sizes, side="right") - 1
        assert trace.persistences[at].tolist() == totals_by_definition(model, sizes), case
        assert trace.persistences[-1] == 0, case
        changes = np.diff(trace.sizes)
        assert (changes > 0).all(), case


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_layers_are_those_of_recluster(ops, kind):
    layers_seen = 0
    for seed in range(10):
        model = plain(random_case(seed, kind=kind), ops.name)
        layers = model.layers(max_layers=100, min_cluster_size=2)
        for size, labels in zip(layers.min_cluster_sizes.tolist(), layers.labels):
            other = model.recluster(min_cluster_size=size, cluster_selection_method="leaf")
            np.testing.assert_array_equal(to_host(labels), to_host(other.labels_))
            layers_seen += 1
    assert layers_seen


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_the_rows_changes_no_layer(ops, kind):
    for seed in range(10):
        case = random_case(seed, kind=kind)
        rows = np.random.default_rng(seed).permutation(len(case.points))
        ours, permuted = (plain(case, ops.name, order).layers(min_cluster_size=2) for order in (slice(None), rows))
        np.testing.assert_array_equal(ours.trace.sizes, permuted.trace.sizes)
        np.testing.assert_array_equal(ours.trace.persistences, permuted.trace.persistences)
        for one, other in zip(ours.labels, permuted.labels):
            one, other = to_host(one)[rows], to_host(other)
            pairs = set(zip(one.tolist(), other.tolist()))
            assert len(pairs) == len(set(one)) == len(set(other)), case


def test_layers_are_the_local_maxima_of_the_trace(ops):
    layers = HDBSCANGPU(min_samples=5, device=ops.name).fit(NESTED).layers()
    steps = [0, *layers.trace.persistences.tolist(), 0]
    tops = [i for i in range(len(layers.trace.sizes)) if steps[i] < steps[i + 1] > steps[i + 2]]
    assert layers.min_cluster_sizes.tolist() == layers.trace.sizes[tops].tolist()
    assert layers.persistences.tolist() == layers.trace.persistences[tops].tolist()
    assert layers.n_peaks == len(layers) == len(tops) > 1
    assert layers.persistences[layers.best] == layers.trace.persistences.max()
    assert layers.trace.sizes[0] == 5


def test_layers_are_nested(ops):
    """Every cluster of a layer lies within one cluster of the next, or in its noise."""
    layers = HDBSCANGPU(min_samples=2, device=ops.name).fit(UNIFORM).layers(100)
    for fine, coarse in zip(layers.labels, layers.labels[1:]):
        for label in range(int(fine.max()) + 1):
            assert len(set(to_host(coarse[fine == label]).tolist())) == 1


def test_the_most_persistent_layers_are_kept_and_the_others_counted(ops):
    model = HDBSCANGPU(min_samples=2, device=ops.name).fit(UNIFORM)
    everything, few = model.layers(100), model.layers(2)
    assert everything.n_peaks == few.n_peaks == len(everything) > 2 == len(few)
    kept = np.sort(np.argsort(-everything.persistences, kind="stable")[:2])
    assert few.min_cluster_sizes.tolist() == everything.min_cluster_sizes[kept].tolist()
    assert repr(few).startswith(f"<Layers: 2 layers of {few.n_peaks}, min_cluster_size {few.min_cluster_sizes[0]}, ")


def test_parameters_of_the_selection_have_no_effect_on_layers(ops):
    model = HDBSCANGPU(min_samples=5, device=ops.name).fit(NESTED)
    params = {"cluster_selection_epsilon": 3.0, "cluster_selection_persistence": 0.5, "allow_single_cluster": True}
    other = HDBSCANGPU(50, min_samples=5, max_cluster_size=60, device=ops.name, **params).fit(NESTED)
    for one, two in zip(model.layers().labels, other.layers().labels):
        np.testing.assert_array_equal(one, two)


def test_auto_takes_the_best_layer(ops):
    model = HDBSCANGPU("auto", device=ops.name).fit(NESTED)
    layers = model.layers()
    assert model.min_cluster_size_ == layers.min_cluster_sizes[layers.best]
    assert model.min_cluster_size == "auto"
    np.testing.assert_array_equal(model.labels_, layers.labels[layers.best])
    assert model.labels_.max() == 3
    same = HDBSCANGPU(model.min_cluster_size_, min_samples=5, cluster_selection_method="leaf", device=ops.name)
    np.testing.assert_array_equal(model.probabilities_, same.fit(NESTED).probabilities_)
    assert same.min_cluster_size_ == model.min_cluster_size_


def test_auto_looks_at_sizes_from_min_samples_up(ops):
    model = HDBSCANGPU("auto", min_samples=150, device=ops.name).fit(NESTED)
    assert model.min_cluster_size_ >= 150
    assert model.layers().trace.sizes[0] == 150
    assert HDBSCANGPU("auto", min_samples=1, device=ops.name).fit(NESTED).layers().trace.sizes[0] == 2


def test_recluster_to_auto_and_from_auto(ops):
    auto = HDBSCANGPU("auto", min_samples=5, device=ops.name).fit(NESTED)
    other = HDBSCANGPU(3, min_samples=5, device=ops.name).fit(NESTED).recluster(min_cluster_size="auto")
    assert other.min_cluster_size_ == auto.min_cluster_size_
    np.testing.assert_array_equal(other.labels_, auto.labels_)
    assert auto.recluster(min_cluster_size=7).min_cluster_size_ == 7


def test_a_pickle_keeps_the_chosen_size(ops):
    model = HDBSCANGPU("auto", device=ops.name).fit(NESTED)
    read = pickle.loads(pickle.dumps(model))
    assert read.min_cluster_size_ == model.min_cluster_size_
    assert read.condensed_tree_.to_numpy().tolist() == model.condensed_tree_.to_numpy().tolist()
    np.testing.assert_array_equal(read.layers().labels[0], model.layers().labels[0])


def test_rows_that_are_not_finite(ops):
    points = np.concatenate([[[np.nan, 0.0]], NESTED, [[np.inf, 0.0]]])
    with_gaps, without = (HDBSCANGPU("auto", device=ops.name).fit(X) for X in (points, NESTED))
    assert with_gaps.min_cluster_size_ == without.min_cluster_size_
    for one, other in zip(with_gaps.layers().labels, without.layers().labels):
        assert one.tolist() == [-3, *other.tolist(), -2]


@pytest.mark.parametrize(
    "points",
    [np.zeros((20, 2)), np.arange(20.0)[:, None], [[0.0], [1.0]]],
    ids=["duplicates", "equal gaps", "two points"],
)
def test_where_nothing_splits_there_is_no_layer(ops, points):
    model = HDBSCANGPU("auto", min_samples=2, device=ops.name).fit(points)
    layers = model.layers()
    assert (len(layers), layers.labels, layers.best, layers.n_peaks) == (0, [], None, 0)
    assert repr(layers) == "<Layers: 0 layers>"
    assert [array.tolist() for array in layers.trace] == [[2], [0]]
    assert model.min_cluster_size_ == 2
    assert set(to_host(model.labels_).tolist()) == {-1}
    single = HDBSCANGPU("auto", min_samples=2, allow_single_cluster=True, device=ops.name).fit(points)
    assert set(to_host(single.labels_).tolist()) == {0}


def test_fewer_than_two_finite_rows_have_no_layer(ops):
    model = HDBSCANGPU("auto", min_samples=1, device=ops.name).fit([[0.0], [np.nan]])
    assert len(model.layers()) == 0
    assert model.min_cluster_size_ == 2
    assert to_host(model.labels_).tolist() == [-1, -3]


def test_distances_have_layers(ops):
    distances = np.linalg.norm(NESTED[:, None] - NESTED, axis=-1)
    model = HDBSCANGPU("auto", metric="precomputed", device=ops.name).fit(distances)
    assert model.min_cluster_size_ == HDBSCANGPU("auto", device=ops.name).fit(NESTED).min_cluster_size_


def test_a_least_size_beyond_all_points(ops):
    layers = HDBSCANGPU(device=ops.name).fit(NESTED).layers(min_cluster_size=10**6)
    assert len(layers) == 0
    assert layers.trace.persistences.tolist() == [0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_layers": 0}, "max_layers must be an integer of at least 1; got 0"),
        ({"max_layers": None}, "max_layers must be an integer of at least 1; got None"),
        ({"min_cluster_size": 1}, "min_cluster_size must be an integer of at least 2; got 1"),
        ({"min_cluster_size": "auto"}, "min_cluster_size must be an integer of at least 2; got 'auto'"),
    ],
)
def test_bad_values_are_named(options, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        HDBSCANGPU(device="cpu").fit(NESTED).layers(**options)


def test_layers_need_a_fit():
    with pytest.raises(NotFittedError):
        HDBSCANGPU("auto").layers()


def test_auto_misspelt_and_too_few_points():
    with pytest.raises(ValueError, match=r"^min_cluster_size must be .* or 'auto'; got 'Auto': did you mean 'auto'\?$"):
        HDBSCANGPU("Auto").fit(NESTED)
    with pytest.raises(ValueError, match=r"^min_samples \(5\) must be at most the number of samples in X \(3\)$"):
        HDBSCANGPU("auto", device="cpu").fit(NESTED[:3])


def test_the_plot_marks_every_layer():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    layers = HDBSCANGPU(min_samples=2, device="cpu").fit(UNIFORM).layers(2)
    axis = layers.plot(figure.subplots())
    step, marks = axis.lines
    assert step.get_xdata().tolist() == layers.trace.sizes.tolist()
    assert marks.get_xydata().tolist() == np.c_[layers.min_cluster_sizes, layers.persistences].tolist()
    assert [text.get_text() for text in axis.texts] == [
        f"layer {i}: {size}" for i, size in enumerate(layers.min_cluster_sizes)
    ]
    assert axis.get_title() == f"{layers.n_peaks - 2} lower peaks not marked"


def test_the_page_shows_the_chosen_size(tmp_path):
    pytest.importorskip("bokeh")
    model = HDBSCANGPU("auto", device="cpu").fit(NESTED)
    model.save_html(tmp_path / "page.html", sizes=[10])
    assert (tmp_path / "page.html").stat().st_size > 0


def seconds_of_layers(n):
    """The least of five times that the layers of a condensed tree of n / 2 levels take."""
    steps = np.arange(n // 2, dtype=np.float64)
    pairs = (steps * (steps + 1) / 2)[:, None] + [0.0, 0.1]  # each pair joins all before it, at a greater distance
    model = HDBSCANGPU(min_samples=1, device="cpu").fit(pairs.reshape(-1, 1))
    assert model.layers(min_cluster_size=2).trace.persistences[0] == n // 2
    times = []
    for _ in range(5):
        start = time.perf_counter()
        model.layers(min_cluster_size=2)
        times.append(time.perf_counter() - start)
    return min(times)


def test_time_is_nearly_linear_in_a_tree_of_many_levels():
    """Ten times the points take some ten times as long; a quadratic step would make it a hundred times."""
    few, many = seconds_of_layers(20_000), seconds_of_layers(200_000)
    assert many < 30 * few


@pytest.mark.parametrize("kind", ["uniform", "blobs", "its example"])
def test_without_ties_the_layers_are_those_of_fast_plscan(kind):
    """It takes clusters of more than the minimum size, so its sizes are one less."""
    plscan = pytest.importorskip("fast_plscan", reason="fast_plscan is not installed")
    points = {"uniform": UNIFORM, "blobs": NESTED, "its example": np.load(CLUSTERABLE)}[kind]
    model = HDBSCANGPU(min_samples=1, device="cpu").fit(points)
    tree = model.minimum_spanning_tree_.to_numpy()
    theirs = plscan.PLSCAN(min_samples=5, metric="precomputed").fit((tree, len(points)))
    layers = model.layers(1000, min_cluster_size=6)
    trace = theirs.persistence_trace_.to_numpy()
    found = theirs.cluster_layers()
    curves = [(trace["min_size"] + 1, trace["persistence"]), layers.trace]
    steps = [np.append(True, np.diff(totals) != 0) for _, totals in curves]  # not where other leaves have equal sums
    for one, other in zip(*([part[step] for part in curve] for curve, step in zip(curves, steps))):
        assert one.tolist() == other.tolist()
    assert [size + 1 for size, *_ in found] == layers.min_cluster_sizes.tolist()
    for (_, one, _), other in zip(found, layers.labels):
        assert len(set(zip(one.tolist(), other.tolist()))) == len(set(one)) == len(set(other)) > 1
