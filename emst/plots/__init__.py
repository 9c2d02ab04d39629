"""Pictures of trees and clusters, one file a picture. matplotlib is imported when one is drawn.

They are drawn from plain arrays and return the Axes; an axis that is not given is the current one's, as in hdbscan.
"""

from emst.plots.clusters import cluster_colours, plot_clusters
from emst.plots.condensed import plot_condensed_tree
from emst.plots.dendrogram import plot_single_linkage_tree
from emst.plots.spanning import plot_mst, plot_spanning_tree, weight_norm

__all__ = [
    "cluster_colours",
    "plot_clusters",
    "plot_condensed_tree",
    "plot_mst",
    "plot_single_linkage_tree",
    "plot_spanning_tree",
    "weight_norm",
]
