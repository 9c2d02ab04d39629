"""What a model with weights of rows gives and refuses, beyond its labels: trees, files, pages, other selections."""

import json
import pickle

import numpy as np
import pytest
from helpers import DEVICES, blobs, to_host

from emst import EMST, HDBSCANGPU

X = blobs(200)
WEIGHTS = np.random.default_rng(0).integers(0, 6, 200)
COPIES = np.repeat(np.arange(200), WEIGHTS)
PARAMETERS = {"min_samples": 6, "min_cluster_size": 15}


@pytest.fixture(scope="module", params=DEVICES)
def pair(request):
    """The model of the rows with weights, and that of the copies."""
    return (
        HDBSCANGPU(**PARAMETERS, device=request.param).fit(X, sample_weight=WEIGHTS),
        HDBSCANGPU(**PARAMETERS, device=request.param).fit(X[COPIES]),
    )


def clusters_in(tree):
    """What the JSON of a condensed tree tells, with clusters counted from the root."""
    clusters = json.loads(tree.to_json())["clusters"]
    first = min(one["cluster"] for one in clusters)
    return [
        one | {key: None if one[key] is None else one[key] - first for key in ("cluster", "parent")} for one in clusters
    ]


def test_texts_and_simplified_trees_are_those_of_the_copies(pair):
    ours, theirs = pair
    for share in (0, 0.1, 0.5):
        a, b = (model.condensed_tree_.simplify(share) for model in pair)
        assert clusters_in(a) == clusters_in(b)
    assert ours.condensed_tree_.to_newick().count(",") == theirs.condensed_tree_.to_newick().count(",") > 0


def test_tables_and_a_page(pair, tmp_path):
    pytest.importorskip("pandas")
    model, _ = pair
    table = model.condensed_tree_.to_pandas()
    rows = table[table["child"] < 200].sort_values("child")
    assert rows["child_size"].tolist() == WEIGHTS[rows["child"]].tolist()
    assert model.single_linkage_tree_.to_pandas()["size"].max() == WEIGHTS.sum()
    model.save_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 10_000


@pytest.mark.parametrize("divided", [1, 3])
def test_pictures(divided):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    model = HDBSCANGPU(**PARAMETERS | {"min_cluster_size": 5, "min_samples": 2}, device="cpu")
    model.fit(X, sample_weight=WEIGHTS / divided)
    for tree in (model.condensed_tree_, model.single_linkage_tree_):
        _, axis = pyplot.subplots()
        tree.plot(ax=axis)
        assert axis.has_data()
    pyplot.close("all")


def test_a_pickle_has_the_same_trees(pair):
    model, _ = pair
    again = pickle.loads(pickle.dumps(model))
    assert again.condensed_tree_.to_json() == model.condensed_tree_.to_json()
    assert again.relative_validity_ == model.relative_validity_


def test_labels_and_constraints_take_no_weights(pair):
    model, _ = pair
    sentence = "labels and constraints take no sample_weight: leave one of the two out"
    known = np.where(np.arange(200) < 9, 0, -1)
    for call in (
        lambda: model.recluster(must_link=[[0, 1]]),
        lambda: model.recluster(cannot_link=[[0, 1]]),
        lambda: model.recluster(y=known),
        lambda: HDBSCANGPU(semi_supervised=True, **PARAMETERS).fit(X, known, sample_weight=WEIGHTS),
    ):
        with pytest.raises(ValueError, match=sentence):
            call()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("period", [5.0, [4.0, 0]])
def test_in_a_periodic_box_weights_are_copies(device, period):
    params = {"metric_params": {"period": period}, "device": device}
    ours = HDBSCANGPU(**params, **PARAMETERS).fit(X, sample_weight=WEIGHTS)
    theirs = HDBSCANGPU(**params, **PARAMETERS).fit(X[COPIES])
    rows = np.flatnonzero(WEIGHTS)
    first = np.searchsorted(COPIES, rows)
    for name in ("labels_", "probabilities_", "core_distances_", "outlier_scores_"):
        np.testing.assert_array_equal(to_host(getattr(ours, name))[rows], to_host(getattr(theirs, name))[first], name)
    np.testing.assert_array_equal(to_host(ours.predict(X[:40] + 0.1)), to_host(theirs.predict(X[:40] + 0.1)))
    positive = np.maximum(WEIGHTS, 1)
    tree = EMST(min_samples=6, **params).fit(X, sample_weight=positive)
    copies = EMST(min_samples=6, **params).fit(np.repeat(X, positive, axis=0))
    first = np.cumsum(positive) - positive
    np.testing.assert_array_equal(to_host(tree.core_distances_), to_host(copies.core_distances_)[first])
