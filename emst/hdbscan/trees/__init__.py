"""The trees of a clustering as objects: hdbscan's interfaces, without hdbscan. One file a tree.

`CondensedTree(condensed, selection)`, `SingleLinkageTree(linkage)` and `SpanningTree(edges, weights, points)` take what
the stages leave on their backend and fetch it when it is first asked for; from then on, and in a pickle, they hold
arrays on the host. Where rows of the data were left out of the hierarchy (NaN, infinity), `rows` names those that were
kept, ascending, and `n` counts all of them. In every tree points are the data's rows 0 ... n - 1; clusters follow.
"""

from emst.hdbscan.trees.condensed import CondensedTree
from emst.hdbscan.trees.linkage import SingleLinkageTree
from emst.hdbscan.trees.spanning import SpanningTree

__all__ = ["CondensedTree", "SingleLinkageTree", "SpanningTree"]
