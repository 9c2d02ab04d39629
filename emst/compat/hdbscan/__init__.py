"""The hdbscan package (0.8.44) over `HDBSCANGPU`: ``import emst.compat.hdbscan as hdbscan``.

    hdbscan_.py                 `HDBSCAN` and `hdbscan`
    algorithms.py               which `algorithm` takes which metric
    prediction.py               labels, scores and memberships of new points
    flat.py                     the same for a given number of clusters
    robust_single_linkage_.py   `RobustSingleLinkage`
    validity.py                 `validity_index`
    plots.py                    trees made from plain arrays
    branches.py                 branches inside clusters

Modules, classes, functions and parameters have hdbscan's names. `min_samples` does not count the point itself.
"""

from emst.compat.hdbscan import branches, flat, plots, prediction, validity
from emst.compat.hdbscan.branches import BranchDetector, approximate_predict_branch, detect_branches_in_clusters
from emst.compat.hdbscan.hdbscan_ import HDBSCAN, hdbscan
from emst.compat.hdbscan.prediction import (
    all_points_membership_vectors,
    approximate_predict,
    approximate_predict_scores,
    membership_vector,
)
from emst.compat.hdbscan.robust_single_linkage_ import RobustSingleLinkage, robust_single_linkage
from emst.compat.hdbscan.validity import validity_index

__all__ = [
    "HDBSCAN",
    "BranchDetector",
    "RobustSingleLinkage",
    "all_points_membership_vectors",
    "approximate_predict",
    "approximate_predict_branch",
    "approximate_predict_scores",
    "branches",
    "detect_branches_in_clusters",
    "flat",
    "hdbscan",
    "membership_vector",
    "plots",
    "prediction",
    "robust_single_linkage",
    "validity",
    "validity_index",
]
