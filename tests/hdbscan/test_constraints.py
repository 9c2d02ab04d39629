"""Labels of some rows and constraints, as users of `HDBSCANGPU` see them."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from constraints_reference import pairs_of, satisfied
from helpers import to_device, to_host
from sklearn.base import clone

from emst import HDBSCANGPU
from emst.gpus.inputs import row_count
from emst.hdbscan.constraints import ConstraintCounts

CENTRES = [(0, 0), (5, 0), (30, 0), (35, 0), (60, 0), (65, 0)]  # six groups, in three pairs
KIND = np.repeat(np.arange(6), 60)  # group of every row
PAIR = KIND // 2


def points():
    g = np.random.default_rng(0)
    return np.concatenate([g.normal(centre, 0.8, (60, 2)) for centre in CENTRES])


def some(labels, share=0.2, seed=1):
    """Labels of some rows, -1 for the others."""
    return np.where(np.random.default_rng(seed).random(len(labels)) < share, labels, -1)


def fitted(ops, **params):
    return HDBSCANGPU(min_cluster_size=10, min_samples=5, device=ops.name, **params)


def counts_of(model, y=None, must=(), cannot=()):
    labels = to_host(model.labels_).tolist()
    pairs = pairs_of([-1] * len(labels) if y is None else y.tolist(), must, cannot)
    number = satisfied(labels, pairs)
    return ConstraintCounts(number, len(pairs) - number, len(pairs))


@pytest.mark.parametrize(("kinds", "clusters"), [(KIND, 6), (PAIR, 3)])
def test_labels_choose_between_groups_and_pairs_of_groups(ops, kinds, clusters):
    y = some(kinds)
    model = fitted(ops, semi_supervised=True).fit(points(), y)
    assert model.labels_.max() + 1 == clusters
    assert model.constraints_ == counts_of(model, y)
    assert model.constraints_.unsatisfied < 0.01 * model.constraints_.total  # of labelled rows that are noise
    for label in range(clusters):
        assert np.bincount(kinds[model.labels_ == label]).max() > 0.95 * (model.labels_ == label).sum()
    again = fitted(ops).fit(points()).recluster(y=y)
    for name in ("labels_", "probabilities_", "cluster_persistence_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    np.testing.assert_array_equal(fitted(ops, semi_supervised=True).fit_predict(points(), y), model.labels_)


def test_labels_are_ignored_unless_asked_for(ops):
    plain = fitted(ops).fit(points())
    for y in (some(PAIR), ["a"] * 7):
        np.testing.assert_array_equal(fitted(ops).fit(points(), y).labels_, plain.labels_)
        np.testing.assert_array_equal(fitted(ops).fit_predict(points(), y), plain.labels_)
    assert not hasattr(plain, "constraints_")
    nothing = fitted(ops, semi_supervised=True).fit(points(), np.full(360, -1))
    np.testing.assert_array_equal(nothing.labels_, plain.labels_)
    with pytest.raises(AttributeError, match="no constraints_: they are made where labels or constraints are given"):
        _ = nothing.constraints_


def test_pairs_that_contradict_one_another_are_counted(ops):
    model = fitted(ops).fit(points())
    must, cannot = [[0, 1], [0, 61], [0, 1]], [[0, 61], [1, 61], [0, 359]]
    chosen = model.recluster(must_link=must, cannot_link=cannot)
    assert chosen.constraints_ == counts_of(chosen, None, must, cannot) == (5, 1, 6)
    assert not hasattr(model, "constraints_")
    every = model.recluster(y=some(PAIR), must_link=must, cannot_link=cannot)
    assert every.constraints_ == counts_of(every, some(PAIR), must, cannot)


def test_a_weight_below_one_gives_up_constraints_for_stability(ops):
    y = np.full(360, -1)
    y[[0, 60]] = 0  # two groups belong together
    model = fitted(ops).fit(points())
    assert model.labels_.max() + 1 == 6
    joined = [model.recluster(y=y, constraint_weight=weight) for weight in (1.0, 0.9, 0.01, 0.0)]
    assert [one.constraints_.satisfied for one in joined] == [1, 1, 0, 0]
    assert [one.labels_.max() + 1 for one in joined] == [5, 5, 6, 6]


def test_constraints_stay_until_others_are_given(ops):
    model = fitted(ops, semi_supervised=True).fit(points(), some(PAIR))
    finer = model.recluster(min_cluster_size=5)
    assert finer.constraints_ == model.constraints_
    assert finer.recluster(min_cluster_size=10, must_link=[[0, 1]]).constraints_ == (1, 0, 1)
    plain = model.recluster(must_link=[])
    assert not hasattr(plain, "constraints_")
    np.testing.assert_array_equal(plain.labels_, fitted(ops).fit(points()).labels_)
    assert plain.recluster(cluster_selection_method="leaf").labels_.max() > 0
    model.set_params(semi_supervised=False).fit(points())
    assert not hasattr(model, "constraints_")


def test_pickles_and_clones(ops):
    y = some(PAIR)
    model = fitted(ops, semi_supervised=True, constraint_weight=0.9).fit(points(), y)
    twin = pickle.loads(pickle.dumps(model))
    assert twin.constraints_ == model.constraints_
    np.testing.assert_array_equal(twin.recluster().labels_, model.labels_)
    np.testing.assert_array_equal(twin.predict(points()), model.labels_)
    assert clone(model).get_params() == model.get_params()


def test_labels_of_every_kind(ops):
    y = some(PAIR)
    expected = fitted(ops, semi_supervised=True).fit(points(), y)
    others = y.astype(np.int8), y.tolist(), pd.Series(y, index=range(7, 367)), np.where(y < 0, y, 10**9 * (3 - y))
    for labels in (*others, to_device(ops, y)):
        model = fitted(ops, semi_supervised=True).fit(points(), labels)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
    frame = pd.DataFrame({"a": [0, 60], "b": [1, 61]})
    for pairs in (frame, to_device(ops, frame.to_numpy()), [(0, 1), (60, 61)]):
        assert expected.recluster(must_link=pairs).constraints_ == (2, 0, 2)


def test_rows_that_are_not_finite(ops):
    x, y = points(), some(PAIR)
    x[[3, 100]] = np.nan, np.inf
    y[[3, 100]] = -1
    model = fitted(ops, semi_supervised=True).fit(x, y)
    assert model.constraints_ == counts_of(model, y)
    assert model.constraints_.unsatisfied == 0
    assert model.recluster(must_link=[[4, 101]], cannot_link=[[101, 359]]).constraints_ == (2, 0, 2)
    y[[3, 100]] = 1
    names = r" names row 3, which is in no cluster because it holds NaN or infinity: "
    with pytest.raises(ValueError, match=rf"^y{names}set it to -1 there \(2 such\)$"):
        fitted(ops, semi_supervised=True).fit(x, y)
    for name in ("must_link", "cannot_link"):
        with pytest.raises(ValueError, match=rf"^{name}{names}leave the pair out \(1 such\)$"):
            model.recluster(**{name: [[1, 2], [3, 2]]})


def test_too_few_points_for_a_tree(ops):
    x = [[0.0, 0.0], [np.nan, 1.0]]
    model = HDBSCANGPU(min_samples=1, semi_supervised=True, device=ops.name).fit(x, [0, -1])
    assert model.constraints_ == (0, 0, 0)
    assert model.recluster(must_link=[[0, 0]]).constraints_ == (0, 1, 1)


BAD_LABELS = [
    (None, "semi_supervised=True takes labels of some rows, -1 for the others: fit(X, y)"),
    (["a"] * 360, "y must hold integers, -1 for rows whose label is unknown; got dtype <U1: pandas.factorize(y)[0]"),
    (np.ones(360), "y must hold integers, -1 for rows whose label is unknown; got dtype float64: pandas.factorize"),
    ([], "y must have one label for each row of X, n_samples = 360; got shape (0,)"),
    (np.ones(359, int), "y must have one label for each row of X, n_samples = 360; got shape (359,)"),
    (np.ones((360, 1), int), "y must have one label for each row of X, n_samples = 360; got shape (360, 1)"),
    (np.ma.masked_array(np.zeros(360, int), mask=np.arange(360) == 7), "y must not be masked: leave the masked values"),
    (
        np.repeat([0, -3, -2], 120),
        "y must be at least 0, or -1 for rows whose label is unknown; got -3 in row 120 (240",
    ),
]


@pytest.mark.parametrize(("y", "message"), BAD_LABELS)
def test_bad_labels(y, message):
    model = HDBSCANGPU(semi_supervised=True, device="cpu")
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        model.fit(points(), y)
    if y is not None:
        with pytest.raises(ValueError, match="^" + re.escape(message)):
            HDBSCANGPU(device="cpu").fit(points()).recluster(y=y)


BAD_PAIRS = [
    ([0, 1], "must be pairs of row numbers, integers of shape (m, 2); got int64 of shape (2,)"),
    ([[0, 1, 2]], "must be pairs of row numbers, integers of shape (m, 2); got int64 of shape (1, 3)"),
    ([[0.0, 1.0]], "must be pairs of row numbers, integers of shape (m, 2); got float64 of shape (1, 2)"),
    ([[0, 1], [2, 360]], "must name rows of X, from 0 to n_samples - 1 = 359; got 360 in pair 1 (1 such)"),
    ([[-1, 1], [2, 360]], "must name rows of X, from 0 to n_samples - 1 = 359; got -1 in pair 0 (2 such)"),
]


@pytest.mark.parametrize("name", ["must_link", "cannot_link"])
@pytest.mark.parametrize(("pairs", "message"), BAD_PAIRS)
def test_bad_pairs(name, pairs, message):
    with pytest.raises(ValueError, match="^" + re.escape(f"{name} {message}")):
        HDBSCANGPU(device="cpu").fit(points()).recluster(**{name: pairs})


def test_a_row_cannot_be_apart_from_itself():
    model = HDBSCANGPU(min_cluster_size=10, device="cpu").fit(points())
    with pytest.raises(
        ValueError, match=r"^cannot_link must hold pairs of different rows; pair 1 is row 5 twice \(1 s"
    ):
        model.recluster(cannot_link=[[0, 1], [5, 5]])
    inside = int(np.flatnonzero(model.labels_ >= 0)[0])
    assert model.recluster(must_link=[[inside, inside]]).constraints_ == (1, 0, 1)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"cluster_selection_method": "leaf"}, "cluster_selection_method must be 'eom' with labels or constraints"),
        ({"cluster_selection_epsilon": 0.5}, "cluster_selection_epsilon must be 0 with labels or constraints"),
        ({"min_cluster_size": "auto"}, "min_cluster_size must be a number with labels or constraints"),
    ],
)
def test_parameters_that_leave_nothing_to_choose(params, message):
    y = some(PAIR)
    with pytest.raises(ValueError, match="^" + message):
        HDBSCANGPU(**params, semi_supervised=True, device="cpu").fit(points(), y)
    with pytest.raises(ValueError, match="^" + message):
        HDBSCANGPU(semi_supervised=True, device="cpu").fit(points(), y).recluster(**params)


def test_rows_of_a_list_of_arrays_number_through():
    assert row_count([np.zeros((2, 1)), np.zeros((3, 1))], "all") == 5
    assert row_count(points(), None) == row_count(points().tolist(), None) == 360
