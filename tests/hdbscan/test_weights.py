"""Weights of rows: a row of weight w counts as w rows."""

import numpy as np
import pytest
from helpers import DEVICES, to_host

from emst import HDBSCANGPU, approximate_predict, approximate_predict_scores

def check_copies(X, w, device, queries=None, **params):
    """A fit with weights is that of the copies, bit for bit."""
    ours = HDBSCANGPU(device=device, **params).fit(X, sample_weight=w)
    copies = np.repeat(np.arange(len(X)), w)
    theirs = HDBSCANGPU(device=device, **params).fit(X[copies])
    rows = np.flatnonzero(w)
    first = np.searchsorted(copies, rows)
    for name in ("labels_", "probabilities_", "core_distances_", "outlier_scores_"):
        np.testing.assert_array_equal(to_host(getattr(ours, name))[rows], to_host(getattr(theirs, name))[first], name)
    for name in ("cluster_persistence_", "relative_validity_", "min_cluster_size_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
    for a, b in zip(ours.exemplar_indices_, theirs.exemplar_indices_, strict=True):
        np.testing.assert_array_equal(a, list(dict.fromkeys(copies[b].tolist())))
    np.testing.assert_array_equal(*(stabilities(model) for model in (ours, theirs)))
    if len(rows) < len(X):
        silent = np.flatnonzero(w == 0)
        labels, probabilities = approximate_predict(ours, X[silent])
        np.testing.assert_array_equal(ours.labels_[silent], labels)
        np.testing.assert_array_equal(ours.probabilities_[silent], probabilities)
        np.testing.assert_array_equal(ours.outlier_scores_[silent], approximate_predict_scores(ours, X[silent]))
    if queries is not None:
        for a, b in zip(approximate_predict(ours, queries), approximate_predict(theirs, queries), strict=True):
            np.testing.assert_array_equal(a, b)
    return ours, theirs


def stabilities(model):
    table = model.condensed_tree_.to_numpy()
    clusters = table[table["child_size"] > 0]
    n = model._model.n
    clusters = clusters[clusters["child"] > n]
    condensed = model._model.flat.condensed
    shift = np.stack([clusters["parent"] - n, clusters["child"] - n, clusters["child_size"]])
    return np.concatenate([shift, clusters["lambda_val"][None], to_host(condensed.stability)[None, 1:]])
