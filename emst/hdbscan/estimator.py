"""HDBSCAN*: clusters of varying density, from the spanning tree under mutual reachability to labels.

`HDBSCANGPU.fit` lists the stages: the spanning tree (`fitting.py`), its dendrogram, the condensed tree, the selection
of clusters with labels and probabilities (`hierarchy/`). Attributes that not every user reads are computed when they
are first read (`attributes.py`).

References
----------
R. Campello, D. Moulavi, A. Zimek, J. Sander, "Hierarchical density estimates for data clustering, visualization, and
outlier detection", TKDD 2015. L. McInnes, J. Healy, "Accelerated hierarchical density based clustering", ICDMW 2017.
C. Malzer, M. Baum, "A hybrid approach to hierarchical density-based cluster selection", MFI 2020 (epsilon).
"""

from __future__ import annotations

import difflib
import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from emst.distances.metrics import check_columns
from emst.gpus.inputs import first_of, row_count
from emst.hdbscan.attributes import FittedAttributes
from emst.hdbscan.centers import Centers, centers_of
from emst.hdbscan.constraints import check_choice, check_unweighted, known_of
from emst.hdbscan.fitting import tree_model
from emst.hdbscan.keywords import tells_equivalents
from emst.hdbscan.layers import Layers, layers_of
from emst.hdbscan.model import Model
from emst.hdbscan.parameters import (
    CLUSTER_SIZE,
    RECLUSTERED,
    RULES,
    Conventions,
    at_least,
    check_parameters,
    least_size,
    options_of,
    parameters_of_tree,
    request_of,
)
from emst.hdbscan.weightless import cut_labels, labels_of, probabilities_of
from emst.hierarchy.selection import check_cut
from emst.inputs.features import ATTRIBUTES, features_of, set_features, tag_inputs
from emst.inputs.weights import require_whole_weights
from emst.progress import showing

FEW = 5  # up to here, min_samples may follow min_cluster_size without a word
MIN_SAMPLES = (
    "min_samples is {0:,} because min_cluster_size is; a lower one, such as min_samples=5, takes less time and leaves "
    "fewer points as noise"
)


