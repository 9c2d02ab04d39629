"""Pictures of trees and clusters. They are drawn from plain arrays; matplotlib is imported when one is drawn.

    clusters.py       the points, coloured by cluster
    dots.py           many points as pixels
    colours.py        which colours clusters get
    page.py           a page for the browser: clusters, and a slider over min_cluster_size
    page_tree.py      the condensed tree beside it: levels, colours and shapes
    document.py       the file of such a page: what Bokeh draws
    packing.py        small files of pages: points along a curve, planes of bytes, compression
    coasts.py         coasts behind a map
    hover.py          columns that a page tells beside the pointer
    condensed.py      the condensed tree
    icicles.py        positions and widths of the condensed tree's icicles, without drawing
    dendrogram.py     the single linkage tree
    spanning.py       the minimum spanning tree between the points
    approximation.py  the graphs in which branches of clusters are found
    layers.py         how persistent clusterings are over the minimum cluster size
    graph.py          the forest of a graph at given positions
    plane.py          axes, and where points of any dimension are drawn

Every function returns the Axes. Without `ax` it draws into the current ones, as the hdbscan package does.
"""

from emst.plots.approximation import plot_approximation_graph
from emst.plots.clusters import cluster_colours, plot_clusters
from emst.plots.condensed import plot_condensed_tree
from emst.plots.dendrogram import plot_single_linkage_tree
from emst.plots.graph import plot_forest
from emst.plots.layers import plot_layers
from emst.plots.spanning import plot_mst, plot_spanning_tree, weight_norm

__all__ = [
    "cluster_colours",
    "plot_approximation_graph",
    "plot_clusters",
    "plot_condensed_tree",
    "plot_forest",
    "plot_layers",
    "plot_mst",
    "plot_single_linkage_tree",
    "plot_spanning_tree",
    "weight_norm",
]
