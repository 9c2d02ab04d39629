"""What the classes of all peers share: a fitted `HDBSCANGPU`, read under the peer's conventions."""

from __future__ import annotations

import copy
from typing import Any

from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from emst.compat.counting import Asked, neighbours_asked_for
from emst.compat.exact import fit_exact
from emst.hdbscan import HDBSCANGPU
from emst.hdbscan.trees import CondensedTree, SingleLinkageTree, SpanningTree
from emst.inputs.features import tag_inputs


class PeerClusterer(ClusterMixin, BaseEstimator):
    """A clustering by `HDBSCANGPU` with the keywords and attributes of another library.

    Rows that are not finite are noise: label -1, probability 0, outlier score 1.
    """

    exact_: HDBSCANGPU
    metric: Any
    min_samples: Any
    min_cluster_size: Any
    labels_: Any
    probabilities_: Any
    gen_min_span_tree: bool
    prediction_data: bool

    _instead = ""  # see `fit_exact`

    def _asked(self) -> Asked:
        """The neighbours of the core distances, or ValueError."""
        return neighbours_asked_for(self.min_samples, self.min_cluster_size)

    def _translated(self, X: Any) -> HDBSCANGPU:
        """The estimator, not fitted, that the keywords mean for `X`."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None) -> Any:
        """Cluster the rows of `X`; see `HDBSCANGPU.fit`.

        Parameters
        ----------
        X : array-like of shape (n, d), or (n, n) distances for ``metric="precomputed"``
            See `HDBSCANGPU.fit`.
        y : None
            Ignored.

        Returns
        -------
        HDBSCAN
            This estimator.
        """
        self._take(fit_exact(self._translated(X), X, self._asked(), self._instead))
        self._prepared = bool(self.prediction_data)
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Cluster the rows of `X` and return `labels_`.

        Parameters
        ----------
        X : array-like of shape (n, d), or (n, n) distances for ``metric="precomputed"``
            See `HDBSCANGPU.fit`.
        y : None
            Ignored.

        Returns
        -------
        int64 array of shape (n,)
            The attribute `labels_`.
        """
        return self.fit(X).labels_

    def _take(self, exact: HDBSCANGPU) -> None:
        """Keep the fitted estimator, and its labels and probabilities."""
        self.exact_ = exact
        self.labels_, self.probabilities_ = noise_for_missing(exact.labels_, exact.probabilities_)
        self.cluster_persistence_ = exact.cluster_persistence_
        self.n_features_in_ = exact.n_features_in_

    def _with(self, exact: HDBSCANGPU, **params: Any) -> Any:
        """A copy with another fitted estimator and other parameters; this one stays as it is."""
        other = copy.copy(self).set_params(**params)
        other._take(exact)
        return other

    def generate_prediction_data(self) -> None:
        """Allow predictions with this model, as `prediction_data=True` does."""
        check_is_fitted(self)
        self._prepared = True

    @property
    def condensed_tree_(self) -> CondensedTree:
        """The condensed tree."""
        return self._fitted().condensed_tree_

    @property
    def single_linkage_tree_(self) -> SingleLinkageTree:
        """The single linkage tree."""
        return self._fitted().single_linkage_tree_

    @property
    def minimum_spanning_tree_(self) -> SpanningTree:
        """The minimum spanning tree under mutual reachability; only if `gen_min_span_tree` is True."""
        exact = self._fitted()
        if not self.gen_min_span_tree:
            raise AttributeError("minimum_spanning_tree_ needs gen_min_span_tree=True")
        return exact.minimum_spanning_tree_

    def _fitted(self) -> HDBSCANGPU:
        check_is_fitted(self)
        return self.exact_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tag_inputs(tags, self.metric)
        return tags


def noise_for_missing(labels: Any, probabilities: Any) -> tuple[Any, Any]:
    """Labels and probabilities in which rows that are not finite (-2, -3) are noise (-1, 0).

    The arrays are of numpy, cupy or torch. Only methods and operators that all three have are used here.
    """
    missing = labels < -1
    if bool(missing.any()):
        labels, probabilities = labels.clip(min=-1), probabilities * 1
        probabilities[missing] = 0
    return labels, probabilities