class HDBSCANGPU(FittedAttributes, ClusterMixin, BaseEstimator):
    """Hierarchical density-based clustering of applications with noise, HDBSCAN*, on the CPU or the GPU.

    Parameters
    ----------
    min_cluster_size : int or "auto", default 5
        Smallest number of points that is a cluster. "auto" takes the best layer, see `layers`: of all sizes from
        `min_samples` up, the one at which the leaves of the condensed tree are the most persistent (PLSCAN). It selects
        leaves, whatever `cluster_selection_method` is. `min_cluster_size_` says which size that is.
    min_samples : int, optional
        The core distance of a point is the distance to its `min_samples`-th nearest, **counting the point itself**, as
        in scikit-learn: 1 is plain single linkage. hdbscan, cuML and fast_hdbscan do not count it: pass k + 1 for their
        k. None takes `min_cluster_size` (hdbscan's default of 5 is 6 here), and 5 if that is "auto", so a large
        `min_cluster_size` alone makes core distances reach far. Set `min_samples` (to 5, say) to take less time and
        leave fewer points as noise.
    cluster_selection_epsilon : float, default 0.0
        A selected cluster that splits off its parent at a smaller distance than this is replaced by its first ancestor
        that does so at a greater one; if there is none but the root, by the one just below the root, or by the root
        itself with `allow_single_cluster`.
    max_cluster_size : int, optional
        Largest number of points of a cluster that "eom" selects; None for any number.
    metric : str or callable, default "euclidean"
        A metric of `sklearn.metrics.pairwise_distances`, a function of two rows, or "precomputed". With "precomputed"
        `X` is a matrix of distances: a dense one, in which infinity marks missing distances, or a sparse one, in which
        entries that are not stored are missing and stored zeros are distances. Components that no distance connects are
        joined at infinite height. The tree search serves euclidean, sqeuclidean, manhattan, chebyshev, minkowski (p
        from 1 to 32, or infinity), cosine and haversine (latitude and longitude, in this order); other metrics, and
        sparse features, take O(n^2) time and memory.
    metric_params : dict, optional
        Parameters of the metric, such as ``{"p": 3}``. For haversine ``{"degrees": True}`` says that places are in
        degrees, not in radians, and with ``{"radius": 6371.0088}`` all lengths, `cluster_selection_epsilon` too, are in
        km on the earth, not angles. ``{"period": L}`` is the length of a periodic box, or one length for each column,
        0 where it is open, for euclidean, manhattan, chebyshev and minkowski; coordinates are wrapped into [0, L)
        first. Sparse distances take ``{"max_distance": d}``: the distance that stands for missing ones.
    alpha : float, default 1.0
        Distances, but not core distances, are divided by it: weights are max(alpha * core, alpha * core, distance) /
        alpha, rounded in that order. With values other than 1, haversine takes a matrix of distances.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default "auto"
        Has no effect on the result, which is always exact. "kd_tree" and "ball_tree" refuse the metrics and sparse data
        that scikit-learn refuses.
    leaf_size : int, default 40
        Has no effect; it is accepted because scikit-learn has it.
    n_jobs : int, optional
        Has no effect; it is accepted because scikit-learn has it.
    cluster_selection_method : {"eom", "leaf"}, default "eom"
        "eom" selects the clusters of greatest excess of mass (stability), "leaf" the leaves of the condensed tree.
    allow_single_cluster : bool, default False
        Allow the root to be selected as the only cluster. With "leaf" that is a root that never splits; to hdbscan,
        scikit-learn and cuML all points are noise then.
    store_centers : {None, "centroid", "medoid", "both"}, default None
        Centres to compute: `centroids_`, in O(n d) time, or `medoids_`, in O(s^2 d) time at worst for a cluster of s
        points. The triangle inequality saves most of that time in few dimensions (euclidean, haversine, manhattan,
        chebyshev, minkowski), the mean saves it in any number (sqeuclidean, cosine). A UserWarning announces searches
        of more than 10^10 distances.
    copy : bool, default False
        Has no effect: `X` is never changed.
    cluster_selection_persistence : float, default 0.0
        Merge back splits unless two or more sides have at least this persistence, in units of lambda = 1 / distance.
    cluster_selection_epsilon_max : float, default infinity
        Clusters that split off their parent at a greater distance than this are not selected by "eom"; nor is the root
        if the tree has a longer edge.
    semi_supervised : bool, default False
        Whether `fit` uses the labels `y` of some rows; otherwise it ignores `y`. The clusters are then selected by what
        the labels say of every pair of labelled rows: of equal labels they must be in one cluster, of different labels
        they cannot be. Takes "eom", an epsilon of 0 and a number for `min_cluster_size`.
    constraint_weight : float, default 1.0
        How constraints (`semi_supervised`, `recluster`) and stability are weighed. 1 selects the clusters that satisfy
        the most constraints, of these the most stable. Less, w, selects those of the greatest w * satisfied / all
        constraints + (1 - w) * stability / the greatest stability without constraints; 0 ignores the constraints.
        Without constraints it has no effect.
    prediction_data : bool, default False
        Prepare predictions during the fit, not when `predict` or a similar function is first called; also compile what
        `predict` needs. Predictions need
        `X` unchanged; a reference to it is kept.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where to compute. "auto" takes the GPU that holds the data; for data on the host the current GPU if it can be
        used, otherwise the CPU. `device_` says which.
    device_ids : "all" or list of int, optional
        Numbers of the GPUs that compute together, each with a share of the points, where the tree is found by
        search. All comes together on the one that holds the data, or else on the first. `X` may also be a list of
        arrays, on any devices: their rows number through, and values of all rows are such a list. Few points, and data
        that needs a matrix of distances, take one GPU.
    dtype : {None, float32, float64}, default None
        What to compute in. None takes float32 for float16 and float32 input and float64 for all other; sqeuclidean,
        cosine, haversine and metrics that need a matrix of distances take float64.
    verbose : bool, int or "bar", default False
        What to write to standard error: with True or a number above 0 lines about how the tree is built, kernels that
        are compiled, every round, and the seconds that each stage takes; with "bar" a bar of tqdm, which is removed at
        the end. Without it, a UserWarning announces fits that need all pairs of points and more than a minute.

    Attributes
    ----------
    labels_ : int64 array of shape (n,)
        Cluster of each row; -1 for noise. Rows with infinite values get label -2, rows with NaN (or with infinities of
        both signs) -3; they do not influence the others. If fewer than two rows are finite, they are noise.
    min_cluster_size_ : int
        Smallest number of points that is a cluster: `min_cluster_size`, or what "auto" has chosen.
    probabilities_ : float64 array of shape (n,)
        The lambda at which a row leaves its cluster over the greatest lambda of the cluster, at most 1; 0 for rows
        labelled -1 and -2, NaN for rows labelled -3. Members can have exactly 0 as well: for one, if equal points make
        the greatest lambda infinite. So `labels_ >= 0` finds members, and `probabilities_ > 0` does not.
    cluster_persistence_ : float64 array of shape (n_clusters,)
        How persistent each cluster is, from 0 to 1. Computed when it is first read, as are the attributes below down to
        `minimum_spanning_tree_`.
    outlier_scores_ : float64 array of shape (n,)
        GLOSH outlier score of each row, from 0 to 1; 1 for rows with infinite values, NaN for rows with NaN.
    exemplars_ : list of n_clusters arrays of shape (number of exemplars, d)
        Rows of `X` that stay longest in the leaves of the condensed tree below each cluster.
    exemplar_indices_ : list of n_clusters int64 arrays
        Which rows of `X` the `exemplars_` are.
    relative_validity_ : float
        Density-based cluster validity, computed from the spanning tree alone, from -1 to 1; O(n) time.
    condensed_tree_ : CondensedTree
        The condensed tree, with hdbscan's interface.
    single_linkage_tree_ : SingleLinkageTree
        The dendrogram, with hdbscan's interface.
    minimum_spanning_tree_ : SpanningTree
        The spanning tree under mutual reachability, with hdbscan's interface.
    centroids_ : float64 array of shape (n_clusters, d)
        Mean of each cluster, weighted by probability; under haversine the mean of unit vectors, in the unit of `X`.
        Only if `store_centers` is "centroid" or "both".
    medoids_ : float64 array of shape (n_clusters, d)
        Row of each cluster with the least sum of distances to the others, weighted by probability. Only if
        `store_centers` is "medoid" or "both".
    core_distances_ : array of shape (n,)
        Distance of each row to its `min_samples`-th nearest, itself included, in the units of the metric and in the
        dtype that was computed in; NaN for rows that are not finite.
    constraints_ : ConstraintCounts
        Numbers of constraints: `satisfied`, `unsatisfied` and `total`. Only with labels or constraints.
    device_ : {"cpu", "cuda"}
        Where the clusters were computed.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : array of shape (d,)
        Names of the columns. Only when `X` has string column names.

    Notes
    -----
    Results are arrays of the same kind as `X`, on the same device. The same input gives the same result in every run
    and on every device, except for the last digits of angles and of matrices of distances. Equal heights of the
    dendrogram are merged at once, as in the definition (Campello, Moulavi & Sander 2013, Algorithm 1), so the order of
    the rows changes no cluster, only the numbers of clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from emst import HDBSCANGPU
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, size=(100, 2)) for c in (0, 20, 40)])
    >>> model = HDBSCANGPU(min_cluster_size=20, min_samples=5).fit(X)
    >>> model.labels_.shape, int(model.labels_.max()) + 1, int((model.labels_ == -1).sum())
    ((300,), 3, 0)
    >>> model.predict([[0.5, 0.5], [10.0, 10.0]])
    array([1, 2])
    """

    _conventions = Conventions()

    @tells_equivalents
    def __init__(
        self,
        min_cluster_size: int | str = 5,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        max_cluster_size: int | None = None,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 40,
        n_jobs: int | None = None,
        cluster_selection_method: str = "eom",
        allow_single_cluster: bool = False,
        store_centers: str | None = None,
        copy: bool = False,
        *,
        cluster_selection_persistence: float = 0.0,
        cluster_selection_epsilon_max: float = math.inf,
        semi_supervised: bool = False,
        constraint_weight: float = 1.0,
        prediction_data: bool = False,
        device: str = "auto",
        device_ids: Any = None,
        dtype: Any = None,
        verbose: bool | int | str = False,
    ) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.metric_params = metric_params
        self.alpha = alpha
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.store_centers = store_centers
        self.copy = copy
        self.cluster_selection_persistence = cluster_selection_persistence
        self.cluster_selection_epsilon_max = cluster_selection_epsilon_max
        self.semi_supervised = semi_supervised
        self.constraint_weight = constraint_weight
        self.prediction_data = prediction_data
        self.device = device
        self.device_ids = device_ids
        self.dtype = dtype
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> HDBSCANGPU:
        """Cluster the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n, d), or (n, n) distances for ``metric="precomputed"``
            numpy, lists, pandas, SciPy's sparse matrices, cupy, torch; CuPy's sparse matrices as distances. Data on a
            GPU stays on that GPU.
        y : int array-like of shape (n,), optional
            Labels of some rows, -1 for the others, with ``semi_supervised=True``. Ignored otherwise.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows; by default all are 1. A row of weight w counts as w rows at the same place: in core
            distances (the least radius within which the weights, its own included, sum to `min_samples`) and in the
            sizes of clusters. Whole numbers give, bit for bit, what so many copies of the rows give. A row of weight 0
            influences nothing, and gets the label that `predict` gives. Other weights are rounded to multiples of the
            least power of two of which there are less than 2^52 in all. With ``min_samples=1`` core distances are 0,
            whatever the weights. For metrics that the tree search supports, without `device_ids`.

        Returns
        -------
        HDBSCANGPU
            This estimator. If the fit fails, it stays as it was.

        Raises
        ------
        ValueError
            A parameter out of range; a single row; `min_samples` above the number of finite rows, or above the sum of
            their weights; weights that are negative, infinite, NaN, all 0 or not one a row; values that are not
            real numbers; distances that are negative, NaN or not symmetric; a metric that does not fit the data; for
            haversine, angles beyond pi / 2 and 2 pi (or 90 and 360 degrees), or columns called longitude and latitude
            in this order; with ``semi_supervised=True``, labels that are missing, no integers, not one for each row, or
            of a row that is not finite.
        TypeError
            Column names of which only some are strings; a sparse matrix on a GPU that does not hold distances.
        RuntimeError
            ``device="cuda"`` without CuPy or a GPU.
        MemoryError
            Not enough memory; raised before anything is allocated.

        Warns
        -----
        UserWarning
            `X` is a data frame of two columns called latitude and longitude, and the metric is Euclidean; places that
            look like radians with ``degrees=True``; components that no given distance connects, which join at infinity;
            a fit that compares all pairs for more than a minute; ``prediction_data=True`` without features.
        """
        check_parameters(self)
        known = None
        if self.semi_supervised:
            check_choice(self)
            if y is None:
                raise ValueError("semi_supervised=True takes labels of some rows, -1 for the others: fit(X, y)")
            check_unweighted(sample_weight)
            known = known_of(row_count(X, self.device_ids), y)
        first = first_of(X, self.device_ids)
        features = features_of(first)
        with showing(self.verbose) as progress:
            request = request_of(self, progress, sparse=issparse(X), sample_weight=sample_weight)
            check_columns(getattr(first, "columns", ()), request.metric, self._conventions.degrees)
            done = progress.done
            if self.min_samples is None and request.min_samples > FEW:
                progress.note(MIN_SAMPLES.format(request.min_samples))
            model = tree_model(X, request)
            with model.scope():
                done("spanning tree", model.weights)
                if known is not None:
                    model.constraints = known.constraints(model.rows, model.ops)
                model = model.clustered(model.options, done)
                if self.prediction_data and not model.has_features:
                    warnings.warn(f"prediction_data=True has no effect: {model.metric.why}", UserWarning, stacklevel=2)
                centers = centers_of(model, self.store_centers)
                if self.prediction_data:
                    from emst.hdbscan.prediction import prepare_predictions

                    prepare_predictions(model)
                self._take(model, centers, features)
        self._of_tree = parameters_of_tree(self)
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Cluster the rows of `X` and return `labels_`.

        Parameters
        ----------
        X : array-like of shape (n, d), or (n, n) distances for ``metric="precomputed"``
            As for `fit`.
        y, sample_weight : array-like of shape (n,), optional
            As for `fit`.

        Returns
        -------
        int64 array of shape (n,)
            The attribute `labels_`.
        """
        return self.fit(X, y, sample_weight=sample_weight).labels_

    def predict(self, X: Any) -> Any:
        """Labels of new points in this clustering, which they do not change; see `approximate_predict`.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Points with the features of the training data, on any device.

        Returns
        -------
        int64 array of shape (m,)
            Of the same kind as `X`, on the same device. A row that equals a training point has that point's label:
            ``predict(X)`` of the training data is `labels_`.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        ValueError
            `X` has another number of features, or the model was fitted to distances or to sparse features.

        Examples
        --------
        >>> import numpy as np
        >>> from emst import HDBSCANGPU
        >>> rng = np.random.default_rng(0)
        >>> X = np.concatenate([rng.normal(c, size=(100, 2)) for c in (0, 20, 40)])
        >>> model = HDBSCANGPU(min_cluster_size=20).fit(X)
        >>> model.predict([[0.5, 0.5], [10.0, 10.0]])
        array([1, 2])
        """
        from emst.hdbscan.prediction import approximate_predict

        return approximate_predict(self, X)[0]

    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> Any:
        """Labels of DBSCAN* (DBSCAN without border points): clusters of points within `cut_distance` of each other.

        Parameters
        ----------
        cut_distance : float
            Mutual reachability distance at which to cut the dendrogram.
        min_cluster_size : int, default 5
            Points of smaller clusters are noise.

        Returns
        -------
        int64 array of shape (n,)
            Cluster of each row; -1 for noise, -2 for rows with infinite values, -3 for rows with NaN.

        Examples
        --------
        >>> import numpy as np
        >>> from emst import HDBSCANGPU
        >>> rng = np.random.default_rng(0)
        >>> X = np.concatenate([rng.normal(c, size=(100, 2)) for c in (0, 20, 40)])
        >>> model = HDBSCANGPU(min_cluster_size=20).fit(X)
        >>> labels = model.dbscan_clustering(2.0)
        >>> int(labels.max()) + 1, int((labels == -1).sum())
        (3, 10)
        """
        check_is_fitted(self)
        height, least = check_cut(cut_distance, min_cluster_size)
        model = self._model
        if model.linkage is None:
            return self.labels_
        with model.scope():
            return model.give_values(cut_labels(model, height, least))

    def recluster(self, *, y: Any = None, must_link: Any = None, cannot_link: Any = None, **params: Any) -> HDBSCANGPU:
        """Select clusters from the same dendrogram with other parameters or constraints, without a new tree.

        Parameters
        ----------
        y : int array-like of shape (n,), optional
            Labels of some rows, -1 for the others: pairs of rows of one label must be linked, pairs of rows of
            different labels cannot be.
        must_link : int array-like of shape (p, 2), optional
            Pairs of rows. The two rows of a pair should be in the same cluster.
        cannot_link : int array-like of shape (q, 2), optional
            Pairs of rows that should not be in the same cluster. This also holds if one of them is noise. Constraints
            may contradict one another, and count as often as they are given. If none of the three is given, those of
            this estimator hold; an empty list, as in ``must_link=[]``, selects without any.
        **params
            New values for any of `min_cluster_size`, `cluster_selection_method`, `cluster_selection_epsilon`,
            `cluster_selection_epsilon_max`, `cluster_selection_persistence`, `max_cluster_size`,
            `allow_single_cluster`, `constraint_weight` and `store_centers`.

        Returns
        -------
        HDBSCANGPU
            A new fitted estimator with the `min_samples` of the tree; this one stays as it is. Its `constraints_` say
            how many constraints are satisfied.

        Raises
        ------
        ValueError
            No such parameter, or one that the tree depends on, such as `min_samples` or `metric`: it takes a new `fit`.
            Labels or pairs that are not integers, of another shape, or of rows that do not exist or are not finite; a
            row that cannot be linked with itself; constraints with other than "eom" and an epsilon of 0.

        Examples
        --------
        >>> import numpy as np
        >>> from emst import HDBSCANGPU
        >>> rng = np.random.default_rng(0)
        >>> X = np.concatenate([rng.normal(c, size=(100, 2)) for c in (0, 20, 40)])
        >>> model = HDBSCANGPU(min_cluster_size=20, min_samples=5).fit(X)
        >>> int(model.labels_.max()) + 1
        3
        >>> finer = model.recluster(min_cluster_size=5, cluster_selection_method="leaf")
        >>> int(finer.labels_.max()) + 1
        11
        >>> model.recluster(must_link=[[0, 150]], cannot_link=[[0, 250]]).constraints_
        ConstraintCounts(satisfied=2, unsatisfied=0, total=2)
        """
        check_is_fitted(self)
        unknown = [name for name in params if name not in RULES]
        if unknown:
            raise ValueError(f"recluster has no parameter {unknown[0]!r}; {_suggestion(unknown[0])}")
        fixed = [name for name in params if name not in RECLUSTERED]
        if fixed:
            raise ValueError(
                f"recluster takes {', '.join(RECLUSTERED)}; got {', '.join(fixed)}, for which a new fit is needed"
            )
        other = clone(self).set_params(**(self._of_tree | {"min_samples": self._model.min_samples} | params))
        other._of_tree = self._of_tree  # what the tree was made with, whatever has been set since
        check_parameters(other)
        constraints = self._model.constraints
        with self._model.scope():
            if y is not None or must_link is not None or cannot_link is not None:
                known = known_of(self._model.n, y, must_link, cannot_link)
                check_unweighted(self._model.row_weights if known.anything else None)
                constraints = known.constraints(self._model.rows, self._model.ops)
            if constraints is not None:
                check_choice(other)
            options = options_of(other)
            if options.auto:
                require_whole_weights(self._model.row_weights, "min_cluster_size='auto'")
            model = replace(self._model, constraints=constraints).clustered(options)
            features = {name: getattr(self, name) for name in ATTRIBUTES if hasattr(self, name)}
            other._take(model, centers_of(model, other.store_centers), features)
        return other

    def layers(self, max_layers: int = 10, *, min_cluster_size: int | None = None) -> Layers:
        """The best values of `min_cluster_size`, and the labels for each of them (PLSCAN).

        A cluster is a leaf of the condensed tree for a range of minimum cluster sizes, and its persistence is the
        number of these sizes. The layers are where the sum of the persistences of all leaves has a local maximum. The
        ranges of all clusters come from one condensed tree, in O(n log n) time; labels take O(n) for each layer.

        Parameters
        ----------
        max_layers : int, default 10
            Most layers to return: those of the greatest total persistence.
        min_cluster_size : int, optional
            Least size to look at, at least 2; by default the `min_samples` of the tree, as in PLSCAN.

        Returns
        -------
        Layers
            Sizes, total persistences and labels of the layers, the finest first. There is none if nothing splits. The
            labels of a layer are those of ``recluster(min_cluster_size=size, cluster_selection_method="leaf")`` where
            the other parameters of the selection have their defaults: here they have no effect.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        ValueError
            `max_layers` is less than 1, or `min_cluster_size` less than 2.

        Examples
        --------
        >>> import numpy as np
        >>> from emst import HDBSCANGPU
        >>> rng = np.random.default_rng(0)
        >>> X = np.concatenate([rng.normal(c, size=(100, 2)) for c in (0, 8, 60, 68)])
        >>> layers = HDBSCANGPU(min_samples=5).fit(X).layers()
        >>> for size, labels in zip(layers.min_cluster_sizes, layers.labels):
        ...     print(size, labels.max() + 1)
        7 9
        24 4
        """
        check_is_fitted(self)
        at_least(1).check("max_layers", max_layers)
        least = least_size(self._model.min_samples) if min_cluster_size is None else min_cluster_size
        CLUSTER_SIZE.check("min_cluster_size", least)
        with self._model.scope():
            return layers_of(self._model, int(least), int(max_layers))

    def save_html(
        self,
        file: Any,
        *,
        sizes: Sequence[int] | None = None,
        names: Sequence[str] | None = None,
        title: str = "clusters",
        hover: Any = None,
    ) -> None:
        """Write an interactive page for a browser: the clusters, with a slider over `min_cluster_size`, and the
        condensed tree.

        A click on a branch of the tree shows its points, and a second slider cuts the tree at a distance. For rows with
        weights the page has no tree. The page is one file that needs no network. The labels for every position of the
        slider are computed now, by `recluster`. Of more than 500,000 points a random sample of 500,000 is shown, and
        the page says so.

        Parameters
        ----------
        file : path or binary file
            Where to write HTML. A file of that name is replaced when the page is complete.
        sizes : sequence of int, optional
            Positions of the slider, to which `min_cluster_size` is added; by default some twenty, up to the greatest
            at which the data still splits.
        names : sequence of str, optional
            Names of the columns, for the axes; by default `feature_names_in_`.
        title : str, default "clusters"
            Title of the page.
        hover : mapping of str to array-like of shape (n,), or data frame, optional
            Columns that the page tells for the point under the pointer, such as names. Missing values are left out.

        Raises
        ------
        ValueError
            The model was fitted to distances or to sparse features, a size is less than 2, or a column of `hover` does
            not have one value for each of the n points.
        TypeError
            `hover` is neither a mapping nor a data frame.
        ImportError
            Bokeh is not installed: ``pip install 'emst[html]'``.

        Examples
        --------
        >>> import io
        >>> from emst import HDBSCANGPU
        >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [9.0, 9.0], [9.0, 8.0], [8.0, 9.0]]
        >>> model = HDBSCANGPU(min_cluster_size=3, min_samples=2, device="cpu").fit(X)
        >>> page = io.BytesIO()
        >>> model.save_html(page, title="two corners", hover={"name": ["A", "B", "C", "D", "E", "F"]})
        >>> page.getvalue()[:15]
        b'<!DOCTYPE html>'
        """
        check_is_fitted(self)
        from emst.hdbscan.page import write_page

        write_page(self, file, sizes, names=names, title=title, hover=hover)

    def _take(self, model: Model, centers: Centers, features: dict[str, Any]) -> None:
        """Set all fitted attributes: the last step, so that a fit that fails changes nothing."""
        labels, probabilities, cores = map(
            model.give_values, (labels_of(model), probabilities_of(model), model.cores())
        )
        centroids, medoids = (None if rows is None else model.give(rows) for rows in centers)
        set_features(self, features)
        self.labels_ = labels
        self.probabilities_ = probabilities
        self.min_cluster_size_ = model.options.min_cluster_size
        self.core_distances_ = cores
        for name in ("centroids_", "medoids_", "constraints_"):
            self.__dict__.pop(name, None)
        if centroids is not None:
            self.centroids_ = centroids
        if medoids is not None:
            self.medoids_ = medoids
        counts = model.constraint_counts()
        if counts is not None:
            self.constraints_ = counts
        self.device_ = model.device
        self._model, self._made = model, {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tag_inputs(tags, self.metric)
        return tags


def _suggestion(name: str) -> str:
    """The parameter with the most similar name, or the names of all that `recluster` takes."""
    near = difflib.get_close_matches(name, list(RULES), 1)
    return f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(RECLUSTERED)}"


HDBSCAN = HDBSCANGPU
