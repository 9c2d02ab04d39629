"""HDBSCAN*: the estimator, and prediction with a fitted model.

estimator.py     `HDBSCANGPU`, also called `HDBSCAN`: its parameters, and `fit` as a list of stages
keywords.py      what other libraries' keywords are called here
parameters.py    which values the parameters may have
fitting.py       from data and metric to the spanning tree
model.py         what a fit keeps: the spanning tree, and the dendrogram and clusters made from it
attributes.py    fitted attributes that are computed when they are first read; pickling
constraints.py   labels and constraints of the caller: checked, and counted
centers.py       centroids and medoids of all clusters
medoids.py       the exact medoid of one cluster
weightless.py    rows of weight 0, which join the clusters as new points do
index.py         the bounding volume hierarchy over the training points that predictions search
joining.py       at which point, and in which cluster, a new point joins the dendrogram
prediction.py    `approximate_predict`: labels and probabilities of new points
membership.py    `membership_vector`: soft clustering
branches/        `BranchDetector`: branches inside clusters, and those of new points
layers.py        `Layers`: clusterings at the most persistent minimum cluster sizes
page.py          the interactive page of a fitted model
trees/           the condensed, single linkage and spanning tree as objects
"""

from emst.hdbscan.estimator import HDBSCAN, HDBSCANGPU

__all__ = ["HDBSCAN", "HDBSCANGPU"]
