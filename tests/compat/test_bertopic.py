"""BERTopic treats the estimators of `emst` like hdbscan's class, after `register()`."""

import sys
import types

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA

import emst
from emst import HDBSCANGPU
from emst.compat import bertopic as adapter
from emst.compat import cuml_hdbscan, hdbscan

X, GROUP = make_blobs(300, 20, centers=4, random_state=0)
OURS = [HDBSCANGPU, hdbscan.HDBSCAN, cuml_hdbscan.HDBSCAN]


def stand_in(monkeypatch, **functions):
    """Modules with BERTopic's names; both of its functions know nothing but strings."""
    known = {
        "hdbscan_delegator": lambda model, func, embeddings=None: (model, func, embeddings),
        "is_supported_hdbscan": lambda model: isinstance(model, str),
        **functions,
    }
    for name in ("bertopic", "bertopic.cluster", *adapter.MODULES):
        module = types.ModuleType(name)
        module.__path__ = []
        if name in adapter.MODULES:
            vars(module).update({key: value for key, value in known.items() if value is not None})
        monkeypatch.setitem(sys.modules, name, module)
    return sys.modules[adapter.MODULES[0]]


@pytest.mark.parametrize("kind", OURS)
def test_the_two_functions_know_our_estimators(ops, kind, monkeypatch):
    module = stand_in(monkeypatch)
    adapter.register()
    once = module.hdbscan_delegator
    adapter.register()
    assert module.hdbscan_delegator is once
    model = kind(min_cluster_size=15, device=ops.name).fit(X)
    assert module.is_supported_hdbscan(model)
    labels, probabilities = module.hdbscan_delegator(model, "approximate_predict", X[:10])
    np.testing.assert_array_equal(labels, model.labels_[:10])
    np.testing.assert_array_equal(probabilities, model.probabilities_[:10])
    everything = module.hdbscan_delegator(model, "all_points_membership_vectors")
    np.testing.assert_array_equal(everything, emst.all_points_membership_vectors(getattr(model, "exact_", model)))
    np.testing.assert_allclose(module.hdbscan_delegator(model, "membership_vector", X[:10]), everything[:10])


def test_other_models_are_treated_as_before(monkeypatch):
    module = stand_in(monkeypatch)
    adapter.register()
    assert module.is_supported_hdbscan("theirs")
    assert not module.is_supported_hdbscan(5)
    assert module.hdbscan_delegator("theirs", "membership_vector", 3) == ("theirs", "membership_vector", 3)


def test_what_is_missing_is_named(monkeypatch):
    stand_in(monkeypatch, is_supported_hdbscan=None)
    with pytest.raises(ImportError, match="this version of BERTopic has no is_supported_hdbscan"):
        adapter.register()
    monkeypatch.setitem(sys.modules, "bertopic", None)
    monkeypatch.delitem(sys.modules, adapter.MODULES[0])
    with pytest.raises(ImportError, match="pip install bertopic"):
        adapter.register()


@pytest.mark.parametrize("kind", OURS)
def test_topics_of_documents(ops, kind):
    """Without a language model: embeddings are given, and PCA reduces them."""
    bertopic = pytest.importorskip("bertopic", reason="needs BERTopic, which needs PyTorch: pip install bertopic")
    adapter.register()
    words = ["apple pear plum", "car truck bus", "cat dog mouse", "sun moon star"]
    documents = [f"{words[group]} word{i % 7}" for i, group in enumerate(GROUP)]
    model = bertopic.BERTopic(
        embedding_model=None,
        umap_model=PCA(5),
        hdbscan_model=kind(min_cluster_size=15, device=ops.name),
        calculate_probabilities=True,
    )
    topics, probabilities = model.fit_transform(documents, embeddings=X)
    assert probabilities.shape == (300, 4)
    members = np.array(topics) >= 0
    assert (probabilities.argmax(axis=1) == topics)[members].mean() > 0.99
    found, soft = model.transform(documents[:20], embeddings=X[:20])
    assert list(found) == topics[:20]
    np.testing.assert_allclose(soft, probabilities[:20], rtol=1e-6)
    reduced = model.reduce_topics(documents, nr_topics=3)
    assert reduced.probabilities_.shape == (300, 3)
